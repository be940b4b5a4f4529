#pragma once
// Export to Marian.
#include <string>
#include <vector>

#include "decode/options/named/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// Writes a folder for marian-decoder and pymarian: model.npz including its settings,
// model.npz.decoder.yml with the search settings, source.spm and target.spm. A model imported from
// Marian gets its original weights, byte for byte. A start token with an embedding becomes zeros,
// and the first layer's biases compensate for it. Returns notes for the user on differences.
// DataError: Marian cannot represent the model. UsageError: `folder` exists and is not empty.
// RunError: writing failed.
std::vector<std::string> export_marian(model::LoadedModel& model, const std::string& folder,
                                       const decode::DecodingOptions& search);

}  // namespace hexapla::convert
