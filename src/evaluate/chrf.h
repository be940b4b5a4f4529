#pragma once
// chrF2 (Popović 2015, 2016): F-score with beta 2 of character 1- to 6-grams, with the numbers of sacreBLEU.
#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace hexapla {

struct ChrfScore {
  double score = 0;  // 0 .. 100
  std::array<int64_t, 6> hypothesis_ngrams{}, reference_ngrams{}, matches{};
  std::string signature;  // "chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:hexapla-0.1.0"

  std::string text() const;  // "chrF2 = 52.1"
};

// Detokenised text, one sentence an entry; the case is kept. DataError: no entry, or different counts.
ChrfScore corpus_chrf(std::span<const std::string> hypotheses, std::span<const std::string> references);

}  // namespace hexapla
