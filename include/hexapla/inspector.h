#pragma once
// The internals of a model while it reads a pair of sentences, or searches for a translation.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/owned.h"
#include "hexapla/search_trace.h"
#include "hexapla/translator.h"

namespace hexapla {

struct NamedArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row by row
};

// Shapes the distribution to sample from: first softmax(logits / temperature), then only the fewest
// tokens with at least the probability top_p.
struct SamplingShape {
  double temperature = 1;  // above 0 to 1,000
  double top_p = 1;        // above 0 to 1
};

// Limits for an inspection's records.
struct InspectionOptions {
  std::vector<std::string> tensors{"*"};  // those whose values are kept (* matches any text); others have only a shape
  int longest = 512;                      // most tokens per side, 1 to 512: memory grows with the product of both sides
  std::size_t most_values = 0;            // most numbers in all of these tensors together; 0: no limit
  // The translation by its tokens, without <s> and </s> (Translation::tokens): its text may be split
  // otherwise.
  std::optional<std::vector<std::string>> target_tokens{};
  int top_tokens = 0;  // how many of the most probable tokens to give at each position, 0 to 100
  // The source by its tokens, as Inspection::source_tokens has them, in place of those of its text,
  // which then only tells the languages.
  std::optional<std::vector<std::string>> source_tokens{};
  std::optional<SamplingShape> sampling{};  // give the distributions to sample from (Inspection::sampled)
};

// A token that may follow.
struct NextToken {
  std::int64_t id = 0;
  std::string token;
  double logit = 0;
  double log_probability = 0;
};

// A distribution to sample from.
struct SampledFrom {
  std::int64_t size = 0;  // the number of tokens with a probability
  struct Share {
    std::int64_t id = 0;
    std::string token;
    double probability = 0;
  };
  std::vector<Share> tokens;  // best first, at most InspectionOptions::top_tokens
};

struct Inspection {
  std::vector<std::string> source_tokens;  // </s> last
  std::vector<std::string> target_tokens;  // as the decoder reads them, starting with <s>
  std::vector<std::string> predicted;      // the tokens to predict, ending with </s>
  std::vector<double> log_probabilities;   // of each predicted token
  double score = 0;                        // their sum
  // The most probable tokens at each of these positions, best first (InspectionOptions::top_tokens).
  std::vector<std::vector<NextToken>> top;
  std::vector<SampledFrom> sampled;  // at each of these positions, if InspectionOptions::sampling is given
  // All intermediates by their place in the model: "encoder.layers.0.self_attention.weights"
  // [heads, queries, keys], "decoder.layers.1.cross_attention.q" [tokens, width],
  // "generator.log_probabilities" [tokens, vocabulary].
  std::map<std::string, NamedArray> tensors;
  std::vector<std::string> warnings;  // about the text: invalid UTF-8, letters missing from the vocabulary
};

// An experiment: a trained model from which a part is taken away.
struct RemovedHead {
  std::string attention;  // "encoder" or "decoder": self-attention; "cross": of the decoder over the encoder's output
  std::int64_t layer = 1, head = 1;
};
struct ModelChanges {
  bool scale = true;                       // false: scores are not divided by sqrt(d_k)
  bool mask = true;                        // false: the decoder's tokens see later ones
  bool positions = true;                   // false: no positional encodings
  std::vector<RemovedHead> removed_heads;  // their parts of the output are 0
};

// The const functions are thread-safe.
class Inspector {
 public:
  // As for Translator, or a checkpoint of a training: run/checkpoints/update-00001200.
  HEXAPLA_API explicit Inspector(const std::string& model_path);
  HEXAPLA_API ~Inspector();
  HEXAPLA_API Inspector(Inspector&&) noexcept;
  HEXAPLA_API Inspector& operator=(Inspector&&) noexcept;

  // Uses teacher forcing. If target is empty, the source is translated first. UsageError: empty
  // source, or more than 512 tokens on a side.
  HEXAPLA_API Inspection inspect(const std::string& source, const std::string& target = "") const;
  // The same, keeping only what options select. UsageError also if their limits of tokens or
  // numbers are exceeded, or target_tokens has a token that the vocabulary lacks or is given in
  // addition to a target.
  HEXAPLA_API Inspection inspect(const std::string& source, const std::string& target,
                                 const InspectionOptions& options) const;
  // How this model computes a tensor of an inspection from others: "softmax(scores), by row". "":
  // unknown tensor.
  HEXAPLA_API std::string formula(const std::string& tensor) const;
  // Plain beam search, in f32. UsageError: an empty source or one of more than options.max_length
  // tokens, or options of another kind of search (sampling, a minimum length, rules on repeats and
  // unknown tokens, a coverage penalty).
  HEXAPLA_API SearchTrace trace(const std::string& source, const TranslatorOptions& options = {}) const;
  // The best translation by the search recorded in the model, in f32. Of the options, only those of
  // the source count. Without a mask, each step computes every hypothesis from its first token on,
  // and token_scores are those of the tokens when they were chosen. Errors as inspect().
  HEXAPLA_API Translation translation(const std::string& source, const InspectionOptions& options = {}) const;
  // An inspector of the changed model. It shares the unchanged weights with this one, also after this
  // one is gone. UsageError: the model has no such part.
  HEXAPLA_API Inspector changed(const ModelChanges& changes) const;
  // The attention maps of one sublayer, such as "encoder.layers.0.self_attention" or
  // "decoder.layers.1.cross_attention", as an SVG picture. UsageError: unknown sublayer, or the
  // inspection has not kept the values of its weights and scores.
  HEXAPLA_API static std::string draw_attention(const Inspection& inspection, const std::string& sublayer);

 private:
  struct Impl;
  explicit Inspector(std::unique_ptr<Impl> impl);
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
