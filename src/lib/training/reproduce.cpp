#include "lib/training/reproduce.h"

#include <algorithm>
#include <filesystem>

#include "backend/device/device.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "data/files/parallel_text.h"
#include "decode/opened/open_model.h"
#include "train/record/provenance.h"

namespace hexapla::api {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMoved =
    "; if the files that it was trained on have moved, name them with `train-sets`, `valid-sets`, `guided-alignment` "
    "and "
    "`init-from`";

std::string checksum(const model::LoadedModel& m) {
  const auto found = m.metadata.find("checksum");
  return found == m.metadata.end() ? "" : found->second;
}

// The new location of a file that the training did not have would change the training.
void refuse_new_file(const std::string& asked, const std::string& recorded, const std::string& option,
                     const std::string& file) {
  if (!asked.empty() && recorded.empty())
    throw UsageError(cat(file, ": its training had no `", option, "`; leave it out"), option, asked);
}

train::TrainOptions options_of(const ReproduceOptions& asked, const train::Provenance& was, const model::Config& config,
                               const std::string& file) {
  const auto& sets = was.options.train_sets;
  if (std::find(sets.begin(), sets.end(), "-") != sets.end())
    throw DataError(cat(file,
                        ": it was trained on stdin, which cannot be read again; to reproduce a run, keep its text ",
                        "in a file"));
  if (was.files.empty() || std::find(sets.begin(), sets.end(), data::kPairsOfProgram) != sets.end())
    throw DataError(cat(file, ": it was not trained on files (a demo: hexapla demo --retrain makes it again)"));
  train::TrainOptions o = was.options;
  o.architecture = config;
  o.architecture.source_vocab = o.architecture.target_vocab = 0;
  o.model = asked.out.empty() ? directory_of(file) + "/reproduced" : asked.out;
  o.device = asked.device;
  o.threads = asked.threads;
  o.memory = asked.memory;
  if (!asked.train_sets.empty()) o.train_sets = asked.train_sets;
  if (!asked.valid_sets.empty()) o.valid_sets = asked.valid_sets;
  if (!asked.vocab.empty()) o.vocab = asked.vocab;
  if (!asked.vocabs.empty()) o.text.vocabs = asked.vocabs;
  refuse_new_file(asked.guided_alignment, o.guided_alignment, "guided-alignment", file);
  refuse_new_file(asked.init_from, o.init_from, "init-from", file);
  if (!asked.guided_alignment.empty()) o.guided_alignment = asked.guided_alignment;
  if (!asked.init_from.empty()) o.init_from = model::model_file(asked.init_from);
  // Untrusted files may name a program, so it is not run without permission.
  if (!o.valid_script.empty() && asked.valid_script.empty())
    throw UsageError(cat(file, ": its validations were measured by the program '", o.valid_script,
                         "', which is not run without permission; allow it with `valid-script` PROGRAM"));
  o.valid_script = asked.valid_script;
  return o;
}

// Marks a folder that `reproduce` has started, so that it resumes there and nowhere else.
void claim_copy_folder(const std::string& folder, const model::LoadedModel& original, const std::string& file) {
  const std::string note = folder + "/reproduces.txt", text = cat(checksum(original), "\n");
  if (fs::exists(note) && read_file(note) == text) return;
  if (fs::exists(folder) && !fs::is_empty(folder))
    throw UsageError(
        cat("-o ", folder, " holds files that do not belong to a reproduction of ", file, "; name a new folder"));
  fs::create_directories(folder);
  write_file_atomically(note, text);
}

void refuse_what_was_made_of_models(const model::LoadedModel& m, const std::string& file) {
  if (m.history.count("average_of"))
    throw DataError(cat(file, " is the mean of several models; reproduce those, and average them"));
  if (decode::integers_in(file) > 0)
    throw DataError(cat(file, " is quantized; reproduce the model that it was made from"));
}

// "" if the vocabulary will be trained or comes from a model.
std::string hash_of_given_vocabulary(const train::TrainOptions& o) try {
  if (!o.vocab.empty()) return train::hash_of_vocabularies(read_file(o.vocab), read_file(o.vocab));
  if (o.text.vocabs.empty()) return "";
  return train::hash_of_vocabularies(read_file(o.text.vocabs[0]), read_file(o.text.vocabs[1]));
} catch (const DataError& e) {
  throw DataError(cat(e.what(), "; if the vocabulary has moved, name it with `vocab` or `vocabs`; a copy is in the ",
                      "folder of the training"));
}

std::vector<train::DataFile> describe_moved(const std::vector<std::string>& paths) {
  try {
    return train::describe_files(paths);
  } catch (const DataError& e) {
    throw DataError(cat(e.what(), kMoved));
  }
}

// files: as many as the record has; that of an earlier version lacks the initial model.
train::Provenance here(const train::TrainOptions& o, size_t files) {
  const auto backend = make_backend(parse_precision(o.precision, o.device), o.device);
  std::vector<std::string> paths = o.train_sets;
  paths.insert(paths.end(), o.valid_sets.begin(), o.valid_sets.end());
  if (!o.guided_alignment.empty()) paths.push_back(o.guided_alignment);
  if (!o.init_from.empty() && paths.size() < files) paths.push_back(o.init_from);
  return {o,
          describe_moved(paths),
          hash_of_given_vocabulary(o),
          train::build_text(),
          train::machine_text(backend->name(), o.precision),
          "",
          ""};
}

// Rejects other data before hours of training, because it cannot give the same model.
void refuse_other_data(const train::Provenance& was, const train::Provenance& now, const std::string& file) {
  bool same = was.files.size() == now.files.size();
  for (size_t i = 0; same && i < was.files.size(); ++i) same = was.files[i].hash == now.files[i].hash;
  if (same) return;
  throw DataError(cat(file, " was trained on other data: ", train::differences(was, now).front(), kMoved));
}

void refuse_other_vocabulary(const train::Provenance& was, const train::Provenance& now, const std::string& file) {
  if (now.vocabulary.empty() || now.vocabulary == was.vocabulary) return;
  throw DataError(cat(file, " was trained with another vocabulary: its hash was ", was.vocabulary, ", but that of ",
                      now.options.vocab.empty() ? now.options.text.vocabs.front() : now.options.vocab, " is ",
                      now.vocabulary, "; name the file that it was given with `vocab` or `vocabs`"));
}

// The original may be the best model of a run whose result is a mean.
std::string file_like(const model::LoadedModel& original, const std::string& result) {
  const auto weights_of = [](const model::LoadedModel& m) {
    const auto found = m.history.find("weights");
    return found == m.history.end() ? "" : found->second;
  };
  const std::string best = fs::path(result).parent_path() / "best.safetensors";
  const auto is_like = [&](const std::string& f) {
    return weights_of(model::load_to_translate(f)) == weights_of(original);
  };
  return !is_like(result) && fs::exists(best) && is_like(best) ? best : result;
}

// Changes made to the record after the training (hexapla set) belong to the model, too.
void keep_usage(const model::Usage& usage, const std::string& file) {
  if (model::load_to_translate(file).usage != usage) model::copy_with_usage(file, usage, file);
}

std::vector<Reproduction::Change> changes(const std::map<std::string, std::string>& was,
                                          const std::map<std::string, std::string>& now) {
  std::vector<Reproduction::Change> all;
  for (const auto& [key, value] : now)
    if (const auto before = was.find(key); before == was.end())
      all.push_back({key, value, {}});
    else if (before->second != value)
      all.push_back({key, value, before->second});
  for (const auto& [key, value] : was)
    if (!now.count(key)) all.push_back({key, {}, value});
  return all;
}

}  // namespace

