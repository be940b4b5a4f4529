#pragma once
// Everything that happens in a model while it reads one pair of sentences, or looks for a translation.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/owned.h"
#include "hexapla/translator.h"

namespace hexapla {

struct NamedArray {
  std::vector<std::int64_t> shape;
  std::vector<double> values;  // row after row
};

// What an inspection keeps.
struct InspectionOptions {
  std::vector<std::string> tensors{"*"};  // those whose values are kept; * stands for any text. The others have a shape
  int longest = 512;                      // tokens of a side, 1 to 512: memory grows with the product of both sides
  std::size_t most_values = 0;            // numbers in all of these tensors together; 0: any number
};

struct Inspection {
  std::vector<std::string> source_tokens;  // </s> last
  std::vector<std::string> target_tokens;  // as the decoder reads them: <s> first
  std::vector<std::string> predicted;      // what it is asked for: </s> last
  std::vector<double> log_probabilities;   // of each predicted token
  double score = 0;                        // their sum
  // Every intermediate by its place in the model: "encoder.layers.0.self_attention.weights" [heads, queries, keys],
  // "decoder.layers.1.cross_attention.q" [tokens, width], "generator.log_probabilities" [tokens, vocabulary].
  std::map<std::string, NamedArray> tensors;
  std::vector<std::string> warnings;  // of the text: bytes that are not UTF-8, letters that the vocabulary lacks
};

// A continuation that a step of beam search weighs.
struct SearchCandidate {
  std::size_t beam = 0;        // the hypothesis of the step that it extends, from 0
  std::string token;           // </s> ends it
  double log_probability = 0;  // of the token alone
  double score = 0;            // of the hypothesis with this token
  double normalized = 0;       // the score divided by the length penalty, as finished hypotheses are compared
  std::string fate;  // "goes on", "finished", "too low" (ends, below the first beam_size), "beaten" (as many better
                     // ones go on) or "left" (would go on, but the search ends)
  std::string why;   // the same in words: "dropped: 4 better ones go on"
};

struct SearchHypothesis {
  std::vector<std::string> tokens;  // without <s> and </s>
  std::string text;
  double score = 0, normalized = 0;  // of one that is not finished, normalized is 0
};

struct SearchStep {
  std::vector<SearchHypothesis> beams;      // the hypotheses before it, best first
  std::vector<SearchCandidate> candidates;  // best first
};

// Beam search for the translation of one sentence, step by step.
struct SearchTrace {
  std::vector<std::string> source_tokens;  // </s> last
  std::vector<SearchStep> steps;
  std::string ending;  // "enough" (beam_size hypotheses are finished), "passed" (no live one can still pass the n_best
                       // finished ones) or "longest" (the longest length)
  std::string why;     // the same in words
  std::vector<SearchHypothesis> finished;  // what a Translator finds, best first
  std::vector<std::string> warnings;       // as Inspection has them
};

// The const functions may be called from several threads at once.
class Inspector {
 public:
  explicit Inspector(const std::string& model_path);  // as Translator's
  ~Inspector();
  Inspector(Inspector&&) noexcept;
  Inspector& operator=(Inspector&&) noexcept;

  // With teacher forcing. An empty target: the source is translated first. UsageError: an empty source, or more than
  // 512 tokens on a side.
  Inspection inspect(const std::string& source, const std::string& target = "") const;
  // The same, keeping only what is asked for. UsageError, too: more tokens on a side, or numbers, than options allow.
  Inspection inspect(const std::string& source, const std::string& target, const InspectionOptions& options) const;
  // How a tensor of an inspection follows from others, as this model computes it: "softmax(scores), by row". "": no
  // tensor has this name.
  std::string formula(const std::string& tensor) const;
  // Plain beam search, with weights in f32. UsageError: an empty source, one of more than options.max_length tokens, or
  // options of another search (sampling, a minimum length, rules on repeats and unknown tokens, a coverage penalty).
  SearchTrace trace(const std::string& source, const TranslatorOptions& options = {}) const;
  // The attention maps of one sublayer as an SVG picture: "encoder.layers.0.self_attention",
  // "decoder.layers.1.cross_attention". UsageError: there is no such sublayer, or the inspection has not kept the
  // values of its weights and scores.
  static std::string draw_attention(const Inspection& inspection, const std::string& sublayer);

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

}  // namespace hexapla
