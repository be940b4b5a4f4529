#include "base/options/option_row.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/options/given_option.h"

namespace hexapla {
namespace {

bool is_one_of(const OptionRow& row, const std::vector<std::string_view>& names) {
  return std::find(names.begin(), names.end(), row.name) != names.end();
}

// The word that users write for 0; null if they write 0.
const char* word_for_zero(const Allowed& allowed) {
  return std::visit(
      [](const auto& a) -> const char* {
        if constexpr (requires { a.zero; })
          return a.zero;
        else
          return nullptr;
      },
      allowed);
}

}  // namespace

const Choices* OptionRow::choices() const {
  const auto* const words = std::get_if<const Choices*>(&allowed);
  return words ? *words : nullptr;
}

bool OptionRow::is_list() const {
  return std::holds_alternative<std::vector<std::string>*>(field) ||
         std::holds_alternative<std::vector<double>*>(field);
}

bool OptionRow::is_number() const {
  return std::holds_alternative<int64_t*>(field) || std::holds_alternative<uint64_t*>(field) ||
         std::holds_alternative<double*>(field);
}

std::vector<std::string> OptionRow::words() const {
  using Words = std::vector<std::string>;
  return std::visit(
      Overloaded{[](const bool* b) { return Words{*b ? "true" : "false"}; },
                 [](const std::string* s) { return Words{*s}; }, [](const WordField& w) { return Words{w.text()}; },
                 [](const std::vector<std::string>* all) { return *all; },
                 [](const std::vector<double>* all) {
                   Words words;
                   for (const double x : *all) words.push_back(fmt::format("{}", x));
                   return words;
                 },
                 [&](const auto* number) {
                   const char* zero = word_for_zero(allowed);
                   return Words{zero && *number == 0 ? zero : fmt::format("{}", *number)};
                 }},
      field);
}

std::string OptionRow::in_one_line() const { return fmt::format("{}", fmt::join(words(), " ")); }

void OptionRow::set(const std::vector<std::string>& words) const {
  std::visit(
      Overloaded{[&](bool* b) { *b = switched(name, words.front()); }, [&](std::string* s) { *s = words.front(); },
                 [&](const WordField& w) { w.word->set(*w.choices, name, words.front()); },
                 [&](std::vector<std::string>* all) { *all = words; },
                 [&](std::vector<double>* all) {
                   all->clear();
                   for (const std::string& word : words)
                     all->push_back(std::get<Range<double>>(allowed).parse(name, word));
                 },
                 [&]<class T>(T* number) { *number = std::get<Range<T>>(allowed).parse(name, words.front()); }},
      field);
}

void OptionRow::set_to(const OptionRow& same) const {
  std::visit(Overloaded{[&](const WordField& w) { *w.word = *std::get<WordField>(same.field).word; },
                        [&]<class T>(T* value) { *value = *std::get<T*>(same.field); }},
             field);
}

void OptionRow::check() const {
  std::visit(Overloaded{[&](const WordField&) {},  // holds no other
                        [&](const std::string* s) {
                          if (choices()) check_choice(*choices(), name, *s);
                        },
                        [](const bool*) {}, [](const std::vector<std::string>*) {},
                        [&](const std::vector<double>* all) {
                          for (const double x : *all) std::get<Range<double>>(allowed).check(name, x);
                        },
                        [&]<class T>(const T* number) { std::get<Range<T>>(allowed).check(name, *number); }},
             field);
}

OptionTable& OptionTable::add(OptionRow row) {
  row.group = group_;
  rows_.push_back(std::move(row));
  return *this;
}

OptionTable& OptionTable::also(const char* alias) {
  rows_.back().alias = alias;
  return *this;
}

OptionTable& OptionTable::repeated() {
  rows_.back().one_by_one = true;
  return *this;
}

OptionRows select(OptionRows rows, const std::vector<std::string_view>& names) {
  std::erase_if(rows, [&](const OptionRow& row) { return !is_one_of(row, names); });
  return rows;
}

OptionRows without(OptionRows rows, const std::vector<std::string_view>& names) {
  std::erase_if(rows, [&](const OptionRow& row) { return is_one_of(row, names); });
  return rows;
}

const OptionRow* find(const OptionRows& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const OptionRow& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const OptionRows& rows) {
  std::vector<std::string> names;
  for (const OptionRow& row : rows) names.emplace_back(row.name);
  return names;
}

}  // namespace hexapla