Reproduction reproduce(const ReproduceOptions& asked, RunWatcher& watcher, const Stop& stop) {
  const std::string file = model::model_file(asked.model);
  const model::LoadedModel original = model::load_to_translate(file);
  refuse_what_was_made_of_models(original, file);
  std::vector<std::string> unknown;
  const train::Provenance was = train::Provenance::from_history(original.history, file, unknown);
  const train::TrainOptions o = options_of(asked, was, original.config, file);
  for (const std::string& name : unknown)
    watcher.note(cat("this program has no option --", name, ", which the training was given; the result may differ"));

  const train::Provenance now = here(o, was.files.size());
  const std::vector<std::string> why = train::differences(was, now);
  for (const std::string& difference : why) watcher.note(difference);
  refuse_other_data(was, now, file);
  refuse_other_vocabulary(was, now, file);
  claim_copy_folder(o.model, original, file);
  const train::TrainResult result = run_training(o, watcher, stop());
  if (result.end == train::TrainEnd::interrupted) return {.end = result.end};
  train::require_whole(result);
  const std::string again = file_like(original, result.model);
  keep_usage(original.usage, again);
  Reproduction r{.end = result.end, .original = file, .again = again, .likely = why};
  if ((r.same_bytes = read_file(file) == read_file(r.again))) return r;
  const model::LoadedModel made = model::load_to_translate(r.again);
  r.same_weights = checksum(made) == checksum(original);
  r.record = changes(original.history, made.history);
  return r;
}

}  // namespace hexapla::api
