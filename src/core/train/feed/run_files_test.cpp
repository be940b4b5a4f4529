// A run rejects its own outputs as inputs, leaves nothing if its start is rejected, and writes
// nothing into a folder that was removed.
#include "train/feed/run_files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/files/test_folder.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class RunFiles : public Training {
 protected:
  static std::vector<std::string> files_in(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.is_regular_file()) files.push_back(entry.path().string());
    return files;
  }
};

// Tries every file of a complete run with every option that names a file.
TEST_F(RunFiles, AreRefusedAsInputs) {
  TrainOptions o = options("all");
  o.max_updates = 12;
  o.average_last = 2;
  std::ofstream(folder_ + "/score") << "#!/bin/sh\necho 1\n";
  fs::permissions(folder_ + "/score", fs::perms::owner_all);
  o.valid_script = folder_ + "/score";
  run(o);
  for (const char* more : {"/earlier-model.safetensors", "/earlier-best.safetensors", "/report.html", "/vocab.spm"})
    std::ofstream(o.model + more) << "x";
  fs::create_directories(o.model + "/failure");
  std::ofstream(o.model + "/failure/lines.txt") << "x";
  fs::create_hard_link(o.model + "/train.jsonl", folder_ + "/linked");
  fs::create_directory_symlink(o.model, folder_ + "/other_name");
  std::vector<std::string> files = files_in(o.model);
  EXPECT_GT(files.size(), 14u);
  files.push_back(folder_ + "/linked");
  files.push_back(folder_ + "/other_name/best.safetensors");
  for (const std::string& file : files) {
    SCOPED_TRACE(file);
    const std::string before = read_file(file);
    const auto refused = [&](auto change) {
      TrainOptions now = o;
      change(now);
      EXPECT_THAT(what_of<UserError>([&] { prepare_data(now); }), AllOf(HasSubstr("`model` "), HasSubstr(file)));
      EXPECT_EQ(read_file(file), before);
    };
    refused([&](TrainOptions& now) { now.train_sets[1] = file; });
    refused([&](TrainOptions& now) { now.valid_sets = {file, folder_ + "/b"}; });
    refused([&](TrainOptions& now) { now.guided_alignment = file; });
    refused([&](TrainOptions& now) { now.init_from = file; });
    refused([&](TrainOptions& now) { now.valid_script = file; });
    if (!file.ends_with("/vocab.spm")) refused([&](TrainOptions& now) { now.vocab = file; });
    if (!file.ends_with("source.spm")) refused([&](TrainOptions& now) { now.text.vocabs = {file, file}; });
  }
}

// `train -c <(...)` names a file without a path of its own.
TEST_F(RunFiles, FilesInNoFolderAreNotRefused) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  fs::create_symlink("loop", folder_ + "/loop");
  for (const std::string& file : {cat("/dev/fd/", ends[0]), folder_ + "/loop", folder_ + "/missing/file"})
    EXPECT_NO_THROW(refuse_own_config(file, options("run"))) << file;
  for (const int end : ends) close(end);
}

TEST_F(RunFiles, TextBesideThemIsRead) {
  TrainOptions o = options("text");
  o.model = folder_;
  o.max_updates = 2;
  EXPECT_EQ(run(o).updates, 2);
}

TEST_F(RunFiles, ARefusedStartLeavesNoFolder) {
  TrainOptions o = options("new/folder/within");
  std::ofstream(folder_ + "/broken") << "\xff\xfe\n";
  o.train_sets[0] = folder_ + "/broken";
  EXPECT_THROW(run(o), DataError);
  EXPECT_FALSE(fs::exists(folder_ + "/new"));
  fs::create_directory(folder_ + "/new");
  EXPECT_THROW(run(o), DataError);
  EXPECT_TRUE(fs::is_empty(folder_ + "/new")) << "it was there before";
  o.train_sets[0] = folder_ + "/a";
  o.memory = 1;
  EXPECT_THROW(run(o), UsageError);
  EXPECT_TRUE(fs::is_empty(folder_ + "/new"));
}

struct Renames : TrainWatcher {
  void updated(const TrainReport& r) override {
    if (r.update == 7) fs::rename(from, to);
    if (r.update == back_at) fs::rename(to, from);
  }
  void note(const std::string& n) override { notes += n + "\n"; }
  std::string from, to, notes;
  int64_t back_at = -1;
};

TEST_F(RunFiles, ARenamedFolderIsNotWrittenTwice) {
  TrainOptions o = options("run"), whole = options("whole");
  Renames watcher;
  watcher.from = o.model, watcher.to = folder_ + "/elsewhere";
  EXPECT_THAT(what_of<RunError>([&] { run(o, watcher, false); }),
              AllOf(HasSubstr(o.model + " was renamed or removed"), HasSubstr(watcher.to)));
  EXPECT_FALSE(fs::exists(o.model));
  EXPECT_THAT(watcher.notes, HasSubstr("no checkpoint was written; training goes on: "));
  fs::rename(watcher.to, watcher.from);
  run(o);
  run(whole);
  EXPECT_TRUE(same_model(o, whole)) << "it goes on from what it had";
}

TEST_F(RunFiles, AFolderThatIsBackIsWrittenAgain) {
  TrainOptions o = options("run"), whole = options("whole");
  o.valid_sets.clear(), whole.valid_sets.clear();  // otherwise the best model may be from an update without a folder
  Renames watcher;
  watcher.from = o.model, watcher.to = folder_ + "/elsewhere", watcher.back_at = 12;
  run(o, watcher, false);
  run(whole);
  EXPECT_TRUE(same_model(o, whole));
  EXPECT_FALSE(fs::exists(watcher.to));
}

}  // namespace
}  // namespace hexapla::train
