#pragma once
// Options by name, as `hexapla train --help` and docs/commands.md list them; "batch_tokens" and "batch-tokens" are the
// same.
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

namespace hexapla {

// A value in words, whatever it was given as: a number, a switch, a word, or a list of them.
class OptionValue {
 public:
  OptionValue(const char* word) : words_{word} {}
  OptionValue(std::string word) : words_{std::move(word)} {}
  OptionValue(bool on) : words_{on ? "true" : "false"} {}
  template <class Integer, std::enable_if_t<std::is_integral_v<Integer> && !std::is_same_v<Integer, bool>, int> = 0>
  OptionValue(Integer number) : words_{std::to_string(number)} {}
  OptionValue(double number);  // written so that it reads back as the same number
  OptionValue(std::initializer_list<const char*> words) : words_(words.begin(), words.end()) {}
  OptionValue(std::vector<std::string> words) : words_(std::move(words)) {}
  OptionValue(const std::vector<double>& numbers);

  const std::vector<std::string>& words() const { return words_; }

 private:
  std::vector<std::string> words_;
};

using Options = std::map<std::string, OptionValue>;

// An option that can be given by name.
struct OptionDescription {
  std::string name;   // "beam_size"
  std::string type;   // "integer", "number", "boolean" or "text"; "list of number", "list of text"
  std::string usual;  // its value in words where it is not given; may be empty
  std::string help;   // one line
};
std::vector<OptionDescription> search_options();    // of TranslatorOptions
std::vector<OptionDescription> training_options();  // of Trainer; a preset changes some of the usual values

}  // namespace hexapla
