#include "decode/constraints/phrases.h"

#include <algorithm>

#include "base/error.h"
#include "text/lines/plain_line.h"
#include "text/utf8.h"

namespace hexapla::decode {
namespace {

// The vocabulary puts a blank before every text, and in a script without blanks none belongs there.
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

// How many of the phrase's tokens stand at the end of ids.
size_t begun(const text::Ids& phrase, const text::Ids& ids) {
  for (size_t n = std::min(phrase.size() - 1, ids.size()); n > 0; --n)
    if (std::equal(phrase.begin(), phrase.begin() + static_cast<std::ptrdiff_t>(n),
                   ids.end() - static_cast<std::ptrdiff_t>(n)))
      return n;
  return 0;
}

}  // namespace

Phrase make_phrase(const text::Vocabulary& target, const PieceTexts& pieces, const std::string& text,
                   const std::string& option) {
  // Byte-level BPE puts no blank before a text, but a phrase mostly follows a word.
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
  for (size_t at = 0; at < p.text.size(); at += text::character_bytes(std::string_view(p.text).substr(at))) {
    const std::string_view rest = std::string_view(p.text).substr(at);
    if (rest[0] != ' ' && pieces.unwritable(rest) > 0)
      throw UsageError(cat(option, " '", text, "': the model has no piece for '",
                           rest.substr(0, text::character_bytes(rest)),
                           "' and cannot write it; leave the phrase out or spell it differently"));
  }
  return p;
}

bool stands_in(const Phrase& phrase, std::string_view text, Ending ending, size_t from) {
  const size_t n = phrase.text.size();
  for (size_t at = text.find(phrase.text, from > n ? from - n : 0); at != std::string_view::npos;
       at = text.find(phrase.text, at + 1)) {
    const size_t end = at + n;
    const bool ends =
        end < text.size() ? text::word_boundary(text, end) : ending == Ending::closed || text::word_ends(text);
    if (ends && text::word_boundary(text, at)) return true;
  }
  return false;
}

Met met(std::span<const Phrase> phrases, const text::Ids& ids, std::string_view text) {
  Met m;
  size_t longest = 0;
  for (const Phrase& p : phrases) {
    if (stands_in(p, text, Ending::closed)) {
      m.tokens += static_cast<int64_t>(p.ids.size());
      continue;
    }
    const size_t n = begun(p.ids, ids);
    longest = std::max(longest, n);
    m.all = false;
    m.next.push_back(p.ids[n]);
  }
  m.tokens += static_cast<int64_t>(longest);
  return m;
}

}  // namespace hexapla::decode
