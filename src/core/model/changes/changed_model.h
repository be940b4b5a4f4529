#pragma once
// Experiments with a trained model: the same weights, but a part of the model is taken away.
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::model {

// A head whose part of the output becomes 0: its rows of W^O are 0.
struct RemovedHead {
  std::string attention;  // "encoder" or "decoder": self-attention; "cross": of the decoder over the encoder's output
  int64_t layer = 1, head = 1;
};

struct Changes {
  bool scale = true;      // false: scores are not divided by sqrt(d_k)
  bool mask = true;       // false: the decoder's tokens see later ones
  bool positions = true;  // false: no positional encodings
  std::vector<RemovedHead> removed_heads = {};
};

// The changed model. It borrows the numbers of `model`, which must outlive it, and owns only those
// that differ; its vocabularies and its usage are copies. model: from load_model(). UsageError: the
// model has no such part, or the change changes nothing.
LoadedModel changed_model(const LoadedModel& model, const Changes& changes);

}  // namespace hexapla::model
