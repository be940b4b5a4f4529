#pragma once
// Requests of the page that shows the inside of a model: JSON in, JSON out. docs/page.md and the
// server's API description document the members.
#include "base/json.h"
#include "hexapla/inspector.h"

namespace hexapla::serve {

using Answer = nlohmann::ordered_json;  // keeps the order of members

// Limits of one request, because memory and time grow with them.
constexpr int kLongestSide = 128;              // tokens per side
constexpr int kWidestBeam = 16;                // beam size of a trace
constexpr std::size_t kMostNumbers = 1 << 21;  // per answer
constexpr int kMostTop = 50;                   // most probable tokens per position

// {"q", "t" or "tokens"?, "tensors"?, "top"?, "distribution"?, "changes"?} -> {"source_tokens", "target_tokens",
// "predicted", "log_probabilities", "score", "names": [{"name", "shape", "formula"}], "tensors": {name: {"shape",
// "values"}}, "top": for each predicted token [{"id", "token", "logit", "log_probability"}]}.
// "tokens" are a translation's, as its answer lists them; without them and "t", translates first.
// "top" is how many of the most probable tokens to give at each position. Names in "tensors" may contain the wildcard
// *. With "distribution" ({"temperature", "top_p"}) the answer has what sampling draws from: "distribution": for each
// predicted token {"size", "tokens": [{"id", "token", "probability"}]}, at most "top" tokens. With "changes"
// (serve/look/changes.h) everything is the changed model's, and the answer has its best translation in "translation"
// and the model's own in "unchanged", {"text", "tokens", "log_probabilities", "score"}, both by the search recorded in
// the model. Values are in row-major order, with as few digits as f32 needs, null for -inf. UsageError: a member that
// is missing or of the wrong type, too many tokens or numbers, a name that matches no tensor.
Answer inspect(const Inspector& inspector, const nlohmann::json& request);

// {"q", "options"?, "changes"?} -> {"source_tokens", "steps": [{"beams": [{"tokens", "text", "score"}],
// "candidates": [{"from", "token", "log_probability", "score", "normalized", "kept", "fate",
// "why"}]}], "ending", "why", "finished": [{"tokens", "text", "score", "normalized"}]}. UsageError:
// as above, or options other than those of a plain beam search.
Answer trace(const Inspector& inspector, const nlohmann::json& request);

}  // namespace hexapla::serve
