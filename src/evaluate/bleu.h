#pragma once
// BLEU (Papineni et al. 2002), with the tokens, smoothing and numbers of sacreBLEU (Post 2018): 13a, exp, one
// reference. The case is kept unless asked otherwise.
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla {

struct BleuOptions {
  bool lowercase = false;  // sacreBLEU's -lc
};

struct BleuScore {
  double score = 0;                    // 0 .. 100
  std::array<double, 4> precisions{};  // in percent, smoothed, of 1- to 4-grams
  std::array<int64_t, 4> matches{}, totals{};
  double brevity_penalty = 0;
  int64_t hypothesis_length = 0, reference_length = 0;  // tokens
  std::string signature;  // "BLEU|nrefs:1|case:lc|eff:no|tok:13a|smooth:exp|version:hexapla-0.1.0"

  double ratio() const;      // hypothesis to reference length
  std::string text() const;  // "BLEU = 20.8 54.4/26.6/14.9/8.7 (BP = 1.000 ratio = 1.026 hyp_len = 628 ref_len = 612)"
};

// Detokenised text, one sentence an entry. DataError: no entry, or different counts.
BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                      const BleuOptions& options = {});

// The 13a tokens of a line (mteval-v13a as in sacreBLEU).
std::vector<std::string> tokenize_13a(std::string_view line);

}  // namespace hexapla
