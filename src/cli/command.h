#pragma once
// A subcommand is one file with one door: add_<name>() declares its options and what it does when chosen.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/range.h"

namespace hexapla::cli {

// The type of the numbers of an option's variable: of itself, of an optional one, or of a list. void: it has none.
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

// The program or a subcommand. An option with a number takes its range, without which it does not compile; the help
// shows the range, and what is no number in it is a UsageError with option, value and range.
class Command : public CLI::App {
 public:
  struct NumberOption {
    CLI::Option* option;
    std::string requirement;           // as the message says it
    std::vector<std::string> outside;  // numbers next to the range that it does not have
  };

  using CLI::App::App;

  template <class T>
  CLI::Option* add_option(const std::string& names, T& variable, const std::string& help) {
    static_assert(!holds_number<T>, "an option with a number takes its range: names, variable, range, help");
    return CLI::App::add_option(names, variable, help);
  }
  template <class T, Number N>
  CLI::Option* add_option(const std::string& names, T& variable, const Range<N>& range, const std::string& help) {
    using Own = typename NumberIn<T>::type;
    CLI::Option* option =
        CLI::App::add_option(names, [this, &variable, range, place = numbers_.size()](const CLI::results_t& words) {
          const std::string name = numbers_[place].option->get_lnames().front();
          if constexpr (is_list<T>) variable.clear();
          for (const std::string& word : words)
            if constexpr (is_list<T>)
              variable.push_back(range.parse(name, word));
            else
              variable = static_cast<Own>(range.parse(name, word));
          return true;
        });
    option->description(help + " (" + range.text() + ")")->type_name(CLI::detail::type_name<Own>());
    if (is_list<T>) option->expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args();
    numbers_.push_back({option, range.requirement(), range.outside()});
    return option;
  }

  Command* add_command(const std::string& name, const std::string& what);
  const std::vector<NumberOption>& numbers() const { return numbers_; }

 private:
  std::vector<NumberOption> numbers_;
};

// What the chosen subcommand does; its value is the exit code. stdout carries data only.
using Action = std::function<int()>;

// All subcommands with their options. Where an option that takes one value is given twice, the last one counts.
void add_commands(Command& app, Action& chosen);

// Each makes a subcommand of `app` whose callback sets `chosen`.
void add_train(Command& app, Action& chosen);
void add_replay(Command& app, Action& chosen);
void add_reproduce(Command& app, Action& chosen);
void add_translate(Command& app, Action& chosen);
void add_score(Command& app, Action& chosen);
void add_evaluate(Command& app, Action& chosen);
void add_data(Command& app, Action& chosen);
void add_inspect(Command& app, Action& chosen);
void add_average(Command& app, Action& chosen);
void add_quantize(Command& app, Action& chosen);
void add_info(Command& app, Action& chosen);
void add_doctor(Command& app, Action& chosen);
void add_bench(Command& app, Action& chosen);
void add_demo(Command& app, Action& chosen);

}  // namespace hexapla::cli
