#include "cli/command/command.h"

#include <utility>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "base/options/given_option.h"
#include "cli/command/parser.h"

namespace hexapla::cli {
namespace {

Option* with(Option* option, CLI::Option*) { return option; }

}  // namespace

Option* Option::default_str(const std::string& text) { return with(this, parsed_.default_str(text)); }
Option* Option::type_name(const std::string& name) { return with(this, parsed_.type_name(name)); }
Option* Option::group(const std::string& title) { return with(this, parsed_.group(title)); }
Option* Option::required() { return with(this, parsed_.required()); }
Option* Option::expected(int words) { return with(this, parsed_.expected(words)); }
Option* Option::expected(int least, int most) { return with(this, parsed_.expected(least, most)); }
Option* Option::list() {
  return with(this, parsed_.expected(1, CLI::detail::expected_max_vector_size)->allow_extra_args());
}
Option* Option::repeated() { return with(this, parsed_.allow_extra_args(false)); }
Option* Option::take_all() { return with(this, parsed_.take_all()); }
Option* Option::delimiter(char between) { return with(this, parsed_.delimiter(between)); }
Option* Option::check(const Validator& validator) {
  const auto looked_at = [check = validator.check](std::string& word) {
    check(word);
    return std::string();
  };
  return with(this, parsed_.check(CLI::Validator(looked_at, "", validator.name)));
}
Option* Option::choices(const Choices& words) {
  choices_ = words;
  return name().empty() ? this
                        : check({[words, name = name()](const std::string& word) { check_choice(words, name, word); }});
}
Option* Option::when(std::function<When()> condition) {
  condition_ = std::move(condition);
  return this;
}
std::string Option::name() const {
  const auto& names = parsed_.get_lnames();
  return names.empty() ? "" : names.front();
}
bool Option::takes_one_word() const {
  return !parsed_.get_positional() && parsed_.get_items_expected_max() == 1 &&
         parsed_.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll;
}
size_t Option::count() const { return parsed_.count(); }
std::vector<std::string> Option::words() const {
  return parsed_.get_items_expected_max() == 0 ? CLI::results_t() : parsed_.reduced_results();
}

Command::Command(const std::string& help, const std::string& name) : Command(std::make_shared<CLI::App>(help, name)) {}
Command::Command(std::shared_ptr<CLI::App> parser) : parser_(std::move(parser)) {}
Command::~Command() = default;

Option* Command::add(CLI::Option* parsed) { return &options_.emplace_back(*parsed); }

Option* Command::add_flag(const std::string& names, bool& variable, const std::string& help) {
  return add(parser_->add_flag(names, variable, help));
}
Option* Command::add_option(const std::string& names, std::string& variable, const std::string& help) {
  return add(parser_->add_option(names, variable, help));
}
Option* Command::add_option(const std::string& names, std::optional<std::string>& variable, const std::string& help) {
  return add(parser_->add_option(names, variable, help));
}
Option* Command::add_option(const std::string& names, std::vector<std::string>& variable, const std::string& help) {
  return add(parser_->add_option(names, variable, help));
}
Option* Command::add_read(const std::string& names, const std::string& help, const Read& read) {
  const auto take = [this, read, index = options_.size()](const CLI::results_t& words) {
    read(options_[index].parsed().get_lnames().front(), words);
    return true;
  };
  return add(parser_->add_option(names, take, help));
}

Option* Command::get_option(const std::string& name) {
  const CLI::Option* parsed = parser_->get_option(name);
  for (Option& option : options_)
    if (&option.parsed() == parsed) return &option;
  throw InternalError(cat("no option ", name, " was declared"));
}

Option* Command::add_option(const std::string& names, AnyWord& variable, const Choices& words,
                            const std::string& help) {
  const auto read = [&variable, &words](const std::string& name, const std::vector<std::string>& given) {
    variable.set(words, name, given.back());
  };
  return add_read(names, help, read)->type_name("TEXT")->choices(words);
}

bool Command::has(const std::string& name) const { return parser_->get_option_no_throw(name) != nullptr; }

bool Command::was_given(const std::string& name) const {
  const CLI::Option* parsed = parser_->get_option_no_throw(name);
  return parsed && parsed->count() > 0;
}

void Command::refuse_repeated() const {
  for (const Option& option : options_)
    if (const auto& words = option.parsed().results(); option.takes_one_word() && words.size() > 1)
      throw UsageError(cat("--", option.name(), " is given ", words.size() == 2 ? "twice" : "several times", ", as ",
                           shell_word(words[0]), " and as ", shell_word(words[1]),
                           ", but takes one value; leave one out"));
}

void Command::refuse_idle() const {
  for (const Option& option : options_)
    if (const When when = option.when(); !when.now && option.count() > 0)
      refuse_as_idle({option.parsed().get_lnames().front(), option.words()}, when);
}

Command* Command::add_command(const std::string& name, const std::string& help) {
  auto parser = std::make_shared<CLI::App>(help, name);
  parser_->add_subcommand(parser);
  return &commands_.emplace_back(std::move(parser));
}
void Command::require_command() { parser_->require_subcommand(1); }
void Command::footer(const std::string& text) { parser_->footer(text); }
void Command::callback(const std::function<void()>& chosen) { parser_->callback(chosen); }

}  // namespace hexapla::cli
