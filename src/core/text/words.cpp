#include "text/words.h"

#include <utf8proc.h>

#include <algorithm>

#include "base/unicode_scripts.h"
#include "text/ascii.h"

namespace hexapla::text {
namespace {

// Invisible characters, which neither end a word nor form one.
bool unseen(utf8proc_int32_t c) { return (c >= 0x200B && c <= 0x200D) || c == 0x2060 || c == 0xFEFF; }

// Splits a blank-separated string before and after characters of scripts without blanks.
class Cutter {
 public:
  explicit Cutter(std::vector<std::string_view>& to) : all_(to) {}

  void cut(std::string_view text) {
    size_t begin = 0;
    before_ = -1;
    for (size_t at = 0; at < text.size();) {
      utf8proc_int32_t c = -1;
      const auto n = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + at,
                                      static_cast<utf8proc_ssize_t>(text.size() - at), &c);
      if (begins_word(n > 0 ? c : 0xFFFD) && at > begin) {
        all_.push_back(text.substr(begin, at - begin));
        begin = at;
      }
      at += n > 0 ? static_cast<size_t>(n) : 1;
    }
    all_.push_back(text.substr(begin));
  }

 private:
  bool begins_word(utf8proc_int32_t c) {
    if (before_ < 0) state_ = 0;
    const bool inside_character = before_ >= 0 && !utf8proc_grapheme_break_stateful(before_, c, &state_);
    before_ = c;
    if (inside_character || unseen(c)) return false;
    const bool was_alone = alone_;
    alone_ = writes_no_blanks(static_cast<char32_t>(c)) || is_wide_mark(static_cast<char32_t>(c));
    return alone_ || was_alone;
  }

  std::vector<std::string_view>& all_;
  utf8proc_int32_t before_ = -1, state_ = 0;
  bool alone_ = false;  // the last character that was not a mark of another one
};

// Such characters have three bytes or more, from U+0E00 on.
bool may_be_cut(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xE0; });
}

}  // namespace

std::vector<std::string_view> words(std::string_view text, WordEnds ends) {
  std::vector<std::string_view> all;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && !ascii::is_space(text[end])) ++end;
    const std::string_view between = text.substr(i, end - i);
    if (ends == WordEnds::by_script && may_be_cut(between))
      Cutter(all).cut(between);
    else if (end > i)
      all.push_back(between);
    i = end + 1;
  }
  return all;
}

std::vector<WordSpan> words_of_tokens(std::string_view text, std::span<const TokenSpan> tokens, WordEnds ends) {
  const std::vector<std::string_view> all = words(text, ends);
  std::vector<WordSpan> out(tokens.size(), 0);
  if (all.empty()) return out;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const char *from = text.data() + tokens[i].from, *to = text.data() + tokens[i].to;
    auto word = std::partition_point(all.begin(), all.end() - 1,
                                     [&](std::string_view w) { return w.data() + w.size() <= from; });
    out[i].first = static_cast<int32_t>(word - all.begin());
    while (word + 1 != all.end() && word[1].data() == word->data() + word->size() && word[1].data() < to) ++word;
    out[i].last = static_cast<int32_t>(word - all.begin());
  }
  return out;
}

}  // namespace hexapla::text
