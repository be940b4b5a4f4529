#pragma once
// Requests of the page that shows a model from inside: a request's JSON in, the answer's JSON out. docs/page.md and the
// server's description have the members.
#include "base/json.h"
#include "hexapla/inspector.h"

namespace hexapla::serve {

using Answer = nlohmann::ordered_json;  // its members keep their order

// Limits of one request: memory and time grow with them, and there are many requests.
constexpr int kLongestSide = 128;              // tokens of a side
constexpr int kWidestBeam = 16;                // hypotheses of a traced search
constexpr std::size_t kMostNumbers = 1 << 21;  // in one answer

// {"q", "t"?, "tensors"?} -> {"source_tokens", "target_tokens", "predicted", "log_probabilities", "score", "names":
// [{"name", "shape", "formula"}], "tensors": {name: {"shape", "values"}}}. Without "t" the text is translated first. A
// name in "tensors" may have * for any text; values go row after row, as short as f32 allows, null for -inf.
// UsageError: a member that is missing or of another type, too many tokens or numbers, a name that fits no tensor.
Answer inspect(const Inspector& inspector, const nlohmann::json& request);

// {"q", "options"?} -> {"source_tokens", "steps": [{"beams": [{"tokens", "text", "score"}], "candidates": [{"from",
// "token", "log_probability", "score", "normalized", "kept", "fate", "why"}]}], "ending", "why", "finished":
// [{"tokens", "text", "score", "normalized"}]}. UsageError: as above, or options of no plain beam search.
Answer trace(const Inspector& inspector, const nlohmann::json& request);

}  // namespace hexapla::serve
