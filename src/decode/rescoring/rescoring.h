#pragma once
// What is done with translations once they are found, by the attention that one forced pass shows
// (decode/rescoring/alignment.h): the coverage penalty, and unknown tokens written as what they came from.
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "decode/rescoring/aligner.h"

namespace hexapla::decode {

// beta * coverage() is added to `normalized`, and each sentence's hypotheses are sorted by it.
void add_coverage(const Aligner& align, std::span<const text::Ids> sources, std::span<std::vector<Hypothesis>> found,
                  double beta);

struct SourceTexts {
  std::span<const text::Ids> ids;  // with </s>
  std::span<const std::string> texts;
  const text::Vocabulary& vocabulary;
};
// For every hypothesis with unknown tokens what these came from, in their order. The pointers are those into `found`.
using Copies = std::unordered_map<const Hypothesis*, std::vector<std::string>>;
Copies copies(const Aligner& align, const SourceTexts& sources, const text::Vocabulary& target,
              std::span<const std::vector<Hypothesis>> found);

// What target token t came from: of the unknown source tokens the one that had most of its attention, since what one
// side cannot spell the other cannot either; where the source has none, the whole word (the characters, in a script
// without blanks) of the token that had most.
std::string source_of_unknown(const SoftAlignment& tokens, int64_t t, std::string_view text,
                              const text::EncodedText& source, int32_t unknown);

}  // namespace hexapla::decode
