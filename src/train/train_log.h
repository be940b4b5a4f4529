#pragma once
#include <cstdint>
#include <string>

namespace hexapla {

// A file of JSON objects, one a line, each with an "update". A resumed run first takes back what the lost part of the
// run had written after its checkpoint, so that the file reads as if the run had never stopped.
class JsonLines {
 public:
  // RunError: cannot be read or written. Lines after `update` are dropped, as is a line cut short by a crash.
  JsonLines(std::string path, int64_t update);
  void append(const std::string& object);  // flushed at once

 private:
  std::string path_;
};

}  // namespace hexapla
