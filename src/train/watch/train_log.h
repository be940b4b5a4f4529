#pragma once
#include <cstdint>
#include <string>

#include "train/data/training_data.h"
#include "train/watch/watcher.h"

namespace hexapla::train {

// A line of DIR/train.jsonl. The rate stands last, before the time: all else is the same in every run of the same
// options.
std::string to_json(const TrainReport& r);

// A file of JSON objects, one a line, each with an "update". What is appended gets a "time" at its end: when that was,
// in UTC as ISO 8601 has it. A resumed run first takes back what the lost part of the
// run had written after its checkpoint, so that the file reads as if the run had never stopped.
class JsonLines {
 public:
  // RunError: cannot be read or written. Lines after `update` are dropped, as is all that is no object with an update:
  // a line cut short by a crash, say.
  JsonLines(std::string path, int64_t update);
  // Flushed at once. RunError: then the file is as it was.
  void append(const std::string& object);

 private:
  std::string path_;
};

}  // namespace hexapla::train
