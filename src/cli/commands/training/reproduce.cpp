// hexapla reproduce: trains a model again from the provenance in its file, and compares the bytes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "backend/cpu/cpu.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "cli/command.h"
#include "cli/commands/training/training.h"
#include "cli/options/text_inputs.h"
#include "decode/opened/open_model.h"
#include "text/utf8.h"
#include "train/record/provenance.h"

namespace hexapla::cli {
namespace {

namespace fs = std::filesystem;

struct Reproduce {
  std::string model, out, color = "auto";
  std::vector<std::string> train_sets, valid_sets, vocabs;
  std::string vocab, valid_script;
  int64_t threads = 0, memory = 0;
  bool quiet = false;

  int run() {
    const std::string file = model::model_file(model);
    const model::LoadedModel original = model::load_to_translate(file);
    refuse_what_was_made_of_models(original, file);
    std::vector<std::string> unknown;
    const train::Provenance was = train::Provenance::from_history(original.history, file, unknown);
    const train::TrainOptions o = options(was, original.config, file);
    ProgressWatcher watcher(make_log_terminal(parse_color(color), quiet));
    for (const std::string& name : unknown)
      watcher.note(cat("this program has no option --", name, ", which the training was given; the result may differ"));

    const train::Provenance now = here(o);
    const std::vector<std::string> why = train::differences(was, now);
    for (const std::string& difference : why) watcher.note(difference);
    refuse_other_data(was, now, file);
    refuse_other_vocabulary(was, now, file);
    claim_folder(o.model, original, file);
    const train::TrainResult result = run_training(o, watcher);
    if (result.end == train::TrainEnd::interrupted) {
      watcher.progress().say("stopped; the same command resumes from there");
      return 128 + caught_signal();
    }
    train::require_whole(result);
    return compare(file, original, result.model, why);
  }

 private:
  train::TrainOptions options(const train::Provenance& was, const model::Config& config,
                              const std::string& file) const {
    const auto& sets = was.options.train_sets;
    if (std::find(sets.begin(), sets.end(), "-") != sets.end())
      throw DataError(cat(file,
                          ": it was trained on stdin, which cannot be read again; to reproduce a run, keep its text ",
                          "in a file"));
    if (was.files.empty())
      throw DataError(cat(file, ": it was not trained on files (a demo: hexapla demo --retrain makes it again)"));
    train::TrainOptions o = was.options;
    o.architecture = config;
    o.architecture.source_vocab = o.architecture.target_vocab = 0;
    o.model = out.empty() ? directory_of(file) + "/reproduced" : out;
    o.threads = threads;
    o.memory = memory;
    if (!train_sets.empty()) o.train_sets = train_sets;
    if (!valid_sets.empty()) o.valid_sets = valid_sets;
    if (!vocab.empty()) o.vocab = vocab;
    if (!vocabs.empty()) o.text.vocabs = vocabs;
    // A program named by the file, which may come from a stranger, is not run without permission.
    if (!o.valid_script.empty() && valid_script.empty())
      throw UsageError(cat(file, ": its validations were measured by the program '", o.valid_script,
                           "', which is not run without permission; allow it with --valid-script PROGRAM"));
    o.valid_script = valid_script;
    return o;
  }

  // Marks a folder that `reproduce` has begun, so that it resumes there and nowhere else.
  static void claim_folder(const std::string& folder, const model::LoadedModel& original, const std::string& file) {
    const std::string note = folder + "/reproduces.txt", text = cat(checksum(original), "\n");
    if (fs::exists(note) && read_file(note) == text) return;
    if (fs::exists(folder) && !fs::is_empty(folder))
      throw UsageError(
          cat("-o ", folder, " holds files that do not belong to a reproduction of ", file, "; name a new folder"));
    fs::create_directories(folder);
    write_file_atomically(note, text);
  }

  static void refuse_what_was_made_of_models(const model::LoadedModel& m, const std::string& file) {
    if (m.history.count("average_of"))
      throw DataError(cat(file, " is the mean of several models; reproduce those, and average them"));
    if (decode::integers_in(file) > 0)
      throw DataError(cat(file, " is quantized; reproduce the model that it was made from"));
  }

  static train::Provenance here(const train::TrainOptions& o) {
    const auto backend = make_cpu_backend(parse_precision(o.precision));
    std::vector<std::string> paths = o.train_sets;
    paths.insert(paths.end(), o.valid_sets.begin(), o.valid_sets.end());
    if (!o.guided_alignment.empty()) paths.push_back(o.guided_alignment);
    return {o,
            describe_moved(paths),
            hash_of_given_vocabulary(o),
            train::build_text(),
            train::machine_text(backend->name(), o.precision),
            "",
            ""};
  }

