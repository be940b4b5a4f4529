#pragma once
// A subcommand is one file with one entry point: add_<name>() declares its options and its action.
// The parser is CLI11, which only cli/command/parser.h includes, because it takes longer to compile than a
// command does.
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace hexapla::cli {

// The number type of a variable (a number, optional or list); void if it holds none.
template <class T>
struct NumberIn : std::type_identity<void> {};
template <Number T>
struct NumberIn<T> : std::type_identity<T> {};
template <Number T>
struct NumberIn<std::optional<T>> : std::type_identity<T> {};
template <Number T>
struct NumberIn<std::vector<T>> : std::type_identity<T> {};
template <class T>
constexpr bool holds_number = !std::is_void_v<typename NumberIn<T>::type>;

// Checks a word when it is read; throws UsageError. The name marks options with the validator.
struct Validator {
  std::function<void(const std::string& word)> check;
  std::string name = "";
};

// An option, owned by its command. Functions that declare something return the option.
class Option {
 public:
  explicit Option(CLI::Option& parsed) : parsed_(parsed) {}

  Option* default_str(const std::string& text);  // default shown in the help
  Option* type_name(const std::string& name);
  Option* group(const std::string& title);
  Option* required();
  Option* expected(int words);  // below 0: at least -words
  Option* expected(int least, int most);
  Option* list();      // one or more words
  Option* repeated();  // one word per occurrence
  Option* take_all();  // keeps all occurrences, not only the last
  Option* delimiter(char between);
  Option* check(const Validator& validator);
  Option* choices(const Choices& words);  // others are refused; known to manuals and completion
  // The condition under which the option has an effect, evaluated after all options have been read.
  Option* when(std::function<When()> condition);

  std::string name() const;                // the first long one, without dashes
  bool takes_one_word() const;             // in all: neither a list nor a switch
  size_t count() const;                    // number of occurrences
  std::vector<std::string> words() const;  // its values; empty for a switch
  const Choices& choices() const { return choices_; }
  When when() const { return condition_ ? condition_() : kAlways; }
  CLI::Option& parsed() const { return parsed_; }

 private:
  CLI::Option& parsed_;
  Choices choices_;
  std::function<When()> condition_;
};

// The program or a subcommand. A numeric option requires its range (a missing one does not
// compile). The help shows the range; any other value is a UsageError with option, value and range.
class Command {
 public:
  struct NumberOption {
    Option* option;
    std::string requirement;           // wording of the error message
    std::vector<std::string> outside;  // numbers just outside of the range
  };

  explicit Command(const std::string& help = "", const std::string& name = "");
  explicit Command(std::shared_ptr<CLI::App> parser);
  ~Command();
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  Option* add_flag(const std::string& names, bool& variable, const std::string& help);
  Option* add_option(const std::string& names, std::string& variable, const std::string& help);
  Option* add_option(const std::string& names, std::optional<std::string>& variable, const std::string& help);
  Option* add_option(const std::string& names, std::vector<std::string>& variable, const std::string& help);
  template <class T, Number N>
  Option* add_option(const std::string& names, T& variable, const Range<N>& range, const std::string& help) {
    using Own = typename NumberIn<T>::type;
    const auto read = [&variable, range](const std::string& name, const std::vector<std::string>& words) {
      if constexpr (is_list<T>) variable.clear();
      for (const std::string& word : words)
        if constexpr (is_list<T>)
          variable.push_back(range.parse(name, word));
        else
          variable = static_cast<Own>(range.parse(name, word));
    };
    Option* option = add_read(names, help + " (" + range.text() + ")", read);
    option->type_name(std::floating_point<Own> ? "FLOAT" : std::unsigned_integral<Own> ? "UINT" : "INT");
    if (is_list<T>) option->list();
    numbers_.push_back({option, range.requirement(), range.outside()});
    return option;
  }

  Option* add_option(const std::string& names, AnyWord& variable, const Choices& words, const std::string& help);
  template <Literal... kWords>
  Option* add_option(const std::string& names, Word<kWords...>& variable, const std::string& help) {
    return add_option(names, variable, variable.choices(), help);
  }

  // The option of this name, "--beam-size". It must exist.
  Option* get_option(const std::string& name);
  bool has(const std::string& name) const;
  // After parsing; false if there is no option of this name.
  bool was_given(const std::string& name) const;
  // UsageError: an option that takes one word is given several times.
  void refuse_repeated() const;
  // UsageError: a given option has no effect with the present values of the others.
  void refuse_idle() const;
  const std::vector<NumberOption>& numbers() const { return numbers_; }
  const std::deque<Option>& options() const { return options_; }

  Command* add_command(const std::string& name, const std::string& help);
  const std::list<Command>& commands() const { return commands_; }
  void require_command();
  void footer(const std::string& text);
  void callback(const std::function<void()>& chosen);
  CLI::App& parser() const { return *parser_; }

 private:
  using Read = std::function<void(const std::string& name, const std::vector<std::string>& words)>;

  Option* add(CLI::Option* parsed);
  Option* add_read(const std::string& names, const std::string& help, const Read& read);

  std::shared_ptr<CLI::App> parser_;
  std::deque<Option> options_;
  std::list<Command> commands_;  // a deque may not hold an incomplete type
  std::vector<NumberOption> numbers_;
};

// The action of the chosen subcommand; its value is the exit code. stdout carries data only.
using Action = std::function<int()>;

// Adds all commands with their options, or only the one of this name.
void add_commands(Command& app, Action& chosen, std::string_view only = "");

// Each adds a subcommand to `app` whose callback sets `chosen`.
void add_train(Command& app, Action& chosen);
void add_distill(Command& app, Action& chosen);
void add_replay(Command& app, Action& chosen);
void add_reproduce(Command& app, Action& chosen);
void add_translate(Command& app, Action& chosen);
void add_join(Command& app, Action& chosen);
void add_score(Command& app, Action& chosen);
void add_evaluate(Command& app, Action& chosen);
void add_data(Command& app, Action& chosen);
void add_inspect(Command& app, Action& chosen);
void add_augment(Command& app, Action& chosen);
void add_average(Command& app, Action& chosen);
void add_set(Command& app, Action& chosen);
void add_compare(Command& app, Action& chosen);
void add_shortlist(Command& app, Action& chosen);
void add_export(Command& app, Action& chosen);
void add_quantize(Command& app, Action& chosen);
void add_import(Command& app, Action& chosen);
void add_info(Command& app, Action& chosen);
void add_doctor(Command& app, Action& chosen);
void add_bench(Command& app, Action& chosen);
void add_demo(Command& app, Action& chosen);
void add_lab(Command& app, Action& chosen);
void add_document(Command& app, Action& chosen);
void add_serve(Command& app, Action& chosen);
void add_explain(Command& app, Action& chosen);
void add_man(Command& app, Action& chosen);
void add_completion(Command& app, Action& chosen);

}  // namespace hexapla::cli
