#include "decode/models/model_text.h"

#include "base/error.h"

namespace hexapla {
namespace {

void check_size(const Vocabulary& vocabulary, int64_t expected, const char* side, const std::string& file) {
  if (vocabulary.size() == expected) return;
  throw DataError(cat(file, ": its ", side, " vocabulary has ", vocabulary.size(),
                      " pieces, but its configuration says ", expected,
                      "; the file is damaged or was assembled from several: get it again from its source"));
}

}  // namespace

VocabularyPair vocabularies_of(const LoadedModel& model, const std::string& file) {
  const bool shared = model.source_vocabulary == model.target_vocabulary;
  Vocabulary source = Vocabulary::parse(model.source_vocabulary, file);
  check_size(source, model.config.source_vocab, "source", file);
  Vocabulary target = shared ? source : Vocabulary::parse(model.target_vocabulary, file);
  check_size(target, model.config.target_vocab, "target", file);
  return {std::move(source), std::move(target)};
}

}  // namespace hexapla
