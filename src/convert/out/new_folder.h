#pragma once
#include <string>

#include "base/files/file.h"

namespace hexapla::convert {

// A folder that appears with all its files, or not at all: until commit() they are in one beside it. A writer destroyed
// before that removes what it has written. RunError where the disk refuses.
class NewFolder {
 public:
  // UsageError: there is something at `path` already, but for an empty folder.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // Where to write the file of this name, which may have folders in front: "model/config.json".
  std::string file(const std::string& name) const;
  void commit();

 private:
  std::string path_, temporary_;
};

}  // namespace hexapla::convert
