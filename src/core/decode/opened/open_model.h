#pragma once
// A model with its vocabularies and a backend, ready for use.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/cpu.h"
#include "decode/text/text_scorer.h"
#include "decode/text/translator.h"
#include "model/weights/model_file.h"

namespace hexapla::decode {

struct OpenModel {
  model::LoadedModel file;
  text::Vocabulary source, target;
  std::unique_ptr<Backend> backend;

  decode::TextTranslator translator() const { return decode::TextTranslator(*file.net, source, target, *backend); }
  decode::TextScorer scorer() const { return decode::TextScorer(*file.net, source, target, *backend); }
};
// How many of a model's parameters its file stores in this type: f32, f16, bf16 or i8.
int64_t numbers_stored(const model::LoadedModel& model, DType type);
// How many of a model file's parameters are stored as 8-bit integers.
int64_t integers_in(const std::string& file);
// "f32", "bf16" or "int8"; UsageError if the device is this processor and it has no instructions for it. What another
// device lacks make_backend() tells.
Precision parse_decoding_precision(const std::string& name, const std::string& device);
// The same for an option; none if it was not given.
std::optional<Precision> asked_precision(bool given, const std::string& name, const std::string& device);
// A model in the memory of a backend, to translate with: packed for the processor; elsewhere in f32, its integers and
// 16-bit numbers converted.
model::LoadedModel load_packed(const std::string& file, Backend& backend);
// model_file() of a path. UsageError: it is empty.
std::string checked_file(const std::string& path);
// path: as for model_file(). device: as for make_backend(). DataError: no model there, or a damaged one. UsageError:
// empty path, or a device that cannot be used.
OpenModel open_model(const std::string& path, const std::string& device = "cpu");
// Opens a model and packs its weights for translation, in this precision (default f32). UsageError: a precision that
// the device does not have, or on the processor one other than int8 for a model whose weights are all 8-bit integers.
OpenModel open_translator(const std::string& path, std::optional<Precision> precision,
                          const std::string& device = "cpu");
// The model reads and writes these languages from now on; "": as it was imported. Models that have the target's
// language before the source (OPUS-MT's) are told no other. UsageError: a model is told none, or does not have this
// one.
void choose_languages(OpenModel& model, const std::string& source, const std::string& target);

// Models that translate together, on one backend.
struct OpenEnsemble {
  std::vector<OpenModel> members;  // all use the backend and vocabularies of the first

  // An ensemble of all members, for a TextTranslator or a LiveTranslator. Borrows them.
  decode::Ensemble ensemble(const decode::Mixture& mixture = {}, const std::vector<double>& weights = {}) const;
  decode::TextTranslator translator(const decode::Mixture& mixture, const std::vector<double>& weights) const;
};
// UsageError: models with different vocabularies, or as open_translator(). translator() checks the weights.
OpenEnsemble open_ensemble(const std::vector<std::string>& paths, std::optional<Precision> precision,
                           const std::string& device = "cpu");

}  // namespace hexapla::decode
