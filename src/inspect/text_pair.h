#pragma once
// A pair of sentences for an inspection, from text.
#include <optional>

#include "decode/search_options.h"
#include "decode/text/line_encoder.h"
#include "inspect/recorder.h"

namespace hexapla::inspect {

// A model with its two vocabularies. Borrows.
struct ModelText {
  Backend& backend;
  const model::Transformer& model;
  const text::Vocabulary& source;
  const text::Vocabulary& target;
};

constexpr size_t kLongest = 512;  // tokens of a side: every weight of every head of every layer is kept, [n, m]

// UsageError: more tokens than that.
void check_length(const text::Ids& ids, const char* side, size_t longest = kLongest);
// As the encoder reads it, without a language that it chooses (decode::opened_line). Warns as decode::LineEncoder.
// UsageError: without tokens (which names it), or too long.
text::Ids read_source(const ModelText& m, const std::string& source, const decode::LineWarning& warn,
                      size_t longest = kLongest, const char* name = "the source");
// A translation of it, as the decoder reads it; opening: the token that it begins with (decode::OpenedLine). Warns;
// UsageError: too long.
text::Ids read_target(const ModelText& m, const std::string& target, std::optional<int32_t> opening,
                      const decode::LineWarning& warn, size_t longest = kLongest);
// The best translation of a search as the model's record says.
text::Ids best_translation(const ModelText& m, const text::Ids& source, std::optional<int32_t> opening,
                           const decode::SearchOptions& how);
// Without a target the source is translated. Warns; UsageError: a source without tokens, or a side that is too long.
Pair read_pair(const ModelText& m, const std::string& source, const std::optional<std::string>& target,
               const decode::SearchOptions& how, const decode::LineWarning& warn, size_t longest = kLongest);

std::vector<std::string> pieces(const text::Vocabulary& v, const text::Ids& ids);

}  // namespace hexapla::inspect
