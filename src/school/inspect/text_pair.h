#pragma once
// Reads a sentence pair for an inspection from text.
#include <optional>

#include "decode/lines/line_encoder.h"
#include "decode/options/search_options.h"
#include "decode/steps/hypothesis.h"
#include "inspect/recorder.h"

namespace hexapla::inspect {

// A model with its two vocabularies; does not own them.
struct ModelText {
  Backend& backend;
  const model::Transformer& model;
  const text::Vocabulary& source;
  const text::Vocabulary& target;
};

constexpr size_t kLongest = 512;  // tokens per side: keeps all weights of all heads and layers, [n, m]

// UsageError: more tokens.
void check_length(const text::Ids& ids, const char* side, size_t longest = kLongest);
// The source as the encoder reads it, without a language tag (decode::opened_line). Warns as
// decode::LineEncoder. UsageError, calling the source `name`: no tokens, or too long.
text::Ids read_source(const ModelText& m, const std::string& source, const decode::LineWarning& warn,
                      size_t longest = kLongest, const char* name = "the source");
// Its translation as the decoder reads it; opening: the token with which it begins
// (decode::OpenedLine). Warns; UsageError: too long.
text::Ids read_target(const ModelText& m, const std::string& target, std::optional<int32_t> opening,
                      const decode::LineWarning& warn, size_t longest = kLongest);
// The ids of these pieces; side: "source" or "target". UsageError: a piece that the vocabulary lacks, or too many.
text::Ids read_tokens(const text::Vocabulary& v, const std::vector<std::string>& tokens, size_t longest = kLongest,
                      const char* side = "target");
// The best translation that a search finds; without tokens if it finds none.
decode::Hypothesis best_hypothesis(const ModelText& m, const text::Ids& source, std::optional<int32_t> opening,
                                   const decode::SearchOptions& how);
// Its tokens.
text::Ids best_translation(const ModelText& m, const text::Ids& source, std::optional<int32_t> opening,
                           const decode::SearchOptions& how);
// Translates the source if there is no target. Warns; UsageError: a source without tokens, or a
// side that is too long.
Pair read_pair(const ModelText& m, const std::string& source, const std::optional<std::string>& target,
               const decode::SearchOptions& how, const decode::LineWarning& warn, size_t longest = kLongest);

std::vector<std::string> pieces(const text::Vocabulary& v, const text::Ids& ids);

}  // namespace hexapla::inspect
