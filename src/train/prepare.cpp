// From files to token ids: the training text, the joint vocabulary, the validation set.
#include <filesystem>

#include "base/file.h"
#include "base/hash.h"
#include "train/init_from.h"
#include "train/trainer.h"

namespace hexapla {
namespace {

namespace fs = std::filesystem;

void add_notes(std::vector<std::string>& all, std::vector<std::string> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

void make_run_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw RunError(cat("cannot create the folder ", folder, " (--model): ", error.message(),
                       "; choose a folder that you may write to"));
}

// The run's own copy, so that a resumed run has the same pieces even if the corpus or the given file has gone.
Vocabulary find_vocabulary(const TrainOptions& options, const Corpus& corpus) {
  const std::string own = options.model + "/vocab.spm";
  if (fs::exists(own)) return Vocabulary::load(own);
  const Vocabulary vocabulary = [&] {
    if (!options.vocab.empty()) return Vocabulary::load(options.vocab);
    if (!options.init_from.empty()) return vocabulary_of_model(options.init_from);
    std::vector<std::string> text = corpus.source;
    text.insert(text.end(), corpus.target.begin(), corpus.target.end());
    return Vocabulary::train(text, {.size = static_cast<int>(options.vocab_size)});
  }();
  write_file_atomically(own, vocabulary.bytes());
  return vocabulary;
}

std::string fingerprint(const TrainingData& data) {
  std::string ids;
  auto append = [&](const Ids& sequence) {
    ids.append(reinterpret_cast<const char*>(sequence.data()), sequence.size() * sizeof(int32_t));
    ids.push_back('\n');
  };
  for (const Example& e : data.train) {
    append(e.source), append(e.target);
    for (const Link& link : e.links) append({link.source, link.target});
  }
  return hash_hex(ids);
}

}  // namespace

TrainingData prepare_data(const TrainOptions& options) {
  options.check();
  Corpus corpus = read_parallel(options.train_sets[0], options.train_sets[1]);
  make_run_folder(options.model);
  TrainingData data;
  data.vocabulary = std::make_shared<Vocabulary>(find_vocabulary(options, corpus));
  const Vocabulary& v = *data.vocabulary;
  Encoded train = encode_corpus(corpus, v, v, options.max_length);
  data.train = std::move(train.examples);
  add_notes(data.notes, std::move(corpus.notes));
  add_notes(data.notes, std::move(train.notes));
  if (!options.guided_alignment.empty()) {
    const LinkUnit unit = options.guided_alignment_units == "pieces" ? LinkUnit::pieces : LinkUnit::words;
    add_links(data.train, corpus, GoldLinks(options.guided_alignment, unit, corpus), v, v);
  }
  if (!options.valid_sets.empty()) {
    Corpus valid = read_parallel(options.valid_sets[0], options.valid_sets[1]);
    Encoded encoded = encode_corpus(valid, v, v, options.max_length);
    data.valid = std::move(encoded.examples);
    data.valid_source = std::move(valid.source);
    data.valid_reference = std::move(valid.target);
    add_notes(data.notes, std::move(valid.notes));
    add_notes(data.notes, std::move(encoded.notes));
  }
  data.fingerprint = fingerprint(data);
  std::vector<std::string> paths = options.train_sets;
  paths.insert(paths.end(), options.valid_sets.begin(), options.valid_sets.end());
  if (!options.guided_alignment.empty()) paths.push_back(options.guided_alignment);
  data.files = describe_files(paths);
  return data;
}

}  // namespace hexapla
