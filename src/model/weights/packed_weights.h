#pragma once
#include "model/weights/model_file.h"

namespace hexapla::model {

// Has the backend pack the weights of a model of load_to_translate: decoding multiplies a few rows by each of them
// again and again. Weights in 16 bits become f32 for that, one at a time. Every parameter keeps its packed copy, so the
// copies live as long as the model. Weights that are read no more beside their copies give their memory back: from then
// on the model translates and scores on backends of this kind, and does nothing else.
void pack_weights(Backend& backend, LoadedModel& model);

}  // namespace hexapla::model
