#include "train/feed/run_files.h"

#include <filesystem>

#include "base/error.h"
#include "base/files/overwriting.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWrittenFiles[] = {"model.safetensors",
                                         "best.safetensors",
                                         "earlier-model.safetensors",
                                         "earlier-best.safetensors",
                                         "train.jsonl",
                                         "valid.jsonl",
                                         "earlier-train.jsonl",
                                         "earlier-valid.jsonl",
                                         "report.html",
                                         "recipe.yml",
                                         "LOCK",
                                         "vocab.spm",
                                         "vocab.source.spm",
                                         "vocab.target.spm"};
constexpr const char* kWrittenFolders[] = {"checkpoints", "best", "failure", "validation"};

void refuse_own(const std::string& input, const std::string& run, const std::string& own = "") {
  refuse_written(input, run, {kWrittenFiles, kWrittenFolders}, own);
}

}  // namespace

void refuse_written(const std::string& input, const std::string& folder, const Written& written,
                    const std::string& own) {
  if (input.empty() || input == "-") return;
  for (const char* name : written.files)
    if (name != own) refuse_to_overwrite({input}, "`model`", folder + "/" + name);
  // A pipe, such as /dev/fd/63, has no path of its own and is in no folder.
  std::error_code no_path;
  const fs::path inside = fs::weakly_canonical(input, no_path).lexically_relative(fs::weakly_canonical(folder));
  for (const char* name : written.folders)
    if (inside.begin() != inside.end() && *inside.begin() == name)
      throw UsageError(cat("`model` ", folder, " writes and removes what is in ", folder, "/", name, ", but ", input,
                           " is to be read from there; copy it, or name another folder"));
}

void refuse_own_config(const std::string& config, const TrainOptions& o) { refuse_own(config, o.model); }

void refuse_own_files(const TrainOptions& o) {
  for (const auto* files : {&o.train_sets, &o.valid_sets})
    for (const std::string& file : *files) refuse_own(file, o.model);
  for (const std::string& file : {o.guided_alignment, o.init_from, o.valid_script}) refuse_own(file, o.model);
  refuse_own(o.vocab, o.model, "vocab.spm");
  if (o.text.vocabs.empty()) return;
  refuse_own(o.text.vocabs.front(), o.model, "vocab.source.spm");
  refuse_own(o.text.vocabs.back(), o.model, "vocab.target.spm");
}

}  // namespace hexapla::train
