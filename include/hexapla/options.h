#pragma once
// Options by name, as listed by `hexapla train --help` and docs/reference/train.md; "batch_tokens"
// and "batch-tokens" are equivalent.
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "hexapla/export.h"

namespace hexapla {

// A value as text, converted from a number, a switch, a word, a path, or a list of these: {"a.en",
// "a.de"}.
class OptionValue {
 public:
  OptionValue(const char* word) : words_{word} {}
  OptionValue(std::string word) : words_{std::move(word)} {}
  OptionValue(std::string_view word) : words_{std::string(word)} {}
  OptionValue(const std::filesystem::path& path) : words_{path.string()} {}
  OptionValue(bool on) : words_{on ? "true" : "false"} {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
  OptionValue(Integer number) : words_{std::to_string(number)} {}
  HEXAPLA_API OptionValue(double number);  // in a form that reads back as the same number
  OptionValue(std::initializer_list<OptionValue> list) : list_(true) { add(list); }
  OptionValue(std::vector<std::string> words) : words_(std::move(words)), list_(true) {}
  template <class T, std::enable_if_t<std::is_convertible_v<const T&, OptionValue>, int> = 0>
  OptionValue(const std::vector<T>& list) : list_(true) {
    add(list);
  }

  const std::vector<std::string>& words() const { return words_; }
  bool is_list() const { return list_; }  // even with one element: refused by options with a single value

 private:
  template <class List>
  void add(const List& list) {
    for (const auto& one : list) {
      const OptionValue value(one);
      words_.insert(words_.end(), value.words_.begin(), value.words_.end());
    }
  }

  std::vector<std::string> words_;
  bool list_ = false;
};

using Options = std::map<std::string, OptionValue>;

// An option that can be given by name.
struct OptionDescription {
  std::string name;   // "beam_size"
  std::string type;   // "integer", "number", "boolean" or "text"; "list of number", "list of text"
  std::string usual;  // default value as text; may be empty
  std::string help;   // one line
};
HEXAPLA_API std::vector<OptionDescription> search_options();    // of TranslatorOptions
HEXAPLA_API std::vector<OptionDescription> training_options();  // of Trainer; a preset changes some of the defaults

}  // namespace hexapla
