#pragma once
#include <string>

#include "data/files/corpus.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"
#include "train/plan/options/options.h"

namespace hexapla::train {

// The model that a run starts from (`init-from`).
struct InitialModel {
  model::LoadedModel model;
  std::string path;

  // DataError: no model there, or a damaged one.
  static InitialModel load(const std::string& path) { return {model::load_model(path), path}; }
  // Identifies the model.
  std::string checksum() const;
};

// Configuration for a run that gives no dimensions of its own. DataError as above.
model::Config config_of_model(const std::string& path);
// Its usage record, which training does not change.
model::Usage usage_of_model(const std::string& path);
// Vocabularies for a run that gives none. UsageError: source and target pieces differ.
text::VocabularyPair vocabularies_of_model(const std::string& path);

// Copies the initial model's values into the initialized `net`. If the vocabulary differs, rows of
// embeddings (and of the output) are copied to the row of the same piece, matched by text; new
// pieces keep their values. -> description of what was carried over. UsageError naming the option:
// the models differ in more than vocabularies and dropout.
std::string start_from(const InitialModel& initial, model::Transformer& net, const text::Vocabulary& source,
                       const text::Vocabulary& target);

}  // namespace hexapla::train
