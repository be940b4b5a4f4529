#pragma once
// An observer that keeps what it sees: every named intermediate of one pair of sentences.
#include <map>
#include <string>
#include <vector>

#include "backend/context.h"
#include "model/transformer.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::inspect {

struct Recorded {
  Shape shape;
  DType dtype = DType::f32;  // what the model computed it in
  std::vector<double> values;

  // Matrix h of [H, n, m], row after row. InternalError: another rank, or no such head.
  std::vector<double> head(int64_t h) const;
  std::vector<double> mean_head() const;  // the mean over the heads
};

Recorded recorded(Tensor t);  // f32 or f64; rows may be strided

// For a batch of one sentence. InternalError where two intermediates have one name.
class Recorder : public Observer {
 public:
  void observe(const std::string& name, Tensor value, Offsets rows) override;
  // Kept as scope.scores and scope.weights, [H, queries, keys].
  void observe_attention(const std::string& scope, int64_t b, Tensor scores, Tensor weights) override;

  // As if it had been seen.
  void add(const std::string& name, Recorded value);

  const std::map<std::string, Recorded>& tensors() const { return tensors_; }
  const Recorded* find(const std::string& name) const;  // nullptr where nothing of this name was seen
  // InternalError where nothing of this name was seen; the message lists what was.
  const Recorded& get(const std::string& name) const;

 private:
  std::map<std::string, Recorded> tensors_;
};

// What one pair of sentences makes of a model, with teacher forcing: the decoder is fed <s> y and asked for y </s>.
struct Pair {
  text::Ids source, target;  // as the model gets them: the target without <s> and </s>
};
struct Inspection {
  Recorder seen;                    // with generator.log_probabilities [m + 1, V] and what add_attention_steps() adds
  std::vector<double> log_p;        // of every token of the target and of </s>
  text::Ids target_in, target_out;  // <s> y and y </s>
  double score = 0;                 // the sum of log_p
};
// InternalError: an empty source, or an id that the model has no embedding for.
Inspection inspect_pair(Backend& backend, const model::Transformer& model, const Pair& pair, int32_t bos, int32_t eos);

}  // namespace hexapla::inspect
