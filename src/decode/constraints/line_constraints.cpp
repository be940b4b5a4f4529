#include "decode/constraints/line_constraints.h"

#include <algorithm>

#include "base/error.h"

namespace hexapla::decode {
namespace {

void add_phrases(const text::Vocabulary& target, const PieceTexts& pieces, const LineConstraints& from,
                 SentenceConstraints& to) {
  for (const std::string& text : from.require) {
    Phrase p = writable_phrase(target, pieces, text, "`require`");
    const auto same = [&](const Phrase& other) { return other.text == p.text; };
    if (std::none_of(to.required.begin(), to.required.end(), same)) to.required.push_back(std::move(p));
  }
  for (const std::string& text : from.forbid) to.forbidden.push_back(make_phrase(target, pieces, text, "`forbid`"));
  for (const Phrase& required : to.required)
    for (const Phrase& forbidden : to.forbidden)
      if (stands_in(forbidden, required.text, Ending::closed))
        throw UsageError(cat("'", required.text, "' is required, and '", forbidden.text,
                             "', which is part of it, is forbidden; leave one of them out"));
  size_t tokens = 0;
  for (const Phrase& p : to.required) tokens += p.ids.size();
  if (tokens > 999)
    throw UsageError(cat("the phrases of `require` have ", tokens,
                         " tokens, but at most 999 can be required per sentence; require fewer"));
}

}  // namespace

ConstraintMaker::ConstraintMaker(const text::Vocabulary& target, const PieceTexts& pieces,
                                 const LineConstraints& everywhere)
    : target_(target), pieces_(pieces) {
  add_phrases(target_, pieces_, everywhere, everywhere_);
}

SentenceConstraints ConstraintMaker::make(const LineConstraints& own, uint64_t line) const {
  SentenceConstraints r = everywhere_;
  r.line = line;
  r.prefix = pieces_.normalized(own.prefix);
  r.prefix_tokens = pieces_.most_tokens(r.prefix);
  add_phrases(target_, pieces_, own, r);
  return r;
}

}  // namespace hexapla::decode
