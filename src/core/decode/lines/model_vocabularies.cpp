#include "decode/lines/model_vocabularies.h"

#include "base/error.h"

namespace hexapla::decode {
namespace {

void check_size(const text::Vocabulary& vocabulary, int64_t expected, const char* side, const std::string& file) {
  if (vocabulary.size() == expected) return;
  throw DataError(cat(file, ": its ", side, " vocabulary has ", vocabulary.size(),
                      " pieces, but its configuration says ", expected,
                      "; the file is damaged or was assembled from several: get it again from its source"));
}

}  // namespace

text::VocabularyPair vocabularies_of(const model::LoadedModel& model, const std::string& file) {
  const bool shared = model.source_vocabulary == model.target_vocabulary;
  text::Vocabulary source = text::Vocabulary::parse(model.source_vocabulary, file);
  check_size(source, model.config.source_vocab, "source", file);
  text::Vocabulary target = shared ? source : text::Vocabulary::parse(model.target_vocabulary, file);
  check_size(target, model.config.target_vocab, "target", file);
  return {std::move(source), std::move(target)};
}

}  // namespace hexapla::decode
