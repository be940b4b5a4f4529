#pragma once
#include <string>

#include "base/files/file.h"

namespace hexapla::convert {

// A folder that appears with all its files, or not at all: until commit() they are in a temporary
// folder next to it. The destructor removes uncommitted files. RunError: writing failed.
class NewFolder {
 public:
  // UsageError: `path` exists and is not an empty folder.
  explicit NewFolder(const std::string& path);
  ~NewFolder();
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  // The path at which to write a file of this name, which may include folders: "model/config.json".
  std::string file(const std::string& name) const;
  // Where its files are until commit().
  const std::string& path() const { return temporary_; }
  void commit();

 private:
  std::string path_, temporary_;
};

}  // namespace hexapla::convert
