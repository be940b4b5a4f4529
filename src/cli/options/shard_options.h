#pragma once
// --shard, --input and --output of the commands that answer line by line: one of many processes that share a file.
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "data/files/shard_files.h"

namespace hexapla::cli {

// Where answers go: to stdout, or into the file of a part.
class Answers {
 public:
  Answers();
  // manifest: of describe_shard(). RunError: the file cannot be written.
  Answers(const data::ShardManifest& manifest, const std::string& output);
  ~Answers();

  std::ostream& out() { return *out_; }
  void finish(int64_t lines);  // lines: how many were read; call it after the last one

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
  std::shared_ptr<data::RangeReader> part;  // none: stdin, or whole files
  std::unique_ptr<Answers> answers;         // none: the output is whole already
  std::string note = {};                    // to be shown; may be empty
};

struct ShardFlags {
  std::string shard, output;  // "3/8", the file; empty: not given
  Command* command = nullptr;

  // what: that the part is of, as the help says it.
  void bind(Command& command, const std::string& what);
  data::ShardNumber number() const;  // UsageError
  // input: of the part; models: files or folders. UsageError, DataError: RangeReader; the output is an input.
  ShardWork open(const std::string& input, const std::vector<std::string>& models) const;

 private:
  // "hexapla 0.1.0 (...), model f3..., --beam-size 5": what the output depends on, beside the input.
  std::string made_by(const std::vector<std::string>& model_files) const;
};

}  // namespace hexapla::cli
