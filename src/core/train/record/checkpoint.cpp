#include "train/record/checkpoint.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/hash.h"
#include "base/json.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kTensorsName = "tensors.safetensors";
constexpr const char* kStateName = "state.json";
constexpr const char* kManifestName = "MANIFEST.json";
constexpr std::string_view kPrefix = "update-";

std::string name_of(int64_t update) { return fmt::format("{}{:08}", kPrefix, update); }
std::string path_of(const std::string& dir, int64_t update) { return dir + "/" + name_of(update); }

std::optional<int64_t> update_in_name(const std::string& name) {
  if (name.rfind(kPrefix, 0) != 0) return {};
  int64_t update = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kPrefix.size(), end, update);
  if (error != std::errc() || stop != end || name_of(update) != name) return {};
  return update;
}

void rename_directory(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) != 0) fail_file("rename " + from + " to", to, errno);
}

void remove_directory(const std::string& path) {
  std::error_code error;
  fs::remove_all(path, error);
  if (error) fail_file("remove", path, error.value());
}

// A folder under construction: removed with its content unless it gets its final name.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(std::string path) : path_(std::move(path)) { make_folder(path_); }
  ~TemporaryDirectory() {
    std::error_code ignored;  // ignored: another error is being handled, and the next save tries again
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  void rename_to(const std::string& name) {
    rename_directory(path_, name);
    path_.clear();
  }

 private:
  std::string path_;
};

// Names in a folder; none if it does not exist.
std::vector<std::string> names_in(const std::string& dir) {
  std::vector<std::string> names;
  std::error_code error;
  if (!fs::exists(dir, error)) return names;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  if (error) fail_file("read the folder", dir, error.value());
  return names;
}

std::string aside_of(const std::string& dir, int64_t update) { return dir + "/aside-" + name_of(update); }

void set_aside(const std::string& dir, int64_t update) {
  remove_aside(dir, update);
  rename_directory(path_of(dir, update), aside_of(dir, update));
}

json file_facts(const FileReader& file) { return {{"size", file.size()}, {"xxh3_128", hash_hex(file)}}; }

void write_manifest(const std::string& folder, int64_t update) {
  json manifest = {{"format", "hexapla checkpoint"}, {"format_version", 1}, {"update", update}};
  for (const char* name : {kTensorsName, kStateName})
    manifest["files"][name] = file_facts(FileReader(folder + "/" + name));
  write_file_atomically(folder + "/" + kManifestName, json_text(manifest, 1) + "\n");
}

[[noreturn]] void damaged(const std::string& path, const std::string& why) { throw DataError(cat(path, ": ", why)); }

json read_object(const std::string& path) {
  const json object = json_or_null(read_file(path));
  if (!object.is_object()) damaged(path, "not a valid JSON object");
  return object;
}

json read_manifest(const std::string& folder, int64_t update) {
  const std::string path = folder + "/" + kManifestName;
  const json manifest = read_object(path);
  const auto is = [&](const char* key, const json& value) { return manifest.value(key, json()) == value; };
  if (!is("format", "hexapla checkpoint")) damaged(path, "not the manifest of a checkpoint");
  if (!is("format_version", 1))
    damaged(path, cat("the format version is ", json_text(manifest.value("format_version", json())),
                      ", but only 1 is known; continue with the program that wrote it"));
  if (!is("update", update)) damaged(path, "it belongs to another update");
  return manifest;
}

json facts_of(const json& manifest, const std::string& folder, const char* name) {
  const json files = manifest.value("files", json::object());
  const json facts = files.is_object() ? files.value(name, json()) : json();
  if (!facts.is_object()) damaged(folder + "/" + kManifestName, cat("nothing about ", name));
  return facts;
}

void check_content(const json& manifest, const std::string& folder, const char* name) {
  const std::string path = folder + "/" + name;
  const json expected = facts_of(manifest, folder, name), found = file_facts(FileReader(path));
  if (expected != found) damaged(path, cat("it is ", json_text(found), ", but was written as ", json_text(expected)));
}

// Are all files present with the right sizes? Does not read the tensors.
bool complete(const std::string& dir, int64_t update) {
  const std::string folder = path_of(dir, update);
  try {
    const json manifest = read_manifest(folder, update);
    for (const char* name : {kTensorsName, kStateName})
      if (facts_of(manifest, folder, name).value("size", json()) != fs::file_size(folder + "/" + name)) return false;
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

std::map<std::string, std::string> state_of(const std::string& path) {
  std::map<std::string, std::string> state;
  const json object = read_object(path);
  for (const auto& [key, value] : object.items()) {
    if (!value.is_string()) damaged(path, cat("the value of '", key, "' is not a text"));
    state[key] = value.get<std::string>();
  }
  return state;
}

}  // namespace

void LoadedCheckpoint::read(const std::string& name, const Tensor& to) const { tensors.copy(tensors.get(name), to); }

void save_checkpoint(const std::string& dir, int64_t update, const CheckpointContent& content) {
  HEXAPLA_CHECK(update >= 0, "a checkpoint of update ", update);
  make_folder(dir);
  remove_unfinished(dir);
  const std::string temporary = dir + "/.tmp-" + name_of(update);
  TemporaryDirectory folder(temporary);
  write_safetensors(temporary + "/" + kTensorsName, content.tensors, {{"format", "hexapla checkpoint"}});
  write_file_atomically(temporary + "/" + kStateName, json_text(json(content.state), 1) + "\n");
  write_manifest(temporary, update);

  for (const int64_t other : list_checkpoints(dir))
    if (other >= update) set_aside(dir, other);
  folder.rename_to(path_of(dir, update));
  sync_directory(dir);
}

LoadedCheckpoint load_checkpoint(const std::string& dir, int64_t update) {
  const std::string folder = path_of(dir, update);
  const json manifest = read_manifest(folder, update);
  LoadedCheckpoint loaded{update, folder, {}, {}};
  for (const char* name : {kStateName, kTensorsName}) check_content(manifest, folder, name);
  loaded.state = state_of(folder + "/" + kStateName);
  loaded.tensors = SafetensorsFile::open(folder + "/" + kTensorsName);
  return loaded;
}

std::map<std::string, std::string> load_state(const std::string& dir, int64_t update) {
  const std::string folder = path_of(dir, update);
  check_content(read_manifest(folder, update), folder, kStateName);
  return state_of(folder + "/" + kStateName);
}

std::optional<std::map<std::string, std::string>> newest_state(const std::string& dir) {
  const auto updates = list_checkpoints(dir);
  for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
    try {
      if (complete(dir, *update)) return load_state(dir, *update);
    } catch (const UserError&) {  // load_newest() reports why
    }
  }
  return {};
}

