#pragma once
// Export to CTranslate2 (OpenNMT); its python/ctranslate2/specs/model_spec.py describes model.bin.
#include <string>
#include <vector>

#include "model/weights/model_file.h"

namespace hexapla::convert {

// int8: weights and embeddings in 8 bits with a scale per row, as from CTranslate2's converters.
enum class CTranslate2Type { f32, int8 };

// Positions in the exported table of sinusoids; ours are computed without limit.
inline constexpr int64_t kPositionsWritten = 1024;

// Writes a folder for ctranslate2.Translator: model.bin (version 6, TransformerSpec 7),
// config.json, the vocabularies, and the SentencePiece models source.spm and target.spm, or
// sentencepiece.model if they are the same. Returns notes for the user on differences. DataError:
// CTranslate2 cannot represent the model. UsageError: `folder` exists and is not empty. RunError:
// writing failed.
std::vector<std::string> export_ctranslate2(model::LoadedModel& model, const std::string& folder, CTranslate2Type type);

// Writes an Argos Translate package for LibreTranslate: the same model, with a description. source,
// target: language codes, "en". Errors as above; also DataError: the languages' pieces differ.
std::vector<std::string> export_argos(model::LoadedModel& model, const std::string& folder, CTranslate2Type type,
                                      const std::string& source, const std::string& target);

}  // namespace hexapla::convert
