#include "decode/constraints/phrases.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

// Removes the blank that the vocabulary puts before every text, for scripts without blanks.
void drop_blank(text::Ids& ids, std::string_view phrase, const PieceTexts& pieces) {
  if (ids.empty() || !pieces[ids[0]].starts_with(' ')) return;
  if (pieces[ids[0]] == " ") {
    ids.erase(ids.begin());
    return;
  }
  ids.clear();
  for (std::string_view rest = phrase; !rest.empty();) {
    int32_t best = pieces.unk();
    size_t longest = 0;
    for (int32_t id = 0; id < pieces.size(); ++id)
      if (pieces[id].size() > longest && rest.starts_with(pieces[id])) best = id, longest = pieces[id].size();
    ids.push_back(best);
    rest.remove_prefix(std::max<size_t>(longest, 1));
  }
}

// Calls f(from, to) for the places of the phrase that begin and end whole words until it returns
// true; whether it did. ends(end): whether a word ends there.
template <class Ends, class F>
bool any_place(const Phrase& phrase, std::string_view text, size_t from, Ends&& ends, F&& f) {
  const size_t n = phrase.text.size();
  for (size_t at = text.find(phrase.text, from > n ? from - n : 0); at != std::string_view::npos;
       at = text.find(phrase.text, at + 1))
    if (ends(at + n) && text::word_boundary(text, at) && f(at, at + n)) return true;
  return false;
}

// The first place of the requirement. taken: places of other requirements, to which its own is
// added.
std::optional<text::TokenSpan> place(const Requirement& r, std::string_view text, std::vector<text::TokenSpan>& taken) {
  std::optional<text::TokenSpan> found;
  const auto take = [&](size_t from, size_t to) {
    const auto overlaps = [&](const text::TokenSpan& other) { return from < other.to && other.from < to; };
    if (r.apart && std::any_of(taken.begin(), taken.end(), overlaps)) return false;
    found = {from, to};
    if (r.apart) taken.push_back(*found);
    return true;
  };
  const auto ends = [&](size_t end) { return text::word_boundary(text, end); };
  for (const Phrase& form : *r.forms)
    if (any_place(form, text, 0, ends, take)) break;
  return found;
}

// The number of bytes at the start of the text, without blanks after them, that pieces can write.
size_t written_at_most(const PieceTexts& pieces, std::string_view text) {
  const std::string all = cat(" ", text);
  std::vector<bool> reached(all.size() + 1);
  reached[0] = reached[1] = true;
  size_t most = 1;
  for (size_t at = 0; at < all.size(); ++at)
    for (size_t n = 1; reached[at] && n <= std::min(all.size() - at, pieces.longest()); ++n)
      if (pieces.piece_of(std::string_view(all).substr(at, n)) >= 0)
        reached[at + n] = true, most = std::max(most, at + n);
  most = std::min(all.find_first_not_of(' ', most), all.size() - 1);
  return most - 1;
}

}  // namespace

Phrase make_phrase(const PieceTexts& pieces, const std::string& text, const std::string& option) {
  Phrase p{pieces.normalized(text), {}};
  p.text.erase(0, p.text.find_first_not_of(' '));
  while (p.text.ends_with(' ')) p.text.pop_back();
  if (p.text.empty()) throw UsageError(cat(option, " '", text, "' is blank; give one or more words"));
  return p;
}

Phrase writable_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                       const std::string& option) {
  Phrase p = make_phrase(pieces, text, option);
  // Byte-level BPE puts no blank before a text, but a phrase usually follows a word.
  text::Ids usual = target.encode(target.byte_level() ? cat(" ", p.text) : text::plain_line(text));
  std::erase_if(usual, [&](int32_t id) { return pieces[id].empty(); });  // the language of a multilingual model
  if (text::begins_without_blank(p.text)) drop_blank(usual, p.text, pieces);
  p.spelling = Spelling(pieces, p.text, usual);
  if (!p.spelling.possible()) check_writable(pieces, p.text, option);
  return p;
}

void check_writable(const PieceTexts& pieces, std::string_view text, const std::string& option) {
  if (pieces.has_characters(text) || Spelling(pieces, text).possible()) return;
  const std::string_view rest = text.substr(written_at_most(pieces, text));
  throw UsageError(cat(option, " '", text, "': the model has no piece for '",
                       rest.substr(0, text::character_bytes(rest)),
                       "' and cannot write it; leave the phrase out or spell it differently"));
}

bool stands_in(const Phrase& phrase, std::string_view text, size_t from) {
  const auto ends = [&](size_t end) { return text::word_boundary(text, end); };
  return any_place(phrase, text, from, ends, [](size_t, size_t) { return true; });
}

bool must_not_stand_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from) {
  const auto ends = [&](size_t end) {
    const bool boundary = end < text.size() ? text::word_boundary(text, end) : ending == Ending::closed;
    return boundary || text::word_ends(text.substr(0, end));
  };
  return any_place(phrase, text, from, ends, [](size_t, size_t) { return true; });
}

int64_t Requirement::tokens() const {
  int64_t most = 0;
  for (const Phrase& form : *forms) most = std::max(most, form.spelling.tokens());
  return most;
}

std::vector<text::TokenSpan> places(std::span<const Requirement> required, std::string_view text) {
  std::vector<text::TokenSpan> all, taken;
  for (const Requirement& r : required)
    if (const auto there = place(r, text, taken)) all.push_back(*there);
  return all;
}

Met met(std::span<const Requirement> required, const TextSoFar& so_far) {
  Met m;
  int64_t furthest = 0;
  std::vector<text::TokenSpan> taken;
  for (const Requirement& r : required) {
    if (place(r, so_far.text, taken)) {
      m.tokens += r.tokens();
      continue;
    }
    m.all = false;
    for (const Phrase& form : *r.forms) {
      const Spelling::Step step = form.spelling.after(so_far.text, so_far.begun);
      furthest = std::max(furthest, form.spelling.tokens() - step.left);
      m.next.push_back(step.next);
    }
  }
  m.tokens += furthest;
  return m;
}

}  // namespace hexapla::decode
