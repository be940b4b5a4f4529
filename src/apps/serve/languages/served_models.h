#pragma once
// The models of a server by language pair. They can be reloaded while in use.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/compute/task_pool.h"
#include "hexapla/inspector.h"
#include "hexapla/model.h"
#include "hexapla/translator.h"

namespace hexapla::serve {

// A model in the server's options.
struct ModelPlace {
  // Model file or training folder; or several, an ensemble: "run-1+run-2", unless there is a file of that name.
  std::string path;
  // Codes. If both are "": those that a multilingual model was imported with, or those in the names
  // of the training files.
  std::string source, target;

  // "run", "en-de=run", "zh-Hans:en=run". UsageError: no pair of languages before the equals sign.
  static ModelPlace parse(const std::string& word);
};

struct ServedModel {
  std::string name;            // "en-de"; the second of the same pair is "en-de-2"
  std::string source, target;  // codes, or kUndetermined
  std::string path;
  std::string precision, device;
  const std::uint64_t number;  // unique in this process
  std::int64_t parameters = 0, encoder_layers = 0, decoder_layers = 0, heads = 0, d_model = 0;
  hexapla::Translator translator;

  // Looks into its first model, opened on first use. Thread-safe; errors as Inspector's.
  const Inspector& inspector() const;

 private:
  // Fills members from the model files. -> options to load them with
  ModelOptions described(const std::vector<std::string>& paths, ModelOptions options);
  void choose_languages(const Model& model, ModelOptions& options);

  mutable std::once_flag inspected_;
  mutable std::unique_ptr<Inspector> inspector_;

 public:
  ServedModel(const ModelPlace& place, const ModelOptions& options);
};

using Hops = std::vector<std::shared_ptr<const ServedModel>>;  // one, or two if a third language is in between

// The server's models at one moment.
class ModelSet {
 public:
  explicit ModelSet(Hops models) : models_(std::move(models)) {}
  const Hops& models() const { return models_; }

  // Distinct codes in the order of the models.
  std::vector<std::string> sources() const;
  std::vector<std::string> targets() const;
  std::vector<std::string> targets_of(const std::string& source) const;  // directly or via a third language

  std::vector<std::string> sources_of(const std::string& target) const;  // the same

  // Empty if there is no path from source to target. A model of undetermined languages translates
  // any pair.
  Hops find(const std::string& source, const std::string& target) const;
  // Null if there is none.
  std::shared_ptr<const ServedModel> named(const std::string& name) const;

 private:
  Hops models_;
};

// Must outlive all uses of its models.
class ServedModels {
 public:
  // Loads all models. DataError and UsageError as from Translator; UsageError if there are none.
  ServedModels(std::vector<ModelPlace> places, ModelOptions options);

  std::shared_ptr<const ModelSet> now() const;
  // Reloads all models; requests in progress finish with the old ones. If one cannot be loaded,
  // throws its error and leaves everything unchanged.
  void reload();

 private:
  std::shared_ptr<const ModelSet> load() const;

  // Deletes models, which joins their translators' threads. Declared first, so destroyed last.
  mutable TaskPool graves_{1};
  const std::vector<ModelPlace> places_;
  const ModelOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelSet> now_;
};

}  // namespace hexapla::serve
