#pragma once
// An observer that records every named intermediate of one sentence pair.
#include <map>
#include <string>
#include <vector>

#include "backend/context.h"
#include "model/transformer.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::inspect {

struct Recorded {
  Shape shape;
  DType dtype = DType::f32;  // in which the model computed it
  std::vector<double> values;

  // Matrix h of [H, n, m], row-major. InternalError: another rank, or no such head.
  std::vector<double> head(int64_t h) const;
  std::vector<double> mean_head() const;  // the mean over the heads
};

Recorded recorded(Tensor t);  // f32 or f64; rows may be strided

// For a batch of one sentence. InternalError: two intermediates with the same name.
class Recorder : public Observer {
 public:
  void observe(const std::string& name, Tensor value, Offsets rows) override;
  // Recorded as scope.scores and scope.weights, [H, queries, keys].
  void observe_attention(const std::string& scope, int64_t b, Tensor scores, Tensor weights) override;

  // Adds a tensor as if it had been observed.
  void add(const std::string& name, Recorded value);

  const std::map<std::string, Recorded>& tensors() const { return tensors_; }
  const Recorded* find(const std::string& name) const;  // nullptr: not recorded
  // InternalError, listing what was recorded: not recorded.
  const Recorded& get(const std::string& name) const;

 private:
  std::map<std::string, Recorded> tensors_;
};

// A sentence pair for teacher forcing: the decoder's input is <s> y, its expected output y </s>.
struct Pair {
  text::Ids source, target;  // as the model gets them, but the target without <s> and </s>
};
struct Inspection {
  Recorder seen;                    // includes generator.log_probabilities [m + 1, V] and add_attention_steps()
  std::vector<double> log_p;        // of every target token and </s>
  text::Ids target_in, target_out;  // <s> y and y </s>
  double score = 0;                 // sum of log_p
};
// InternalError: an empty source, or an id without an embedding.
Inspection inspect_pair(Backend& backend, const model::Transformer& model, const Pair& pair, int32_t bos, int32_t eos);

}  // namespace hexapla::inspect
