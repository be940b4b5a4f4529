#pragma once
// Models that came from Hugging Face's M2M-100, NLLB-200, mBART-50 or BART go back there: the folder that they came
// from, with other weights (docs/adr/0089-export-like-a-folder.md).
#include <string>
#include <vector>

#include "decode/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// Writes a folder that transformers opens in place of `like`: its configuration and tokenizer, this model's weights,
// its languages and its search. -> what differs there. DataError: `like` is no such folder, or the model is of another
// architecture or has other pieces. UsageError: `folder` exists. RunError: it cannot be written.
std::vector<std::string> export_hugging_face_multilingual(model::LoadedModel& m, const std::string& like,
                                                          const std::string& folder, const decode::BeamOptions& search);

}  // namespace hexapla::convert
