#pragma once
#include <string>

#include "data/files/corpus.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"
#include "train/options/options.h"

namespace hexapla::train {

// The model that a run starts from (`init-from`).
struct InitialModel {
  model::LoadedModel model;
  std::string path;

  // DataError: no model there, or a damaged one.
  static InitialModel load(const std::string& path) { return {model::load_model(path), path}; }
  // Tells it from other models.
  std::string checksum() const;
};

// Its configuration for a run that names no dimensions of its own. DataError as above.
model::Config config_of_model(const std::string& path);
// How it is used, which training on it does not change.
model::Usage usage_of_model(const std::string& path);
// Its vocabularies for a run that names none. UsageError: their pieces differ.
text::VocabularyPair vocabularies_of_model(const std::string& path);

// Gives `net`, which was initialized, the values of the initial model. Where the vocabulary is another, a row of an
// embedding (and of the output) goes to the row of the same piece, found by its text; pieces that are new keep what
// they have. -> what was carried over, to show. UsageError naming the option: the models differ in more than their
// vocabularies and dropout.
std::string start_from(const InitialModel& initial, model::Transformer& net, const text::Vocabulary& source,
                       const text::Vocabulary& target);

}  // namespace hexapla::train
