#pragma once
// --shard, --input and --output of the commands that answer line by line, for many processes that
// share a file.
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "data/files/shard_files.h"

namespace hexapla::cli {

// Destination of the answers: stdout, or the file of a part.
class Answers {
 public:
  Answers();
  // manifest: of describe_shard(). RunError: the file cannot be written.
  Answers(const data::ShardManifest& manifest, const std::string& output);
  ~Answers();

  std::ostream& out() { return *out_; }
  void finish(int64_t lines);  // lines: number of lines read; call it after the last one

 private:
  class Buffer;
  std::optional<data::ShardWriter> writer_;
  std::unique_ptr<Buffer> buffer_;
  std::unique_ptr<std::ostream> own_;
  std::ostream* out_;
  data::ShardManifest manifest_;
};

// The input and output of a command.
struct ShardWork {
  std::shared_ptr<data::RangeReader> part;  // null: stdin, or whole files
  std::unique_ptr<Answers> answers;         // null: the output is complete already
  std::string note = {};                    // to show to the user; may be empty
};

struct ShardFlags {
  std::string shard, output;  // "3/8", the file; empty: not given
  Command* command = nullptr;

  // what: name of the input in the help.
  void bind(Command& command, const std::string& what);
  data::ShardNumber number() const;  // UsageError
  // input: file of which a part is read; models: files or folders. UsageError, DataError: as
  // RangeReader, or the output is also an input.
  ShardWork open(const std::string& input, const std::vector<std::string>& models) const;

 private:
  // "hexapla 0.1.0 (...), model f3..., --beam-size 5": everything but the input that determines the
  // output.
  std::string made_by(const std::vector<std::string>& model_files) const;
};

}  // namespace hexapla::cli
