#include "evaluate/tokenization/tokenizers.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "evaluate/tokenization/mecab.h"
#include "evaluate/tokenization/rewrite.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {
namespace {

// sacreBLEU's CJK blocks. Two of its ranges are strings with five hexadecimal digits that Python
// compares character by character: "\u20000".."\u2a6d6" and "\u2f800".."\u2fa1d" are in effect
// U+2001..U+2A6D and U+2F81..U+2FA1.
constexpr std::u32string_view kChinese =
    U"\u3400\u4db5\u4e00\u9fa5\u9fa6\u9fbb\uf900\ufa2d\ufa30\ufa6a\ufa70\ufad9\u2001\u2a6d\u2f81\u2fa1\uff00\uffef"
    U"\u2e80\u2eff\u3000\u303f\u31c0\u31ef\u2f00\u2fdf\u2ff0\u2fff\u3100\u312f\u31a0\u31bf\ufe10\ufe1f\ufe30\ufe4f"
    U"\u2600\u26ff\u2700\u27bf\u3200\u32ff\u3300\u33ff";

// The first letter of the general category; N, P and S match \p{N}, \p{P} and \p{S}.
char major_category(char32_t c) { return utf8proc_category_string(static_cast<utf8proc_int32_t>(c))[0]; }

// nullptr if the tokenizer does not use it.
const Mecab* mecab_of(std::string_view tokenizer) {
  if (tokenizer == "ja-mecab") return &Mecab::japanese();
  return tokenizer == "ko-mecab" ? &Mecab::korean() : nullptr;
}

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  std::string text = replaced(strip_right(line), "<skipped>", "");
  text = replaced(replaced(text, "-\n", ""), "\n", " ");
  return split(western_punctuation_apart(cat(" ", without_entities(text), " ")));
}

std::vector<std::string> tokenize_none(std::string_view line) { return split(line); }

std::vector<std::string> tokenize_char(std::string_view line) {
  std::vector<std::string> out;
  for (const char32_t c : code_points(line)) {
    if (!is_space(c)) out.push_back(to_utf8({&c, 1}));
  }
  return out;
}

std::vector<std::string> tokenize_intl(std::string_view line) {
  const auto punctuation = [](char32_t c) { return major_category(c) == 'P'; };
  const auto no_number = [](char32_t c) { return major_category(c) != 'N'; };
  std::u32string text = code_points(strip_right(line));
  text = replace_pairs(text, no_number, punctuation, pair_then_blank<char32_t>);
  text = replace_pairs(text, punctuation, no_number, blank_then_pair<char32_t>);
  return split(to_utf8(apart(text, [](char32_t c) { return major_category(c) == 'S'; })));
}

std::vector<std::string> tokenize_zh(std::string_view line) {
  const std::u32string text = code_points(strip(line));
  return split(western_punctuation_apart(to_utf8(apart(text, [](char32_t c) { return in_ranges(kChinese, c); }))));
}

std::vector<std::string> tokenize_ja_mecab(std::string_view line) { return Mecab::japanese().morphemes(line); }
std::vector<std::string> tokenize_ko_mecab(std::string_view line) { return Mecab::korean().morphemes(line); }

Tokenize bleu_tokenizer(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Tokenize>, 7> all{{{"13a", tokenize_13a},
                                                                      {"none", tokenize_none},
                                                                      {"intl", tokenize_intl},
                                                                      {"char", tokenize_char},
                                                                      {"zh", tokenize_zh},
                                                                      {"ja-mecab", tokenize_ja_mecab},
                                                                      {"ko-mecab", tokenize_ko_mecab}}};
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& known) { return known.first == name; });
  if (found == all.end())
    throw UsageError(
        cat("unknown tokenizer '", name, "'; allowed are 13a, none, intl, char, zh, ja-mecab and ko-mecab"), "tokenize",
        std::string(name));
  if (const std::string missing = missing_for(name); !missing.empty())
    throw UsageError(missing, "tokenize", std::string(name));
  return found->second;
}

std::string missing_for(std::string_view tokenizer) {
  const Mecab* mecab = mecab_of(tokenizer);
  return mecab ? mecab->missing() : "";
}

std::string signature_of_tokenizer(std::string_view name) {
  const Mecab* mecab = mecab_of(name);
  return mecab ? mecab->signature() : std::string(name);
}

}  // namespace hexapla::evaluate
