#include "train/run/run_vocabularies.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

struct Files {
  std::string joint, source, target;
  explicit Files(const std::string& run)
      : joint(run + "/vocab.spm"), source(run + "/vocab.source.spm"), target(run + "/vocab.target.spm") {}
};

}  // namespace

std::optional<text::VocabularyPair> vocabularies_of_run(const std::string& run, bool separate) {
  const Files files(run);
  if (!separate && fs::exists(files.joint)) {
    const text::Vocabulary both = text::Vocabulary::load(files.joint);
    return text::VocabularyPair{both, both};
  }
  if (!fs::exists(files.source) || !fs::exists(files.target)) return {};
  text::VocabularyPair found{text::Vocabulary::load(files.source), text::Vocabulary::load(files.target)};
  if (!separate && !text::same_pieces(found.source, found.target))
    throw UsageError(cat(run, " holds a run with a vocabulary for each side: give `separate-vocabs` (or `vocabs`) ",
                         "as when it was started, or name another folder (`model`)"));
  return found;
}

void keep_vocabularies(const std::string& run, const text::Vocabulary& source, const text::Vocabulary& target,
                       bool separate) {
  const Files files(run);
  if (!separate && source.bytes() == target.bytes()) return write_file_atomically(files.joint, source.bytes());
  write_file_atomically(files.source, source.bytes());
  write_file_atomically(files.target, target.bytes());
}

std::optional<std::pair<std::string, std::string>> vocabulary_bytes_of_run(const std::string& run) {
  const Files files(run);
  if (fs::exists(files.joint)) return std::pair{read_file(files.joint), read_file(files.joint)};
  if (!fs::exists(files.source) || !fs::exists(files.target)) return {};
  return std::pair{read_file(files.source), read_file(files.target)};
}

}  // namespace hexapla::train
