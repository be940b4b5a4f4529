#pragma once
// A small translator of made-up words with random weights, for the tests of this folder.
#include <gtest/gtest.h>

#include "decode/constraints/phrases.h"
#include "decode/test_models.h"
#include "decode/text/translator.h"

namespace hexapla::decode::test {

inline const std::vector<std::string> kPhraseWords{"ein",    "Hund", "läuft", "schnell", "über",   "die",
                                                   "Straße", "und",  "zwei",  "Katzen",  "Hündin", "Katze"};

inline std::vector<std::string> phrase_lines(int n, uint64_t seed) {
  Random random(seed);
  std::vector<std::string> lines(n);
  for (std::string& line : lines)
    for (uint32_t i = 0, length = 1 + random.below(9); i < length; ++i)
      line += (i > 0 ? " " : "") + kPhraseWords[random.below(static_cast<uint32_t>(kPhraseWords.size()))];
  return lines;
}

inline const text::Vocabulary& phrase_vocabulary() {
  static const text::Vocabulary v = text::Vocabulary::train(phrase_lines(300, 1), {.size = 56});
  return v;
}
inline const PieceTexts& phrase_pieces() {
  static const PieceTexts p(phrase_vocabulary());
  return p;
}

inline model::Config phrase_config() {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = phrase_vocabulary().size();
  c.tied = "none";
  return c;
}

class WithTranslator : public testing::Test {
 protected:
  WithTranslator() { m_.set_bias(phrase_vocabulary().eos(), -2); }
  std::vector<std::string> texts(const Lines& lines, const TranslateOptions& options) {
    std::vector<std::string> best;
    warnings_ = 0;
    for (const auto& t : translator_.translate(lines, options, [&](size_t, const std::string&) { ++warnings_; }))
      best.push_back(t.at(0).text);
    return best;
  }
  TestModel m_{phrase_config()};
  std::unique_ptr<Backend> backend_ = m_.on_backend();
  TextTranslator translator_{m_.model, phrase_vocabulary(), phrase_vocabulary(), *backend_};
  TranslateOptions options_{.search = {.extra_length = 8}};
  int warnings_ = 0;
};

inline bool has(const std::string& text, const std::string& phrase) { return stands_in({phrase, {}}, text); }
inline Phrase phrase(const std::string& text) {
  return writable_phrase(phrase_vocabulary(), phrase_pieces(), text, "phrase");
}
inline Requirement any_of(std::vector<Phrase> forms, bool apart = false) {
  return {std::make_shared<const std::vector<Phrase>>(std::move(forms)), apart};
}

}  // namespace hexapla::decode::test
