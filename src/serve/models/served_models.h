#pragma once
// The models of a server, by the languages that they translate between. They can be loaded again while they are used.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "hexapla/inspector.h"
#include "hexapla/model.h"
#include "hexapla/translator.h"
#include "serve/work/workers.h"

namespace hexapla::serve {

// One model as the server was told of it.
struct ModelPlace {
  std::string path;  // model file or training folder
  // Codes; both "": those that a multilingual model was imported with, or by the names of the text that it was trained
  // on.
  std::string source, target;

  // "run", "en-de=run", "zh-Hans:en=run". UsageError: no two languages before the equals sign.
  static ModelPlace parse(const std::string& word);
};

struct ServedModel {
  std::string name;            // "en-de"; of several for the same languages "en-de-2"
  std::string source, target;  // codes; `undetermined` where nobody said
  std::string path;
  std::string precision;
  const std::uint64_t number;  // no other model of this process has it
  std::int64_t parameters = 0, encoder_layers = 0, decoder_layers = 0, heads = 0, d_model = 0;
  hexapla::Translator translator;

  // Opened when it is first asked for. From any thread; errors as Inspector's.
  const Inspector& inspector() const;

 private:
  // Fills in what the model's file says. -> how it is loaded
  ModelOptions described(ModelOptions options);
  void choose_languages(const Model& model, ModelOptions& options);

  mutable std::once_flag inspected_;
  mutable std::unique_ptr<Inspector> inspector_;

 public:
  ServedModel(const ModelPlace& place, const ModelOptions& options);
};

using Hops = std::vector<std::shared_ptr<const ServedModel>>;  // one, or two through a third language

// The models that a server has at one moment.
class ModelSet {
 public:
  explicit ModelSet(Hops models) : models_(std::move(models)) {}
  const Hops& models() const { return models_; }

  // Codes, each once, in the order of the models.
  std::vector<std::string> sources() const;
  std::vector<std::string> targets() const;
  std::vector<std::string> targets_of(const std::string& source) const;  // directly or through a third language

  // Empty where nothing leads from one to the other. A model of undetermined languages translates any pair.
  Hops find(const std::string& source, const std::string& target) const;
  // By name; null where there is none.
  std::shared_ptr<const ServedModel> named(const std::string& name) const;

 private:
  Hops models_;
};

// No request and nothing else may use its models any more when it goes.
class ServedModels {
 public:
  // Loads all of them. DataError and UsageError as Translator, and UsageError where there is none.
  ServedModels(std::vector<ModelPlace> places, ModelOptions options);

  std::shared_ptr<const ModelSet> now() const;
  // Loads all of them again; requests that are on their way end with the models that they began with. Where one cannot
  // be loaded, everything stays as it was, and its error comes out.
  void reload();

 private:
  std::shared_ptr<const ModelSet> load() const;

  mutable Workers graves_{1};  // a model that goes joins its translator's threads: it goes here, and this goes last
  const std::vector<ModelPlace> places_;
  const ModelOptions options_;
  mutable std::mutex mutex_;
  std::shared_ptr<const ModelSet> now_;
};

}  // namespace hexapla::serve
