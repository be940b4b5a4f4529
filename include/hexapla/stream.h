#pragma once
// Lines that are translated while they are read, and their translations:
//
//   for (const auto& translations : translator.stream(std::cin)) std::cout << translations.front().text << '\n';
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hexapla/export.h"
#include "hexapla/owned.h"
#include "hexapla/translation.h"

namespace hexapla {

// Where a stream gets its lines: a function bool(std::string& line) or bool(std::string& line, Constraints& asked), a
// std::istream, or a range of strings, which is borrowed if it is an lvalue. All of it is used by the thread that takes
// the translations, which gets its exceptions unchanged, after the translations of the lines before.
struct LineSource {
  // Stores the next line, and the constraints on its translations, which are empty before. -> false: there is none
  std::function<bool(std::string& line, Constraints& asked)> next;
  // Whether next() returns without waiting for input. If not, what was read before is translated and given first.
  // Null: next() never waits.
  std::function<bool()> ready;
  // Most lines that are read and translated together, 1 to 1,000,000; lines of 16 MiB in all are enough, too. One line
  // comes soonest, many are fastest.
  std::size_t read_ahead = 2000;

  template <class From, std::enable_if_t<!std::is_same_v<std::decay_t<From>, LineSource>, int> = 0>
  LineSource(From&& from) : next(reading(std::forward<From>(from))) {}
  LineSource(std::initializer_list<std::string> lines) : LineSource(std::vector<std::string>(lines)) {}
  LineSource(std::initializer_list<const char*> lines)
      : LineSource(std::vector<std::string>(lines.begin(), lines.end())) {}

 private:
  template <class From>
  static std::function<bool(std::string&, Constraints&)> reading(From&& from) {
    using Plain = std::decay_t<From>;
    if constexpr (std::is_invocable_r_v<bool, Plain&, std::string&, Constraints&>) {
      return std::forward<From>(from);
    } else if constexpr (std::is_invocable_r_v<bool, Plain&, std::string&>) {
      return [next = std::forward<From>(from)](std::string& line, Constraints&) mutable { return next(line); };
    } else if constexpr (std::is_base_of_v<std::istream, std::remove_reference_t<From>>) {
      static_assert(std::is_lvalue_reference_v<From>, "a stream borrows a std::istream: give it a name");
      return [&from](std::string& line, Constraints&) { return static_cast<bool>(std::getline(from, line)); };
    } else {
      const auto range = std::make_shared<Range<From>>(std::forward<From>(from));
      return [range](std::string& line, Constraints&) { return range->next(line); };
    }
  }

  // From: an lvalue reference, or a range to keep.
  template <class From>
  class Range {
   public:
    explicit Range(From&& from) : from_(std::forward<From>(from)) {}
    bool next(std::string& line) {
      at_ ? static_cast<void>(++*at_) : static_cast<void>(at_.emplace(std::begin(from_)));
      if (*at_ == std::end(from_)) return false;
      line = std::string(**at_);
      return true;
    }

   private:
    From from_;
    std::optional<decltype(std::begin(std::declval<std::remove_reference_t<From>&>()))> at_;
  };
};

// The translations of a source's lines, in order, each computed when it is taken or a little before
// (LineSource::read_ahead); what was taken is not kept. The numbers of lines in warnings, progress and errors, and
// those on which samples depend, count all lines of the stream. One thread at a time may use it.
class TranslationStream {
 public:
  HEXAPLA_API ~TranslationStream();
  HEXAPLA_API TranslationStream(TranslationStream&&) noexcept;
  HEXAPLA_API TranslationStream& operator=(TranslationStream&&) noexcept;

  // Stores the translations of the next line, best first. -> false: there is none. Errors as
  // Translator::translate_n_best(), each after the translations of the lines before the one that it is about; after an
  // error there are no more lines. UsageError also within a function of the source or of the options.
  HEXAPLA_API bool next(std::vector<Translation>& translations);
  // Lines whose translations next() gives without computing or reading.
  HEXAPLA_API std::size_t ready() const;

  // For loops, which get each line's translations and may move them away. Copies are at the same line.
  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = std::vector<Translation>;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type*;
    using reference = value_type&;

    Iterator() = default;  // the end
    reference operator*() const { return *line_; }
    pointer operator->() const { return line_.get(); }
    Iterator& operator++() {
      if (!stream_->next(*line_)) stream_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const Iterator& other) const { return stream_ == other.stream_; }
    bool operator!=(const Iterator& other) const { return stream_ != other.stream_; }

   private:
    friend class TranslationStream;
    explicit Iterator(TranslationStream* stream) : stream_(stream), line_(std::make_shared<value_type>()) { ++*this; }
    TranslationStream* stream_ = nullptr;
    std::shared_ptr<value_type> line_;
  };

  Iterator begin() { return Iterator(this); }
  Iterator end() { return {}; }

 private:
  friend class Translator;
  struct Impl;
  explicit TranslationStream(std::unique_ptr<Impl> impl);
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
