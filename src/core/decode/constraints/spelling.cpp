#include "decode/constraints/spelling.h"

#include <algorithm>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::decode {

Spelling::Spelling(const PieceTexts& pieces, std::string_view phrase, const text::Ids& usual) : phrase_(phrase) {
  std::string text;
  for (const int32_t id : usual) text += id == pieces.unk() ? "\n" : pieces[id];
  const bool spells = text == phrase || text == cat(" ", phrase) || text == cat(phrase, " ");
  if (spells && spell(pieces, text, usual)) return;
  for (const std::string& other : {cat(" ", phrase), cat(phrase, " "), phrase_})
    if (spell(pieces, other, {})) return;
  steps_.clear();
}

bool Spelling::spell(const PieceTexts& pieces, std::string text, const text::Ids& usual) {
  text_ = std::move(text);
  blank_ = text_.starts_with(' ') ? 1 : 0;
  steps_.assign(text_.size() + 1, {});
  steps_.back().left = 0;
  for (size_t at = text_.size(), i = usual.size(); i-- > 0;) {
    at -= pieces[usual[i]].size();
    steps_[at] = {std::ssize(usual) - static_cast<int64_t>(i), usual[i]};
  }
  for (size_t at = text_.size(); at-- > 0;) {
    if (steps_[at].next >= 0) continue;
    const std::string_view rest = std::string_view(text_).substr(at);
    for (size_t n = std::min(rest.size(), pieces.longest()); n > 0; --n)
      if (const int32_t id = pieces.piece_of(rest.substr(0, n)); id >= 0 && steps_[at + n].left + 1 < steps_[at].left)
        steps_[at] = {steps_[at + n].left + 1, id};
  }
  return steps_.front().left < kNever;
}

Spelling::Step Spelling::after(std::string_view text, bool begun) const {
  for (size_t n = std::min(phrase_.size() - 1, text.size()); n > 0; --n) {
    if (text.back() != phrase_[n - 1] || !text.ends_with(std::string_view(phrase_).substr(0, n))) continue;
    const std::string_view before = text.substr(0, text.size() - n);
    const Step& step = steps_[blank_ + n];
    if (step.left < kNever && text::word_boundary(cat(before, phrase_), before.size())) return step;
  }
  const bool blank_there = text.ends_with(' ') || (text.empty() && begun);
  return blank_there && steps_[blank_].left < kNever ? steps_[blank_] : steps_.front();
}

}  // namespace hexapla::decode