std::optional<LoadedCheckpoint> load_newest(const std::string& dir, std::vector<std::string>& notes) {
  const auto updates = list_checkpoints(dir);
  for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
    try {
      return load_checkpoint(dir, *update);
    } catch (const UserError& e) {
      notes.push_back(cat("skipped the checkpoint of update ", *update, ", which is damaged: ", e.what()));
    }
  }
  return {};
}

void set_aside_after(const std::string& dir, int64_t update) {
  bool any = false;
  for (const int64_t later : list_checkpoints(dir))
    if (later > update) set_aside(dir, later), any = true;
  if (any) sync_directory(dir);
}

void remove_unfinished(const std::string& dir) {
  for (const auto& name : names_in(dir))
    if (name.rfind(".tmp-", 0) == 0) remove_directory(dir + "/" + name);
}

std::vector<int64_t> list_checkpoints(const std::string& dir) {
  std::vector<int64_t> updates;
  for (const auto& name : names_in(dir))
    if (const auto update = update_in_name(name)) updates.push_back(*update);
  std::sort(updates.begin(), updates.end());
  return updates;
}

// Renames before removing: a crash in between leaves a leftover, not half a checkpoint.
void remove_aside(const std::string& dir, int64_t update) { remove_directory(aside_of(dir, update)); }

void remove_checkpoint(const std::string& dir, int64_t update) {
  const std::string trash = dir + "/.tmp-old-" + name_of(update);
  remove_directory(trash);
  rename_directory(path_of(dir, update), trash);
  sync_directory(dir);
  remove_directory(trash);
}

void prune(const std::string& dir, int64_t keep_last) {
  HEXAPLA_CHECK(keep_last >= 1, "at least one checkpoint must be kept, not ", keep_last);
  const auto updates = list_checkpoints(dir);
  int64_t kept = 0;
  for (auto update = updates.rbegin(); update != updates.rend(); ++update) {
    if (kept >= keep_last)
      remove_checkpoint(dir, *update);
    else if (complete(dir, *update))
      ++kept;
  }
}

RunLock::RunLock(const std::string& dir) : folder_(dir) {
  std::error_code none;
  for (fs::path part = fs::absolute(dir); !fs::exists(part, none) && part.has_relative_path();
       part = part.parent_path())
    made_.insert(made_.begin(), part.string());
  const std::string path = dir + "/LOCK";
  if (!fs::exists(path, none)) made_.push_back(path);
  do {  // a lock file that its holder has just removed locks nothing
    if (descriptor_ >= 0) close(descriptor_);
    make_folder(dir);
    descriptor_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail_file("open", path, errno);
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      const int error = errno;
      char owner[32] = {};
      const auto n = pread(descriptor_, owner, sizeof owner - 1, 0);
      close(descriptor_);
      if (error != EWOULDBLOCK) fail_file("lock", path, error);
      throw RunError(cat(dir, " is in use by another run, process ", n > 1 ? std::string(owner, n - 1) : "unknown",
                         "; wait until it ends or stop it, or choose another folder"));
    }
  } while (!in_place());
  const std::string pid = cat(getpid()) + "\n";  // only for messages: the actual lock is flock's
  if (ftruncate(descriptor_, 0) == 0) [[maybe_unused]]
    const auto n = pwrite(descriptor_, pid.data(), pid.size(), 0);
}

bool RunLock::in_place() const {
  struct stat own, there;
  return fstat(descriptor_, &own) == 0 && stat((folder_ + "/LOCK").c_str(), &there) == 0 &&
         own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

void RunLock::check_place() const {
  if (in_place()) return;
  std::error_code none;
  const fs::path now = fs::read_symlink(cat("/proc/self/fd/", descriptor_), none).parent_path();
  throw RunError(cat(folder_, " was renamed or removed during the run",
                     fs::exists(now, none) ? cat(" (it is ", now.string(), " now)") : "",
                     ": nothing is written under that name; give the folder its name back"));
}

RunLock::~RunLock() {
  std::error_code none;
  const std::string lock = folder_ + "/LOCK";
  const bool alone = in_place() && std::distance(fs::directory_iterator(folder_, none), {}) == 1;
  if (alone && !made_.empty() && made_.back() == lock)
    for (auto made = made_.rbegin(); made != made_.rend(); ++made) fs::remove(*made, none);  // folders only if empty
  close(descriptor_);
}

}  // namespace hexapla::train
