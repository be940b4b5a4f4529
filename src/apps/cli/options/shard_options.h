#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/command/command.h"
#include "hexapla/text_file.h"

namespace hexapla::cli {

// A part of the input, and a file for its answers.
struct ShardOptions {
  std::string shard, output;  // "3/8", the file; empty: not given

  bool given() const { return !shard.empty() || !output.empty(); }
  const char* given_option() const { return shard.empty() ? "`output`" : "`shard`"; }
};

// Both, opened.
struct OpenShard {
  TextFile part;
  std::optional<ShardFile> file;  // none: stdout

  // input: the file to read a part of; models: files or folders. say: gets notes for the user. Errors as TextFile and
  // ShardFile.
  OpenShard(const ShardOptions& shard, const std::string& input, const std::vector<std::string>& models,
            const Command& command, const std::function<void(const std::string& note)>& say);
  bool complete() const { return file && file->complete(); }
};

// --shard and --output of the commands that answer line by line. what: name of the input in the
// help.
void bind_shard(Command& command, ShardOptions& shard, const std::string& what);

}  // namespace hexapla::cli