  // "" if the vocabulary will be trained or comes from a model.
  static std::string hash_of_given_vocabulary(const train::TrainOptions& o) try {
    if (!o.vocab.empty()) return train::hash_of_vocabularies(read_file(o.vocab), read_file(o.vocab));
    if (o.text.vocabs.empty()) return "";
    return train::hash_of_vocabularies(read_file(o.text.vocabs[0]), read_file(o.text.vocabs[1]));
  } catch (const DataError& e) {
    throw DataError(cat(e.what(), "; if the vocabulary has moved, name it with --vocab or --vocabs; a copy is in the ",
                        "folder of the training"));
  }

  static std::vector<train::DataFile> describe_moved(const std::vector<std::string>& paths) {
    try {
      return train::describe_files(paths);
    } catch (const DataError& e) {
      throw DataError(cat(e.what(), "; if the files have moved, name them with --train-sets and --valid-sets"));
    }
  }

  // Refuses other data before hours are spent on training, because it cannot give the same model.
  static void refuse_other_data(const train::Provenance& was, const train::Provenance& now, const std::string& file) {
    bool same = was.files.size() == now.files.size();
    for (size_t i = 0; same && i < was.files.size(); ++i) same = was.files[i].hash == now.files[i].hash;
    if (same) return;
    throw DataError(cat(file, " was trained on other data: ", train::differences(was, now).front(),
                        "; name the files that it was trained on with --train-sets and --valid-sets"));
  }

  static void refuse_other_vocabulary(const train::Provenance& was, const train::Provenance& now,
                                      const std::string& file) {
    if (now.vocabulary.empty() || now.vocabulary == was.vocabulary) return;
    throw DataError(cat(file, " was trained with another vocabulary: its hash was ", was.vocabulary, ", but that of ",
                        now.options.vocab.empty() ? now.options.text.vocabs.front() : now.options.vocab, " is ",
                        now.vocabulary, "; name the file that it was given with --vocab or --vocabs"));
  }

  static std::string checksum(const model::LoadedModel& m) {
    const auto found = m.metadata.find("checksum");
    return found == m.metadata.end() ? "" : found->second;
  }

  // 0: the weights agree bit by bit.
  static int compare(const std::string& file, const model::LoadedModel& original, const std::string& again,
                     const std::vector<std::string>& why) {
    if (read_file(file) == read_file(again)) {
      std::cout << fmt::format("reproduced: {} and {} are identical, byte for byte\n", text::printable(file),
                               text::printable(again));
      return 0;
    }
    const model::LoadedModel made = model::load_to_translate(again);
    const bool weights = checksum(made) == checksum(original);
    std::cout << (weights ? "reproduced: the weights are identical, bit for bit; only the record differs\n"
                          : "not reproduced: the weights differ\n");
    for (const auto& [key, value] : made.history)
      if (const auto was = original.history.find(key); was == original.history.end() || was->second != value)
        std::cout << text::printable(fmt::format("  {}: {}\n    was {}\n", key, value,
                                                 was == original.history.end() ? "not there" : was->second));
    for (const auto& [key, value] : original.history)
      if (!made.history.count(key))
        std::cout << text::printable(fmt::format("  {}: not there\n    was {}\n", key, value));
    if (!weights) {
      std::cout << "likely because:\n";
      for (const std::string& reason : why) std::cout << "  " << text::printable(reason) << "\n";
      if (why.empty()) std::cout << "  nothing that was recorded: please report this as a bug in hexapla\n";
    }
    return weights ? 0 : 1;
  }
};

}  // namespace

void add_reproduce(Command& app, Action& chosen) {
  auto r = std::make_shared<Reproduce>();
  Command* c = app.add_command("reproduce", "train a model again from its own record and compare the results");
  c->add_option("MODEL", r->model, "model file or training folder")->required();
  c->add_option("--train-sets", r->train_sets, "new location of the training text")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("--valid-sets", r->valid_sets, "new location of the validation text")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("--vocab", r->vocab, "new location of the SentencePiece model, if the training was given one");
  c->add_option("--vocabs", r->vocabs, "the same of the models of source and target")
      ->expected(2)
      ->type_name("SOURCE TARGET");
  c->add_option("--valid-script", r->valid_script, "the scoring program, if the training had one")
      ->type_name("PROGRAM");
  c->add_option("-o,--out", r->out, "folder of the new run; default: the folder reproduced next to the model")
      ->type_name("DIR");
  c->add_option("--threads", r->threads, ranges::threads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--memory", r->memory, ranges::mebibytes, "MiB that training may use; 0: as for train")
      ->default_str("0");
  c->add_flag("-q,--quiet", r->quiet, "print only errors and the result");
  c->add_option("--color", r->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla reproduce run\n"
      "  hexapla reproduce model.safetensors --train-sets a.en a.de --valid-sets b.en b.de -o again\n"
      "Exit code 0: identical weights. 1: different weights; differences in build and machine are listed. 3: the data\n"
      "differs from that of the training; this is checked before training starts.");
  c->callback([r, &chosen] { chosen = [r] { return r->run(); }; });
}

}  // namespace hexapla::cli
