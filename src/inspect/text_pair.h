#pragma once
// A pair of sentences for an inspection, from text.
#include <optional>

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
// As the encoder reads it. UsageError: without tokens, or too long.
text::Ids read_source(const ModelText& m, const std::string& source, size_t longest = kLongest);
// What beam search finds.
text::Ids best_translation(const ModelText& m, const text::Ids& source);
// Without a target the source is translated. UsageError: a source without tokens, or a side that is too long.
Pair read_pair(const ModelText& m, const std::string& source, const std::optional<std::string>& target,
               size_t longest = kLongest);

std::vector<std::string> pieces(const text::Vocabulary& v, const text::Ids& ids);

}  // namespace hexapla::inspect
