#include "train/record/checkpoint.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <fstream>

#include "base/compute/random.h"
#include "base/files/test_folder.h"

namespace hexapla::train {
namespace {
namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class CheckpointTest : public TestFolder {
 protected:
  std::string dir() const { return at("checkpoints"); }
  std::string file(int64_t update, const char* name) const {
    return dir() + "/update-0000000" + std::to_string(update) + "/" + name;
  }
  // Tensors and state identify their update.
  void save(int64_t update, size_t size = 100) {
    std::vector<float> values(size, static_cast<float>(update));
    std::vector<double> moments(3, static_cast<double>(update) / 3);
    save_checkpoint(dir(), update,
                    {{{"values", Tensor::of(values.data(), {static_cast<int64_t>(size)})},
                      {"moments", Tensor::of(moments.data(), {3})}},
                     {{"update", std::to_string(update)}, {"note", "\u00fc \"quoted\"\n"}}});
  }
  void expect_whole(const LoadedCheckpoint& c, int64_t update) {
    EXPECT_EQ(c.update, update);
    EXPECT_EQ(c.state.at("update"), std::to_string(update));
    EXPECT_EQ(c.state.at("note"), "\u00fc \"quoted\"\n");
    const auto size = c.tensors.get("values").shape[0];
    std::vector<float> values(static_cast<size_t>(size));
    c.read("values", Tensor::of(values.data(), {size}));
    EXPECT_EQ(values, std::vector<float>(values.size(), static_cast<float>(update)));
    double moments[3];
    c.read("moments", Tensor::of(moments, {3}));
    EXPECT_EQ(moments[2], static_cast<double>(update) / 3);
  }
  // The newest is `update`, and each note contains one of the reasons.
  void expect_newest(int64_t update, const std::vector<std::string>& reasons = {}) {
    std::vector<std::string> notes;
    const auto newest = load_newest(dir(), notes);
    ASSERT_TRUE(newest);
    expect_whole(*newest, update);
    ASSERT_EQ(notes.size(), reasons.size());
    for (size_t i = 0; i < notes.size(); ++i) EXPECT_THAT(notes[i], HasSubstr(reasons[i]));
  }
  std::vector<std::string> hidden() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(dir()))
      if (entry.path().filename().string()[0] == '.') names.push_back(entry.path().filename().string());
    return names;
  }
};

TEST_F(CheckpointTest, TheNewestComesBack) {
  std::vector<std::string> notes;
  EXPECT_FALSE(load_newest(dir(), notes));
  EXPECT_THAT(list_checkpoints(dir()), IsEmpty());
  for (const int64_t update : {1, 2, 9}) save(update);
  expect_newest(9);
  EXPECT_THAT(list_checkpoints(dir()), ElementsAre(1, 2, 9));
  expect_whole(load_checkpoint(dir(), 2), 2);
  EXPECT_THAT(what_of<DataError>([&] { load_checkpoint(dir(), 3); }), HasSubstr("update-00000003"));
  EXPECT_THAT(hidden(), IsEmpty());
}

TEST_F(CheckpointTest, AnotherShapeIsRefused) {
  save(1);
  float values[3];
  const auto loaded = load_checkpoint(dir(), 1);
  EXPECT_THAT(what_of<DataError>([&] { loaded.read("values", Tensor::of(values, {3})); }),
              AllOf(HasSubstr("update-00000001"), HasSubstr("F32 [100]; expected is F32 [3]")));
  EXPECT_THAT(what_of<DataError>([&] { loaded.read("more", Tensor::of(values, {3})); }), HasSubstr("'more'"));
}

TEST_F(CheckpointTest, ATruncatedOneIsSkippedAndNoted) {
  for (const char* name : {"tensors.safetensors", "state.json", "MANIFEST.json"}) {
    save(1);
    save(2);
    const auto size = fs::file_size(file(2, name));
    for (const auto left : {size - 1, size / 2, uintmax_t{0}}) {
      fs::resize_file(file(2, name), left);
      // Without its last newline a manifest is still valid.
      if (std::string(name) == "MANIFEST.json" && left == size - 1)
        expect_newest(2);
      else
        expect_newest(1, {name});
    }
    fs::remove(file(2, name));
    expect_newest(1, {name});
  }
}

