#include "lib/translate/stream/line_stream.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/range.h"

namespace hexapla {
namespace api {
namespace {

constexpr Range<int64_t> kReadAhead{.least = 1, .most = 1'000'000};

// An error of the library as its caller gets it.
std::exception_ptr for_caller(const std::exception_ptr& error) {
  try {
    guarded([&] { std::rethrow_exception(error); });
  } catch (...) {
    return std::current_exception();
  }
  return error;
}

}  // namespace

decode::LineConstraints constraints_of(const Constraints& asked, uint64_t line) {
  decode::LineConstraints result{asked.prefix, asked.require, asked.forbid};
  decode::check_utf8(result, cat("line ", line, ": "));
  return result;
}

LineStream::LineStream(LineSource source, const TranslatorOptions& options, Translate translate)
    : source_(std::move(source)),
      translate_(std::move(translate)),
      on_progress_(options.on_progress),
      stop_(options.stop),
      // Alignments are matrices, so few are kept at a time.
      step_(options.on_progress || !options.alignment.empty() ? kProgressStep : SIZE_MAX) {
  kReadAhead.check("read-ahead", static_cast<int64_t>(std::min<size_t>(source_.read_ahead, INT64_MAX)));
  if (!source_.next) throw UsageError("the source of a stream has no function `next`: give one");
}

bool LineStream::next(std::vector<Translation>& translations) {
  if (working_) throw UsageError("a stream gives no lines within its own functions: take them outside");
  try {
    working_ = true;
    while (ready() == 0 && !(ended_ && !later_ && translated_ == text_.size())) go_on();
    working_ = false;
  } catch (...) {
    end();
    throw;
  }
  if (ready() == 0) return false;
  translations = std::move(found_[given_++]);
  return true;
}

void LineStream::go_on() {
  if (later_ && translated_ == text_.size()) std::rethrow_exception(std::exchange(later_, nullptr));
  CallerFunctions functions;
  functions.guard([&] {
    if (stop_ && *stop_) throw Canceled("the translation was canceled");
    translated_ < text_.size() ? translate_step(functions) : read();
  });
}

void LineStream::read() {
  first_ += text_.size();
  text_.clear(), asked_.clear();
  bytes_ = translated_ = 0;
  CallerFunctions functions;
  try {
    functions.guard([&] {
      while (may_read(functions) && read_line(functions)) continue;
    });
  } catch (...) {
    fail_later(std::current_exception(), text_.size());
  }
}

bool LineStream::may_read(CallerFunctions& functions) const {
  if (text_.empty()) return true;
  return text_.size() < source_.read_ahead && bytes_ < kBytes && (!source_.ready || functions.call(source_.ready));
}

bool LineStream::read_line(CallerFunctions& functions) {
  std::string line;
  Constraints asked;
  ended_ = !functions.call(source_.next, line, asked);
  if (ended_) return false;
  bytes_ += line.size();
  asked_.push_back(constraints_of(asked, first_ + text_.size() + 1));
  text_.push_back(std::move(line));
  return true;
}

void LineStream::translate_step(CallerFunctions& functions) {
  try {
    found_ = translate_(step(), functions);
  } catch (const decode::LineError& e) {
    fail_later(for_caller(std::current_exception()), translated_ + e.line);
    if (translated_ == text_.size()) return;
    found_ = translate_(step(), functions);
  }
  given_ = 0;
  translated_ += found_.size();
  if (on_progress_) functions.call(on_progress_, first_ + translated_);
}

decode::Lines LineStream::step() const {
  const size_t n = std::min(step_, text_.size() - translated_);
  return {std::span(text_).subspan(translated_, n), std::span(asked_).subspan(translated_, n), first_ + translated_};
}

// Throws the error after the first lines of the portion.
void LineStream::fail_later(std::exception_ptr error, size_t lines) {
  later_ = std::move(error);
  ended_ = true;
  text_.resize(lines), asked_.resize(lines);
}

void LineStream::end() {
  found_.clear(), text_.clear(), asked_.clear();
  given_ = translated_ = 0;
  later_ = nullptr;
  ended_ = true;
  working_ = false;
}

}  // namespace api

TranslationStream::TranslationStream(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TranslationStream::~TranslationStream() = default;
TranslationStream::TranslationStream(TranslationStream&&) noexcept = default;
TranslationStream& TranslationStream::operator=(TranslationStream&&) noexcept = default;

bool TranslationStream::next(std::vector<Translation>& translations) { return impl_->next(translations); }
std::size_t TranslationStream::ready() const { return impl_->ready(); }

}  // namespace hexapla
