#pragma once
// Uses the attention of a forced pass (decode/rescoring/alignment.h) after the search: for the
// coverage penalty, and to replace unknown tokens by their source text.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/rescoring/aligner.h"

namespace hexapla::decode {

// Adds beta * coverage() to `normalized` and sorts each sentence's hypotheses by it.
void add_coverage(const Aligner& align, std::span<const text::Ids> sources, std::span<std::vector<Hypothesis>> found,
                  double beta);

struct SourceTexts {
  std::span<const text::Ids> ids;  // with </s>
  std::span<const std::string> texts;
  const text::Vocabulary& vocabulary;
};
// The source text of each unknown token, in order, for every hypothesis with unknown tokens. Keys
// point into `found`.
using Copies = std::unordered_map<const Hypothesis*, std::vector<std::string>>;
Copies copies(const Aligner& align, const SourceTexts& sources, const text::Vocabulary& target,
              std::span<const std::vector<Hypothesis>> found);

// The source text for target token t: if the source has unknown tokens, the one with the most
// attention, because what one side cannot spell the other cannot either; otherwise the whole word
// (the characters, in a script without spaces) of the token with the most attention.
std::string source_of_unknown(const SoftAlignment& tokens, int64_t t, std::string_view text,
                              const text::EncodedText& source, int32_t unknown);

}  // namespace hexapla::decode
