#pragma once
// Checkpoints: everything a run needs to resume, each in its own folder that appears completely or
// not at all. It is written under a temporary name, flushed to disk, described by a manifest with
// sizes and hashes, and renamed.
//
//   DIR/LOCK                                    held by the run that writes there
//   DIR/checkpoints/update-00001234/tensors.safetensors, state.json, MANIFEST.json
//   DIR/checkpoints/aside-update-00001300/      damaged, or from a future that a resumed run left
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tensor/safetensors.h"

namespace hexapla::train {

struct CheckpointContent {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> state;  // small and readable: update, epoch, position, ...
};

struct LoadedCheckpoint {
  int64_t update = 0;
  std::string path;
  std::map<std::string, std::string> state;
  SafetensorsFile tensors;

  // Copies a tensor's values to `to`. DataError: no such tensor, or wrong type or shape.
  void read(const std::string& name, const Tensor& to) const;
};

// Below, dir is DIR/checkpoints. Functions that write expect the caller to hold DIR's RunLock.

// Writes dir/update-<update>, replacing an existing one. Sets checkpoints of later updates aside: a
// run that got here from an older one was unable to use them. RunError naming path, reason and
// remedy; then nothing new remains and older checkpoints are unchanged.
void save_checkpoint(const std::string& dir, int64_t update, const CheckpointContent& content);

// Reads a checkpoint and checks all sizes and hashes. DataError: missing or damaged.
LoadedCheckpoint load_checkpoint(const std::string& dir, int64_t update);

// The newest intact checkpoint, if any. Adds a note with the reason for each one skipped.
std::optional<LoadedCheckpoint> load_newest(const std::string& dir, std::vector<std::string>& notes);

// The state without reading the tensors. DataError as load_checkpoint.
std::map<std::string, std::string> load_state(const std::string& dir, int64_t update);

// State of the newest checkpoint that looks complete without reading its tensors, if any.
std::optional<std::map<std::string, std::string>> newest_state(const std::string& dir);

// Sets checkpoints of later updates aside: they are damaged, and the run continues without them.
// RunError.
void set_aside_after(const std::string& dir, int64_t update);

// Removes leftovers of interrupted saves and removals.
void remove_unfinished(const std::string& dir);

// Updates with checkpoints, oldest first; does not check for damage. Empty if dir does not exist.
std::vector<int64_t> list_checkpoints(const std::string& dir);

// RunError: cannot be removed.
void remove_checkpoint(const std::string& dir, int64_t update);
// Removes the earlier copy set aside when a checkpoint is written again.
void remove_aside(const std::string& dir, int64_t update);

// Keeps the newest keep_last (at least 1) complete checkpoints and removes older ones.
void prune(const std::string& dir, int64_t keep_last);

// Prevents two runs from using one folder: only the holder writes, renames or removes anything in
// it. Held until destroyed; the system releases it if the process dies.
class RunLock {
 public:
  // Creates the folder if needed. RunError: another process, which is named, holds the lock; no
  // permission, ...
  explicit RunLock(const std::string& dir);
  ~RunLock();  // removes the folders and file it made, if nothing else is in them
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  const std::string& folder() const { return folder_; }
  // RunError: the name now refers to another folder, or to none.
  void check_place() const;

 private:
  bool in_place() const;

  std::string folder_;
  int descriptor_ = -1;
  std::vector<std::string> made_;  // folders and lock file, outermost first
};

}  // namespace hexapla::train
