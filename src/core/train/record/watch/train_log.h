#pragma once
#include <cstdint>
#include <string>

#include "train/record/watch/watcher.h"

namespace hexapla::train {

// A line of DIR/train.jsonl. The rate comes last, just before the time: everything before it is the
// same in every run with the same options.
std::string to_json(const TrainReport& r);
// A line of DIR/valid.jsonl.
std::string to_json(const Validation& v);

// A file of JSON objects, one per line, each with an "update". Appended lines get a "time" at the
// end (UTC, ISO 8601). A resumed run first moves the lines that the lost part of the run wrote after
// its checkpoint to another file, so this one reads as if the run had never stopped.
class JsonLines {
 public:
  // Drops lines of updates after `update`, and lines that are not an object with an update, such as
  // one cut short by a crash. The former are appended to "earlier-" and its name. RunError: cannot be read or written.
  JsonLines(std::string path, int64_t update);
  int64_t lost() const { return lost_; }  // the last update of the dropped lines; 0: none
  // Flushes immediately. RunError: the file is unchanged.
  void append(const std::string& object);

 private:
  std::string path_;
  int64_t lost_ = 0;
};

}  // namespace hexapla::train
