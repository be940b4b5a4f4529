#pragma once
// Text, a vocabulary and a matching model configuration, for tests with text input and output.
#include "decode/lines/line_encoder.h"
#include "decode/test_models.h"

namespace hexapla::decode::test {

inline std::vector<std::string> made_up_lines(int n, uint64_t seed) {
  const std::vector<std::string> words{"ein", "Hund",   "läuft", "schnell", "über",
                                       "die", "Straße", "und",   "zwei",    "Katzen"};
  Random random(seed);
  std::vector<std::string> lines(n);
  for (std::string& line : lines)
    for (uint32_t i = 0, length = 1 + random.below(12); i < length; ++i)
      line += (i > 0 ? " " : "") + words[random.below(static_cast<uint32_t>(words.size()))];
  return lines;
}

inline const text::Vocabulary& vocabulary() {
  static const text::Vocabulary v = text::Vocabulary::train(made_up_lines(300, 1), {.size = 48});
  return v;
}

inline model::Config config() {
  model::Config c = small_config();
  c.source_vocab = c.target_vocab = vocabulary().size();
  c.tied = "none";  // a tied model with random weights tends to repeat itself
  return c;
}

struct Warnings {
  std::vector<std::string> all;
  LineWarning sink() {
    return [this](size_t line, const std::string& what) { all.push_back(cat(line, ": ", what)); };
  }
};

}  // namespace hexapla::decode::test
