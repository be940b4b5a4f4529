#include "evaluate/tokenization/choose_tokenizer.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdint>

#include "base/error.h"
#include "base/unicode_scripts.h"
#include "evaluate/tokenization/tokenizers.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

// Chinese has occasional kana in names; in Japanese, about half the characters are kana.
constexpr int64_t kJapaneseAtLeast = 10;  // one kana per this number of Han and kana characters

bool is_letter(char32_t c) {
  const auto kind = utf8proc_category(static_cast<utf8proc_int32_t>(c));
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

struct Counts {
  int64_t han = 0, kana = 0, hangul = 0, thai = 0, others = 0;  // characters; others: runs of letters

  void add(const std::string& line) {
    bool inside = false;  // a run of other letters
    for (const char32_t c : code_points(line)) {
      const Script script = script_of(c);
      const bool other = script == Script::other && is_letter(c);
      others += other && !inside;
      inside = other;
      han += script == Script::han;
      kana += script == Script::kana;
      hangul += script == Script::hangul;
      thai += script == Script::thai;
    }
  }
};

TokenizerChoice if_there(const char* name, const char* otherwise, const char* language) {
  std::string missing = missing_for(name);
  return {missing.empty() ? name : otherwise, language, missing};
}

}  // namespace

TokenizerChoice tokenizer_for(std::span<const std::string> references) {
  Counts n;
  for (const std::string& line : references) n.add(line);
  const int64_t east = n.han + n.kana, most = std::max({east, n.hangul, n.thai, n.others});
  if (most == n.others) return {"13a", "", ""};
  if (most == n.thai) return {"char", "Thai, Lao, Khmer, Burmese or Tibetan", ""};
  if (most == n.hangul) return if_there("ko-mecab", "13a", "Korean");
  if (n.kana * kJapaneseAtLeast < east) return {"zh", "Chinese", ""};
  return if_there("ja-mecab", "char", "Japanese");
}

std::string text_of(const TokenizerChoice& c) {
  if (c.language.empty()) return "";
  return cat("the references are ", c.language, ", so BLEU uses the tokenizer ", c.name,
             c.missing.empty() ? "" : cat("; ", c.missing));
}

}  // namespace hexapla::evaluate