TEST_F(CheckpointTest, AnyFlippedBitIsFound) {
  save(1);
  save(2);
  Random random(5);
  for (const char* name : {"tensors.safetensors", "state.json"}) {
    const std::string whole = read_file(file(2, name));
    for (int round = 0; round < 30; ++round) {
      std::string bytes = whole;
      bytes[random.below(static_cast<uint32_t>(bytes.size()))] ^= static_cast<char>(1 << random.below(8));
      std::ofstream(file(2, name), std::ios::binary) << bytes;
      expect_newest(1, {cat("update 2, which is damaged: ", file(2, name))});
    }
    std::ofstream(file(2, name), std::ios::binary) << whole;
  }
  expect_newest(2);
}

// A damaged manifest either keeps its meaning or its checkpoint is skipped.
TEST_F(CheckpointTest, AManifestMayBeDamagedInAnyByte) {
  save(1);
  save(2);
  const std::string whole = read_file(file(2, "MANIFEST.json"));
  int skipped = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string bytes = whole;
    bytes[i] ^= 2;
    std::ofstream(file(2, "MANIFEST.json"), std::ios::binary) << bytes;
    std::vector<std::string> notes;
    const auto newest = load_newest(dir(), notes);
    ASSERT_TRUE(newest);
    expect_whole(*newest, notes.empty() ? 2 : 1);
    skipped += !notes.empty();
  }
  EXPECT_GT(skipped, static_cast<int>(whole.size() / 2));
}

TEST_F(CheckpointTest, NoneIsWhole) {
  save(1);
  fs::remove(file(1, "MANIFEST.json"));
  std::vector<std::string> notes;
  EXPECT_FALSE(load_newest(dir(), notes));
  EXPECT_EQ(notes.size(), 1u);
}

TEST_F(CheckpointTest, LeftoversAreIgnoredAndRemovedByTheNextSave) {
  save(1);
  fs::create_directories(dir() + "/.tmp-update-00000002");
  std::ofstream(dir() + "/.tmp-update-00000002/tensors.safetensors") << "half";
  fs::create_directories(dir() + "/.tmp-old-update-00000000");
  fs::create_directories(dir() + "/update-2");  // not in our format
  std::ofstream(dir() + "/notes.txt") << "the user's own";
  expect_newest(1);
  EXPECT_EQ(hidden().size(), 2u);
  save(2);
  expect_newest(2);
  EXPECT_THAT(hidden(), IsEmpty());
  EXPECT_EQ(read_file(dir() + "/notes.txt"), "the user's own");
}

TEST_F(CheckpointTest, WhatAResumedRunLeftBehindIsSetAside) {
  for (const int64_t update : {1, 2, 3}) save(update);
  std::ofstream(file(3, "state.json")) << "damaged";
  expect_newest(2, {"state.json"});
  save(2);  // the same number again; 3 is from a lost future
  EXPECT_THAT(list_checkpoints(dir()), ElementsAre(1, 2));
  expect_newest(2);
  EXPECT_EQ(read_file(dir() + "/aside-update-00000003/state.json"), "damaged");
  prune(dir(), 1);
  expect_newest(2);
}

TEST_F(CheckpointTest, PruneKeepsTheNewestThatAreComplete) {
  for (const int64_t update : {1, 2, 3, 4, 5}) save(update);
  prune(dir(), 3);
  EXPECT_THAT(list_checkpoints(dir()), ElementsAre(3, 4, 5));
  fs::resize_file(file(5, "tensors.safetensors"), 10);
  prune(dir(), 1);  // 5 is not counted, so 4 stays
  EXPECT_THAT(list_checkpoints(dir()), ElementsAre(4, 5));
  expect_newest(4, {"tensors.safetensors"});
  remove_checkpoint(dir(), 5);
  expect_newest(4);
  EXPECT_THAT(what_of<RunError>([&] { remove_checkpoint(dir(), 5); }), HasSubstr("update-00000005"));
  EXPECT_THROW(prune(dir(), 0), InternalError);
}

