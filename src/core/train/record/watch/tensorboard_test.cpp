// Event files against bytes from TensorBoard's own writer, and its reader if installed.
#include "train/record/watch/tensorboard.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <cstdlib>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "base/test_paths.h"

namespace hexapla::train {
namespace {

using testing::HasSubstr;

TEST(EventRecord, Crc32cIsCastagnolis) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAu);  // RFC 3720, B.4
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(EventRecord, IsWhatTensorBoardWrites) {
  std::string bytes = event_record({.wall_time = 1700000000.5, .file_version = "brain.Event:2"});
  bytes += event_record({.wall_time = 1700000001.25, .step = 301, .session_start = true});
  bytes += event_record(
      {.wall_time = 1700000002.0, .step = 350, .scalars = {{"train/loss", 3.25}, {"train/learning_rate", 1e-4}}});
  bytes += event_record({.wall_time = 1700000003.0,
                         .step = 400,
                         .texts = {{"valid/sample 1", markdown_code("grün <b>\n—" + std::string(200, 'x'))}}});
  // By scripts/fixtures/make_tensorboard_fixture.py.
  EXPECT_EQ(bytes, read_file(source_path("tests/fixtures/tensorboard.events")));
}

class EventFiles : public TestFolder {
 protected:
  // TensorBoard's reading of the folder; nothing if it is not installed.
  std::optional<std::string> read_by_tensorboard() const {
    const char* python = environment("HEXAPLA_PYTHON");
    const std::string command =
        cat("'", python ? python : "python3", "' '", source_path("scripts/fixtures/read_tensorboard.py"), "' '",
            folder(), "' 2>/dev/null >'", at("out"), "'");
    const int status = WEXITSTATUS(std::system(command.c_str()));
    if (status == 77 || status == 127) return {};
    EXPECT_EQ(status, 0);
    return read_file(at("out"));
  }
};

TEST_F(EventFiles, NothingIsMadeBeforeTheFirstEvent) {
  EventFile file(folder(), 0);
  EXPECT_EQ(entries(), 0u);
  file.add({.step = 1, .scalars = {{"a", 1}}});
  EXPECT_EQ(entries(), 1u);
}

TEST_F(EventFiles, AFolderThatCannotBeWrittenIsNamed) {
  EventFile file(at("none"), 0);
  EXPECT_THAT(what_of<RunError>([&] { file.add({.step = 1}); }), HasSubstr(at("none/events.out.tfevents.")));
}

TEST_F(EventFiles, TensorBoardReadsARunThatWasKilledAndResumed) {
  {
    EventFile first(folder(), 0);
    for (int step : {50, 100, 150}) first.add({.step = step, .scalars = {{"train/loss", 1000.0 / step}}});
    first.add({.step = 100, .texts = {{"sample", markdown_code("a\nb")}}});
  }
  // The checkpoint is of update 100, so later events are from a lost part of the run. The second
  // file must sort after the first, but both have the same process and second: rename it by hand.
  std::filesystem::create_directories(at("later"));
  EventFile(at("later"), 100).add({.step = 150, .scalars = {{"train/loss", 6}}});
  for (const auto& e : std::filesystem::directory_iterator(at("later")))
    std::filesystem::rename(e.path(), at("events.out.tfevents.9999999999.later"));
  std::filesystem::remove(at("later"));
  const auto read = read_by_tensorboard();
  if (!read) GTEST_SKIP() << "no Python with the package tensorboard (HEXAPLA_PYTHON)";
  EXPECT_EQ(*read, "train/loss 50:20 100:10 150:6\nsample text 100:'    a\\n    b'\n");
}

}  // namespace
}  // namespace hexapla::train
