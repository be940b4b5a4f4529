#pragma once
// Exports models imported from Hugging Face's M2M-100, NLLB-200, mBART-50 or BART: the original
// folder with new weights (docs/adr/0065-models-for-other-systems.md).
#include <string>
#include <vector>

#include "decode/options/named/decoding_options.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

// Writes a folder that transformers opens like `like`: with its configuration and tokenizer, and
// this model's weights, languages and search. Returns differences. DataError: `like` is not such a
// folder, or the model has another architecture or other pieces. UsageError: `folder` exists and is
// not empty. RunError: writing failed.
std::vector<std::string> export_hugging_face_multilingual(model::LoadedModel& m, const std::string& like,
                                                          const std::string& folder,
                                                          const decode::DecodingOptions& search);

}  // namespace hexapla::convert
