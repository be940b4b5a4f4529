#include "decode/constraints/phrases.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

// Removes the blank that the vocabulary puts before every text, for scripts without blanks.
void drop_blank(text::Ids& ids, const Phrase& phrase, const PieceTexts& pieces) {
  if (ids.empty() || !pieces[ids[0]].starts_with(' ')) return;
  if (pieces[ids[0]] == " ") {
    ids.erase(ids.begin());
    return;
  }
  ids.clear();
  for (std::string_view rest = phrase.text; !rest.empty();) {
    int32_t best = pieces.unk();
    size_t longest = 0;
    for (int32_t id = 0; id < pieces.size(); ++id)
      if (pieces[id].size() > longest && rest.starts_with(pieces[id])) best = id, longest = pieces[id].size();
    ids.push_back(best);
    rest.remove_prefix(std::max<size_t>(longest, 1));
  }
}

// The number of the phrase's first tokens that ids end with.
size_t begun(const text::Ids& phrase, const text::Ids& ids) {
  for (size_t n = std::min(phrase.size() - 1, ids.size()); n > 0; --n)
    if (std::equal(phrase.begin(), phrase.begin() + static_cast<std::ptrdiff_t>(n),
                   ids.end() - static_cast<std::ptrdiff_t>(n)))
      return n;
  return 0;
}

// Calls f(from, to) for the places of the phrase until it returns true; whether it did.
template <class F>
bool any_place(const Phrase& phrase, std::string_view text, Ending ending, size_t from, F&& f) {
  const size_t n = phrase.text.size();
  for (size_t at = text.find(phrase.text, from > n ? from - n : 0); at != std::string_view::npos;
       at = text.find(phrase.text, at + 1)) {
    const size_t end = at + n;
    const bool ends =
        end < text.size() ? text::word_boundary(text, end) : ending == Ending::closed || text::word_ends(text);
    if (ends && text::word_boundary(text, at) && f(at, end)) return true;
  }
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
  for (const Phrase& form : *r.forms)
    if (any_place(form, text, Ending::closed, 0, take)) break;
  return found;
}

}  // namespace

Phrase make_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                   const std::string& option) {
  // Byte-level BPE puts no blank before a text, but a phrase usually follows a word.
  const char* before = target.byte_level() ? " " : "";
  Phrase p{pieces.normalized(text), target.encode(cat(before, text::plain_line(text)))};
  while (p.text.ends_with(' ')) p.text.pop_back();
  if (p.text.empty()) throw UsageError(cat(option, " '", text, "' is blank; give one or more words"));
  if (text::begins_without_blank(p.text)) drop_blank(p.ids, p, pieces);
  return p;
}

Phrase writable_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                       const std::string& option) {
  Phrase p = make_phrase(target, pieces, text, option);
  check_writable(pieces, p.text, option);
  return p;
}

void check_writable(const PieceTexts& pieces, std::string_view text, const std::string& option) {
  for (size_t at = 0; at < text.size(); at += text::character_bytes(text.substr(at))) {
    const std::string_view rest = text.substr(at);
    if (rest[0] != ' ' && pieces.unwritable(rest) > 0)
      throw UsageError(cat(option, " '", text, "': the model has no piece for '",
                           rest.substr(0, text::character_bytes(rest)),
                           "' and cannot write it; leave the phrase out or spell it differently"));
  }
}

bool stands_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from) {
  return any_place(phrase, text, ending, from, [](size_t, size_t) { return true; });
}

int64_t Requirement::tokens() const {
  size_t most = 0;
  for (const Phrase& form : *forms) most = std::max(most, form.ids.size());
  return static_cast<int64_t>(most);
}

std::vector<text::TokenSpan> places(std::span<const Requirement> required, std::string_view text) {
  std::vector<text::TokenSpan> all, taken;
  for (const Requirement& r : required)
    if (const auto there = place(r, text, taken)) all.push_back(*there);
  return all;
}

Met met(std::span<const Requirement> required, const text::Ids& ids, std::string_view text) {
  Met m;
  size_t longest = 0;
  std::vector<text::TokenSpan> taken;
  for (const Requirement& r : required) {
    if (place(r, text, taken)) {
      m.tokens += r.tokens();
      continue;
    }
    m.all = false;
    for (const Phrase& form : *r.forms) {
      const size_t n = begun(form.ids, ids);
      longest = std::max(longest, n);
      m.next.push_back(form.ids[n]);
    }
  }
  m.tokens += static_cast<int64_t>(longest);
  return m;
}

}  // namespace hexapla::decode
