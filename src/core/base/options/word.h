#pragma once
// A word out of a list, for configurations: Word<"post", "pre"> position = "pre". The list belongs to the type, so a
// literal that is not in it does not compile, whether it is assigned or compared.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/range.h"

namespace hexapla {

template <size_t N>
struct Literal {
  consteval Literal(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  char text[N];
};

// A Word of any list, for code that is compiled once for all.
class AnyWord {
 public:
  const std::string& text_in(const Choices& words) const { return words[index_]; }
  // UsageError that lists the words. option: its name, for the message.
  void set(const Choices& words, const std::string& option, const std::string& text) {
    check_choice(words, option, text);
    index_ = static_cast<uint8_t>(std::find(words.begin(), words.end(), text) - words.begin());
  }
  friend constexpr bool operator==(AnyWord, AnyWord) = default;

 protected:
  constexpr explicit AnyWord(uint8_t index) : index_(index) {}
  uint8_t index_;
};

template <Literal... kWords>
class Word : public AnyWord {
 public:
  template <size_t N>
  consteval Word(const char (&literal)[N]) : AnyWord(index_of({literal, N - 1})) {
    if (index_ == kCount) throw "not a word of this type";  // not a constant expression, so it does not compile
  }
  // UsageError that lists the words. option: its name, for the message.
  static Word parse(const std::string& option, const std::string& text) {
    Word word(uint8_t{0});
    word.set(choices(), option, text);
    return word;
  }

  static const Choices& choices() {
    static const Choices all{kWords.text...};
    return all;
  }
  const std::string& text() const { return choices()[index_]; }
  operator const std::string&() const { return text(); }

  friend constexpr bool operator==(Word, Word) = default;
  friend std::string operator+(const std::string& text, Word word) { return text + word.text(); }
  friend std::string operator+(Word word, const std::string& text) { return word.text() + text; }
  friend std::ostream& operator<<(std::ostream& out, Word word) { return out << word.text(); }

 private:
  static constexpr uint8_t kCount = sizeof...(kWords);
  constexpr explicit Word(uint8_t index) : AnyWord(index) {}
  static constexpr uint8_t index_of(std::string_view text) {
    constexpr std::array<std::string_view, kCount> all{kWords.text...};
    return static_cast<uint8_t>(std::find(all.begin(), all.end(), text) - all.begin());
  }
};

template <class T>
constexpr bool is_word = false;
template <Literal... kWords>
constexpr bool is_word<Word<kWords...>> = true;

}  // namespace hexapla
