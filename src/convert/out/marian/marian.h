#pragma once
// Models for Marian.
#include <string>
#include <vector>

#include "decode/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// A folder that marian-decoder and pymarian load: model.npz with its settings inside, model.npz.decoder.yml with those
// of the search, source.spm and target.spm. A model that came from Marian gets the bytes of weights that it had there.
// A start token with an embedding becomes zeros, and the first layer's biases make up for it. -> what is not the same
// there, for the user. DataError: the model has what Marian cannot say. UsageError: there is something at `folder`.
// RunError: the disk.
std::vector<std::string> export_marian(model::LoadedModel& model, const std::string& folder,
                                       const decode::BeamOptions& search);

}  // namespace hexapla::convert
