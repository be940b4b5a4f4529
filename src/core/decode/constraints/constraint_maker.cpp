#include "decode/constraints/constraint_maker.h"

#include <algorithm>

#include "base/error.h"
#include "text/characters.h"
#include "text/plain_line.h"

namespace hexapla::decode {
namespace {

constexpr size_t kMostTermsOfSentence = 64;  // per sentence

void add_phrases(const text::Vocabulary& target, const PieceTexts& pieces, const LineConstraints& from,
                 SentenceConstraints& to) {
  check_utf8(from);
  for (const std::string& text : from.require) {
    Phrase p = writable_phrase(target, pieces, text, "`require`");
    const auto same = [&](const Requirement& other) { return other.forms->front().text == p.text; };
    if (std::none_of(to.required.begin(), to.required.end(), same))
      to.required.push_back({std::make_shared<const std::vector<Phrase>>(1, std::move(p))});
  }
  for (const std::string& text : from.forbid) to.forbidden.push_back(make_phrase(pieces, text, "`forbid`"));
  int64_t tokens = 0;
  for (const Requirement& r : to.required) {
    const std::string& required = r.forms->front().text;
    tokens += r.tokens();
    for (const Phrase& forbidden : to.forbidden)
      if (must_not_stand_in(forbidden, required, Ending::closed))
        throw UsageError(cat("'", required, "' is required, and '", forbidden.text,
                             "', which is part of it, is forbidden; leave one of them out"));
  }
  if (tokens > 999)
    throw UsageError(cat("the phrases of `require` have ", tokens,
                         " tokens, but at most 999 can be required per sentence; require fewer"));
}

}  // namespace

void check_writable(const PieceTexts& pieces, const Glossary* glossary) {
  for (const Glossary::Term* term : glossary ? glossary->terms() : std::vector<const Glossary::Term*>()) {
    std::string why;
    const bool none = std::all_of(term->forms.begin(), term->forms.end(), [&](const std::string& form) {
      try {
        check_writable(pieces, pieces.normalized(form), cat("'", term->source, "' as"));
        return false;
      } catch (const UsageError& e) {
        if (why.empty()) why = e.what();
        return true;
      }
    });
    if (none) throw UsageError(cat("glossary, entry ", term->place + 1, ": ", why), "glossary", term->source);
  }
}

ConstraintMaker::ConstraintMaker(const text::Vocabulary& target, const PieceTexts& pieces,
                                 const LineConstraints& everywhere)
    : target_(target), pieces_(pieces), glossary_(everywhere.glossary) {
  add_phrases(target_, pieces_, everywhere, everywhere_);
}

SentenceConstraints ConstraintMaker::make(const LineConstraints& own, uint64_t line) const {
  SentenceConstraints r = everywhere_;
  r.line = line;
  set_prefix(own.prefix, r);
  add_phrases(target_, pieces_, own, r);
  return r;
}

void ConstraintMaker::set_prefix(const std::string& prefix, SentenceConstraints& to) const {
  to.prefix = pieces_.normalized(prefix);
  to.prefix_tokens = to.prefix.empty() ? 0 : pieces_.most_tokens(to.prefix) + 1;  // one that adds nothing
}

void ConstraintMaker::hide_in_prefix(const LineConstraints& own, const text::ProtectedText& hidden,
                                     SentenceConstraints& to) const {
  // Letters with which the model has a word; it would have to spell others.
  const auto word = [&](std::string_view begun) {
    const std::vector<text::Character> all = text::characters_of(begun);
    const bool letters = std::none_of(all.begin(), all.end(),
                                      [](const text::Character& c) { return c.kind == text::CharacterKind::other; });
    return letters && pieces_.begins_word(begun);
  };
  auto [text, spans] = hidden.beginning(text::plain_line(own.prefix), word);
  if (spans.empty()) return;
  to.word_ends = spans.back().to == text.size();
  std::string seen = text::ProtectedText(text, spans).text();
  if (!seen.empty() && text.ends_with(' ')) seen += ' ';
  set_prefix(seen, to);
  to.written = std::move(text);
  to.names = std::move(spans);
}

ConstraintMaker::Forms ConstraintMaker::forms_of(const Glossary::Term& term,
                                                 const std::function<void(const std::string& what)>& warn) {
  Forms& known = forms_[&term];
  if (known) return known;
  std::vector<std::string> forms;
  std::string why;
  for (const std::string& form : term.forms) {
    try {
      forms.push_back(writable_phrase(target_, pieces_, form, cat("glossary: '", term.source, "' as")).text);
    } catch (const UsageError& e) {
      if (why.empty()) why = e.what();
    }
  }
  if (forms.empty()) warn(why);
  return known = std::make_shared<const std::vector<std::string>>(std::move(forms));
}

void ConstraintMaker::add_terms(const LineConstraints& own, const std::string& sentence, SentenceConstraints& to,
                                const std::function<void(const std::string& what)>& warn) {
  const std::shared_ptr<const Glossary>& glossary = own.glossary ? own.glossary : glossary_;
  if (!glossary) return;
  std::vector<Glossary::Found> terms = glossary->terms_in(sentence, kMostTermsOfSentence + 1);
  if (terms.size() > kMostTermsOfSentence) {
    warn(cat("a sentence has more than ", kMostTermsOfSentence,
             " terms of the glossary; only the first were looked at"));
    terms.pop_back();
  }
  for (const auto& [term, place] : terms)
    if (const Forms forms = forms_of(*term, warn); !forms->empty()) to.terms.push_back({place, term->source, forms});
}

}  // namespace hexapla::decode
