#include "decode/constraints/glossary.h"

#include <algorithm>

#include "base/error.h"
#include "data/files/lines.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

constexpr size_t kMostBytes = 1024, kMostForms = 32, kMostTerms = 1'000'000;

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(blanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

// text::folded() of a text, and where each of its bytes comes from.
struct FoldedLine {
  std::string text;
  std::vector<text::TokenSpan> from;  // of each byte: a character with its marks

  explicit FoldedLine(std::string_view line) {
    const std::vector<text::Character> all = text::characters_of(line);
    for (size_t i = 0, next = 0; i < all.size(); i = next) {
      for (next = i + 1; next < all.size() && all[next].kind == text::CharacterKind::mark;) ++next;
      const text::TokenSpan place{all[i].from, all[next - 1].to};
      std::string_view one = line.substr(place.from, place.to - place.from);
      // Between two letters a blank stays a blank, and an invisible character vanishes.
      const std::string between = text::folded(cat("a", one, "a"));
      const bool framed = between.size() > 1 && between.front() == 'a' && between.back() == 'a';
      add(framed ? between.substr(1, between.size() - 2) : text::folded(one), place);
    }
    if (text.ends_with(' ')) text.pop_back(), from.pop_back();
  }
  text::TokenSpan in_text(text::TokenSpan folded) const { return {from[folded.from].from, from[folded.to - 1].to}; }

 private:
  void add(const std::string& one, text::TokenSpan place) {
    if (one == " " && (text.empty() || text.ends_with(' '))) return;
    text += one;
    from.resize(text.size(), place);
  }
};

std::vector<std::string> forms_of(std::string_view target) {
  std::vector<std::string> forms;
  for (size_t at = 0; at <= target.size();) {
    const size_t end = std::min(target.find('|', at), target.size());
    const std::string form(trimmed(target.substr(at, end - at)));
    if (std::find(forms.begin(), forms.end(), form) == forms.end()) forms.push_back(form);
    at = end + 1;
  }
  return forms;
}

}  // namespace

Glossary::Glossary(std::span<const Pair> pairs) {
  for (size_t i = 0; i < pairs.size(); ++i)
    if (const std::string wrong = add(pairs[i].first, pairs[i].second, i, "entry"); !wrong.empty())
      throw UsageError(cat("glossary, entry ", i + 1, ": ", wrong), "glossary", text::printable(pairs[i].first));
}

Glossary Glossary::read(const std::string& path) {
  Glossary glossary;
  data::LineReader lines(path);
  for (std::string line; lines.next(line);) {
    if (trimmed(line).empty()) continue;
    const auto number = static_cast<size_t>(lines.line_number());
    const auto tabs = std::count(line.begin(), line.end(), '\t');
    const size_t tab = line.find('\t');
    const std::string wrong =
        tabs == 1 ? glossary.add(line.substr(0, tab), line.substr(tab + 1), number - 1, "line")
                  : cat("it has ", tabs, " tabs; a line is a source term, one tab, and its translation");
    if (!wrong.empty()) throw DataError(cat(lines.name(), ":", number, ": ", wrong));
  }
  if (glossary.terms_.empty())
    throw DataError(cat(lines.name(), " has no term; a line is a source term, a tab, and its translation"));
  return glossary;
}

std::string Glossary::add(std::string_view source, std::string_view target, size_t place, const char* unit) {
  if (text::invalid_utf8(source) || text::invalid_utf8(target)) return "it is not UTF-8; convert it";
  const std::string key = text::folded(source);
  if (key.empty()) return "its source term is empty; give one or more words";
  Term term{std::string(trimmed(source)), forms_of(target), place};
  if (std::any_of(term.forms.begin(), term.forms.end(), [](const std::string& form) { return form.empty(); }))
    return cat("the translation of '", term.source, "', or one of its forms between '|', is empty; give words");
  if (term.forms.size() > kMostForms)
    return cat("the translation of '", term.source, "' has ", term.forms.size(), " forms; give at most ", kMostForms);
  for (const std::string& form : term.forms)
    if (std::max(term.source.size(), form.size()) > kMostBytes)
      return cat("a term of ", std::max(term.source.size(), form.size()), " bytes; give at most ", kMostBytes);
  if (terms_.size() == kMostTerms) return cat("it is one term too many; give at most ", kMostTerms);
  const auto [there, is_new] = terms_.emplace(key, std::move(term));
  if (is_new) return "";
  return cat("'", trimmed(source), "' is also the term of ", unit, " ", there->second.place + 1,
             "; leave one of them out, or give the forms in one: first|second");
}

// Every key that the text begins with is a prefix of the last key, in order, that is not after the
// text.
const std::pair<const std::string, Glossary::Term>* Glossary::longest_at(std::string_view line, size_t at) const {
  std::string_view rest = line.substr(at);
  for (auto next = terms_.upper_bound(rest); next != terms_.begin(); next = terms_.upper_bound(rest)) {
    const auto& found = *std::prev(next);
    const std::string& key = found.first;
    const auto common = std::mismatch(key.begin(), key.end(), rest.begin(), rest.end()).first - key.begin();
    const bool whole = static_cast<size_t>(common) == key.size();
    if (whole && text::word_boundary(line, at + key.size())) return &found;
    rest = rest.substr(0, static_cast<size_t>(common) - (whole ? 1 : 0));
  }
  return nullptr;
}

std::vector<const Glossary::Term*> Glossary::terms() const {
  std::vector<const Term*> all;
  for (const auto& [key, term] : terms_) all.push_back(&term);
  std::sort(all.begin(), all.end(), [](const Term* a, const Term* b) { return a->place < b->place; });
  return all;
}

std::vector<Glossary::Found> Glossary::terms_in(std::string_view text, size_t most) const {
  const FoldedLine folded(text);
  const std::string& line = folded.text;
  std::vector<Found> terms;
  for (size_t at = 0; at < line.size() && terms.size() < most;) {
    const auto* found = text::word_boundary(line, at) ? longest_at(line, at) : nullptr;
    const size_t end = at + (found ? found->first.size() : text::character_bytes(std::string_view(line).substr(at)));
    if (found) terms.push_back({&found->second, folded.in_text({at, end})});
    at = end;
  }
  return terms;
}

}  // namespace hexapla::decode
