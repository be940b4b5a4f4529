#pragma once
// A model with its vocabularies and a backend, ready to be used.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
#include "decode/rescoring/text_scorer.h"
#include "decode/text/translator.h"
#include "model/weights/model_file.h"

namespace hexapla::models {

struct OpenModel {
  model::LoadedModel file;
  text::Vocabulary source, target;
  std::unique_ptr<Backend> backend;

  decode::TextTranslator translator() const { return decode::TextTranslator(*file.net, source, target, *backend); }
  decode::TextScorer scorer() const { return decode::TextScorer(*file.net, source, target, *backend); }
};
// How many of a model's parameters its file has in this type: f32, f16, bf16 or i8.
int64_t numbers_stored(const model::LoadedModel& model, DType type);
// How many of a model file's parameters are 8-bit integers.
int64_t integers_in(const std::string& file);
// "f32", "bf16" or "int8"; UsageError where this processor has no instructions for it.
Precision parse_decoding_precision(const std::string& name);
// The same of an option that has its default where it was not given. -> what was
std::optional<Precision> asked_precision(bool given, const std::string& name);
// path: as model_file(). DataError: none there, or damaged. UsageError: no path.
OpenModel open_model(const std::string& path);
// The same, and made ready to translate: with packed weights, in this precision, or f32 where none is asked for.
// UsageError: another one than int8 is asked for, and all its weights are 8-bit integers, to which it does nothing.
OpenModel open_translator(const std::string& path, std::optional<Precision> precision);
// The model reads and writes these languages from now on; "": as it was imported. Models that have the target's
// language before the source (OPUS-MT's) are told no other. UsageError: a model is told none, or does not have this
// one.
void choose_languages(OpenModel& model, const std::string& source, const std::string& target);

// Models that translate together, in one backend.
struct OpenEnsemble {
  std::vector<OpenModel> members;  // the first one's backend and vocabularies are everybody's

  // Of them all, for a TextTranslator or a LiveTranslator. Borrows.
  decode::Ensemble ensemble(const decode::Mixture& mixture = {}, const std::vector<double>& weights = {}) const;
  decode::TextTranslator translator(const decode::Mixture& mixture, const std::vector<double>& weights) const;
};
// UsageError: models of different vocabularies, a precision that does nothing to any of them; weights are checked by
// translator().
OpenEnsemble open_ensemble(const std::vector<std::string>& paths, std::optional<Precision> precision);

}  // namespace hexapla::models
