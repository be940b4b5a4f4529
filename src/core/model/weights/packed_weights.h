#pragma once
#include "model/weights/model_file.h"

namespace hexapla::model {

// Packs the weights of a model of load_to_translate, because decoding multiplies a few rows by each
// of them again and again. 16-bit weights are converted to f32 for that, one at a time. Each
// parameter owns its packed copy. Weights that are needed only as copies are freed: from then on
// the model can only translate and score, on backends of this kind.
void pack_weights(Backend& backend, LoadedModel& model);

}  // namespace hexapla::model