// The disk becomes full at each point of the save in turn, until a save succeeds.
TEST_F(CheckpointTest, AFullDiskLeavesTheOldOnes) {
  save(1, 1000);
  int failures = 0;
  for (rlim_t room = 0; failures < 100; room += 150) {
    const FileSizeLimit limit(room);
    const std::string why = what_of<RunError>([&] { save(2, 1000); });
    if (why == "(no such error was thrown)") break;
    EXPECT_THAT(why, AllOf(HasSubstr(dir()), HasSubstr("File too large"), HasSubstr("another disk")));
    EXPECT_THAT(list_checkpoints(dir()), ElementsAre(1));
    EXPECT_THAT(hidden(), IsEmpty());
    expect_newest(1);
    ++failures;
  }
  EXPECT_GT(failures, 10);
  EXPECT_LT(failures, 100);
  expect_newest(2);
}

// Root may write anywhere, so privileges are dropped while this exists.
class Unprivileged {
 public:
  Unprivileged() : was_(geteuid()) {
    if (was_ == 0) changed_ = seteuid(65534) == 0;
  }
  ~Unprivileged() {
    if (changed_ && seteuid(was_) != 0) std::abort();
  }

 private:
  uid_t was_;
  bool changed_ = false;
};

TEST_F(CheckpointTest, AReadOnlyFolderLeavesTheOldOnes) {
  save(1);
  fs::permissions(dir(), static_cast<fs::perms>(0555));
  {
    const Unprivileged user;
    EXPECT_THAT(what_of<RunError>([&] { save(2); }),
                AllOf(HasSubstr(dir()), HasSubstr("Permission denied"), HasSubstr("check its owner")));
    EXPECT_THAT(what_of<RunError>([&] { remove_checkpoint(dir(), 1); }), HasSubstr("Permission denied"));
    EXPECT_THAT(what_of<RunError>([&] { RunLock lock(dir()); }), AllOf(HasSubstr("LOCK"), HasSubstr("Permission")));
    expect_newest(1);
  }
  fs::permissions(dir(), fs::perms::owner_all);
  EXPECT_THAT(hidden(), IsEmpty());
}

TEST_F(CheckpointTest, APathThatIsAFileIsNamed) {
  std::ofstream(dir()) << "a file";
  EXPECT_THAT(what_of<RunError>([&] { save(1); }), HasSubstr(dir()));
  std::vector<std::string> notes;
  EXPECT_THAT(what_of<RunError>([&] { load_newest(dir(), notes); }), HasSubstr("not a folder"));
}

// Kills a process that saves continuously at a random instant: what remains is intact, and no older
// than the last save that it reported.
TEST_F(CheckpointTest, KilledAtAnyInstant) {
  Random random(11);
  int64_t first = 1;
  for (int round = 0; round < 20; ++round) {
    int reports[2];
    ASSERT_EQ(pipe(reports), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (int64_t update = first;; ++update) {
        save(update, 5000);
        if (write(reports[1], &update, sizeof update) != sizeof update) _exit(1);
        prune(dir(), 2);
      }
    }
    close(reports[1]);
    int64_t reported = 0, update = 0;
    ASSERT_EQ(read(reports[0], &reported, sizeof reported), ssize_t{sizeof reported});
    usleep(random.below(30000));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    while (read(reports[0], &update, sizeof update) == sizeof update) reported = update;
    close(reports[0]);
    std::vector<std::string> notes;
    const auto newest = load_newest(dir(), notes);
    ASSERT_TRUE(newest);
    EXPECT_THAT(notes, IsEmpty());
    EXPECT_GE(newest->update, reported);
    expect_whole(*newest, newest->update);
    first = newest->update + 1;
  }
}

TEST_F(CheckpointTest, TwoRunsDoNotShareAFolder) {
  {
    const RunLock lock(at("run"));
    EXPECT_THAT(what_of<RunError>([&] { RunLock second(at("run")); }),
                AllOf(HasSubstr(at("run")), HasSubstr(cat("process ", getpid(), ";"))));
    const RunLock other(at("other"));
  }
  const RunLock again(at("run"));  // released
  EXPECT_THAT(read_file(at("run/LOCK")), HasSubstr(std::to_string(getpid())));
}

}  // namespace
}  // namespace hexapla::train
