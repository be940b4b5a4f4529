#pragma once
// Input shards and output files, for many processes that share a file and answer line by line.
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "data/files/shard_files.h"
#include "lib/jobs/watch.h"

namespace hexapla::api {

// Destination of the answers: a stream, or the file of a shard.
class Answers {
 public:
  explicit Answers(std::ostream& out);
  // manifest: from describe_shard(). RunError: the file cannot be written.
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

// The input and output of a job.
struct ShardWork {
  std::shared_ptr<data::RangeReader> part;  // null: stdin, or whole files
  std::unique_ptr<Answers> answers;         // null: the output is already complete
};

// A shard of the input, and a file for its answers.
struct ShardOutput {
  std::string shard, output;  // "3/8", the file; empty: not given
  std::string made_by;        // the other options that determine the output: ", --beam-size 5"

  bool given() const { return !shard.empty() || !output.empty(); }
  const char* given_option() const { return shard.empty() ? "`output`" : "`shard`"; }
  // input: the file to read a shard of; models: files or folders; out: for answers without an
  // output file. Reports notes on the shard to `watch`. UsageError, DataError: as RangeReader, or
  // the output is also an input.
  ShardWork open(const std::string& input, const std::vector<std::string>& models, std::ostream& out,
                 const JobWatch& watch) const;
  // For the part of the input. Null: the output is already complete.
  std::unique_ptr<Answers> answers(const data::RangeReader& part, const std::string& input,
                                   const std::vector<std::string>& models) const;

 private:
  data::ShardNumber number() const;  // UsageError
};

}  // namespace hexapla::api
