#pragma once
// Models for CTranslate2 (OpenNMT), whose model.bin is described in its python/ctranslate2/specs/model_spec.py.
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// int8: weights and embeddings in 8 bits, with a scale per row, as its own converters quantize.
enum class CTranslate2Type { f32, int8 };

// Positions that a model of sinusoids is given there: its table ends, ours does not.
inline constexpr int64_t positions_written = 1024;

// A folder that ctranslate2.Translator loads: model.bin (version 6, TransformerSpec 7), config.json, the vocabularies,
// and the SentencePiece models beside them: source.spm and target.spm, or sentencepiece.model where both are one.
// -> what is not the same there, for the user. DataError: the model has what CTranslate2 cannot say. UsageError: there
// is something at `folder`. RunError: the disk.
std::vector<std::string> export_ctranslate2(model::LoadedModel& model, const std::string& folder, CTranslate2Type type);

// A package of Argos Translate, as LibreTranslate loads it: the same model, with a description. source, target: codes
// of languages, "en". Errors as above; DataError, too: the two languages have different pieces.
std::vector<std::string> export_argos(model::LoadedModel& model, const std::string& folder, CTranslate2Type type,
                                      const std::string& source, const std::string& target);

}  // namespace hexapla::convert
