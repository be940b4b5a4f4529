#pragma once
// Checkpoints: everything a run needs to go on, each in a folder of its own that appears whole or not at all. It is
// written under a temporary name, flushed to the disk, described by a manifest with sizes and hashes, and renamed.
//
//   DIR/LOCK                                    held by the run that writes there
//   DIR/checkpoints/update-00001234/tensors.safetensors, state.json, MANIFEST.json
//   DIR/checkpoints/aside-update-00001300/      damaged, or of a future that a resumed run has left
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tensor/safetensors.h"

namespace hexapla::train {

struct CheckpointContent {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> state;  // small and readable: update, epoch, place, ...
};

struct LoadedCheckpoint {
  int64_t update = 0;
  std::string path;
  std::map<std::string, std::string> state;
  SafetensorsFile tensors;

  // Copies the numbers of a tensor to `to`. DataError: no such tensor, or another type or shape.
  void read(const std::string& name, const Tensor& to) const;
};

// In all that follows, dir is DIR/checkpoints. Those that write expect the caller to hold DIR's RunLock.

// Writes dir/update-<update>, replacing one of that number; checkpoints of higher numbers are set aside, for a run that
// has got here from an older one cannot have been able to use them. RunError naming the path, the reason and what to do
// where it fails: then nothing of it is left behind, and the older checkpoints are as they were.
void save_checkpoint(const std::string& dir, int64_t update, const CheckpointContent& content);

// Reads one and checks every size and hash. DataError where there is none or it is damaged.
LoadedCheckpoint load_checkpoint(const std::string& dir, int64_t update);

// The newest one that is whole; nothing where there is none. Each one skipped adds a note with the reason.
std::optional<LoadedCheckpoint> load_newest(const std::string& dir, std::vector<std::string>& notes);

// The state of one, its tensors unread. DataError as load_checkpoint.
std::map<std::string, std::string> load_state(const std::string& dir, int64_t update);

// The state of the newest one that is complete, as far as can be known without reading the tensors; none: there is
// none.
std::optional<std::map<std::string, std::string>> newest_state(const std::string& dir);

// Sets those of later updates aside: they are damaged, and a run goes on without them. RunError.
void set_aside_after(const std::string& dir, int64_t update);

// Removes what saves and removals that were cut short have left.
void remove_unfinished(const std::string& dir);

// The updates of which there are checkpoints, oldest first, unread: some may be damaged. None where there is no dir.
std::vector<int64_t> list_checkpoints(const std::string& dir);

// RunError where it cannot be removed.
void remove_checkpoint(const std::string& dir, int64_t update);
// Removes the earlier copy that remains after a checkpoint is written once more.
void remove_aside(const std::string& dir, int64_t update);

// Removes the oldest so that the newest keep_last (at least 1) complete ones stay.
void prune(const std::string& dir, int64_t keep_last);

// Two runs must not write into one folder: nothing in it is written, renamed or removed by who does not hold this. Held
// until destroyed, given back by the system if the process dies.
class RunLock {
 public:
  // Makes the folder if need be. UsageError naming the process that holds the lock; RunError: no permission, ...
  explicit RunLock(const std::string& dir);
  ~RunLock();  // what it has made goes again where nothing else has come into it
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  const std::string& folder() const { return folder_; }
  // RunError: another folder has that name now, or none.
  void check_place() const;

 private:
  bool in_place() const;

  std::string folder_;
  int descriptor_ = -1;
  std::vector<std::string> made_;  // folders and the file, from the outermost
};

}  // namespace hexapla::train
