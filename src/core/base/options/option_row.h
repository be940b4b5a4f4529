#pragma once
// A set of options declares each of its members once, as a row of its table: name, member, help, what is allowed, and
// when it has an effect. Command line, files, requests, records, schemas and messages read rows, which hide the types
// of members, so that this code is compiled once for all sets.
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/options/when.h"
#include "base/options/word.h"
#include "base/range.h"

namespace hexapla {

// How an option of a training affects the result. This decides how a resumed run treats a changed value and whether
// the model's provenance records it.
enum class Effect {
  fixed,       // changes the result: a resumed run must have the same value (train/loop/run/resume_fingerprint.h)
  content,     // like fixed, but compares the text or file that the option names (TrainingData::identity)
  noted,       // changes the result: a resumed run may change the value, and its model records the change
  vocabulary,  // set by the vocabulary, which a run keeps: see VocabularyRecord (train/record/run_vocabularies.h)
  last,        // a resumed run may change the value; only the last one counts
  none,        // same result: not recorded in any model
};

// A Word<..>, whose words are those of the row.
struct WordField {
  AnyWord* word;
  const Choices* choices;
  const std::string& text() const { return word->text_in(*choices); }
};

template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;  // which Clang 14 does not find by itself

using OptionField = std::variant<bool*, int64_t*, uint64_t*, double*, std::string*, WordField,
                                 std::vector<std::string>*, std::vector<double>*>;
using Allowed = std::variant<AnyValue, Range<int64_t>, Range<uint64_t>, Range<double>, const Choices*>;

struct OptionRow {
  // A number needs its Range, a word the list of its words if it is a string. The row keeps the address of a list.
  template <class T, class A>
  requires(!is_word<T>) OptionRow(const char* called, T& member, const char* text, A&& values, When condition = {})
      : OptionRow(called, member, text, std::forward<A>(values), Effect::none, std::move(condition)) {}
  template <class T, class A>
  requires(!is_word<T>)
      OptionRow(const char* called, T& member, const char* text, A&& values, Effect of, When condition = {})
      : name(called), field(&member), help(text), effect(of), when(std::move(condition)) {
    using Values = std::remove_cvref_t<A>;
    static_assert(!(Number<T> || std::is_same_v<T, std::vector<double>>) || !std::is_same_v<Values, AnyValue>,
                  "a number needs its range");
    if constexpr (std::is_same_v<Values, Choices>) {
      static_assert(std::is_lvalue_reference_v<A>, "the list must outlive the row");
      allowed = &values;
    } else {
      allowed = values;
    }
  }
  template <Literal... kWords>
  OptionRow(const char* called, Word<kWords...>& word, const char* text, When condition = {})
      : OptionRow(called, word, text, Effect::none, std::move(condition)) {}
  template <Literal... kWords>
  OptionRow(const char* called, Word<kWords...>& word, const char* text, Effect of, When condition = {})
      : name(called),
        field(WordField{&word, &word.choices()}),
        help(text),
        allowed(&word.choices()),
        effect(of),
        when(std::move(condition)) {}

  bool is_switch() const { return std::holds_alternative<bool*>(field); }
  bool is_list() const;
  bool is_number() const;          // a single one
  const Choices* choices() const;  // null: none

  // The values as users write them; for a switch "true" or "false". 0 is the range's word for it, if there is one.
  std::vector<std::string> words() const;
  std::string in_one_line() const;  // the same, with blanks between the values of a list
  // UsageError naming option and value: not a number of the range, or a word that the member cannot hold.
  void set(const std::vector<std::string>& words) const;
  void set_to(const OptionRow& same) const;  // the value of this option in another set
  void check() const;                        // UsageError: a value that is not allowed

  const char* name;
  OptionField field;
  const char* help;  // names other options in backticks (base/options/option_names.h)
  Allowed allowed;
  Effect effect = Effect::none;
  When when;               // with the present values of the others
  const char* alias = "";  // another name on the command line
  bool one_by_one = false;
  const char* group = "";  // title of its part of the help; "": that of the command
};
using OptionRows = std::vector<OptionRow>;

// Makes rows, one statement for each.
class OptionTable {
 public:
  explicit OptionTable(const char* group = "") : group_(group) {}
  OptionTable& add(OptionRow row);
  OptionTable& also(const char* alias);  // another name of the last one on the command line; one letter: the short one
  OptionTable& repeated();               // the last one is a list that is given one word at a time there
  operator OptionRows() const { return rows_; }

 private:
  const char* group_;  // title of their part of the help; "": that of the command
  OptionRows rows_;
};

// The rows of a set that is only read.
template <class Options>
OptionRows rows_of(const Options& options) {
  return const_cast<Options&>(options).rows();
}
inline OptionRows operator+(OptionRows rows, OptionRows more) {
  rows.insert(rows.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  return rows;
}
// Those that have these names, or not, in order of declaration.
OptionRows select(OptionRows rows, const std::vector<std::string_view>& names);
OptionRows without(OptionRows rows, const std::vector<std::string_view>& names);

const OptionRow* find(const OptionRows& rows, std::string_view name);  // null: none
std::vector<std::string> names_of(const OptionRows& rows);

}  // namespace hexapla
