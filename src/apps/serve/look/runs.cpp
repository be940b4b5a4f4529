#include "serve/look/runs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/range.h"

namespace hexapla::serve {
namespace {

namespace fs = std::filesystem;
using Answer = nlohmann::ordered_json;

constexpr const char* kCheckpoints = "checkpoints";
constexpr std::size_t kMostRuns = 1000, kMostLines = 2000;
constexpr std::size_t kTailBytes = 1 << 16;      // longer than any line of train.jsonl
constexpr std::size_t kLongestLog = 256u << 20;  // bytes read from the end of a log
constexpr std::size_t kLongestLine = 1 << 20, kBlockBytes = 1 << 20;

// The last bytes of a file, starting with a whole line.
std::string tail_of(const std::string& path, std::size_t most) {
  const FileReader file(path);
  const std::size_t size = std::min(file.size(), most);
  std::string text(size, '\0');
  file.read(file.size() - size, text.data(), size);
  if (size < file.size()) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

// Nothing if the line is not an object, for example because it is still being written.
std::optional<Answer> object_in(const std::string& line) {
  auto object = json_or_null<Answer>(line);
  return object.is_object() ? std::optional(std::move(object)) : std::nullopt;
}

// The beginnings of a file's lines and the end of its last whole line; only for the last
// kLongestLog bytes.
std::vector<std::size_t> lines_in(const FileReader& file) {
  std::vector<std::size_t> begins;
  std::size_t at = file.size() > kLongestLog ? file.size() - kLongestLog : 0;
  if (at == 0) begins.push_back(0);
  std::string block(kBlockBytes, '\0');
  for (std::size_t size = 0; at < file.size(); at += size) {
    size = std::min(block.size(), file.size() - at);
    file.read(at, block.data(), size);
    for (std::size_t end = 0; (end = block.find('\n', end)) < size;) begins.push_back(at + ++end);
  }
  return begins;
}

// Calls each(object) for at most kMostLines lines of a log, evenly spaced and including the last.
// Reads only these.
template <class F>
void each_object(const fs::path& path, F&& each) {
  if (!fs::is_regular_file(path)) return;
  const FileReader file(path.string());
  const std::vector<std::size_t> begins = lines_in(file);
  const std::size_t lines = begins.empty() ? 0 : begins.size() - 1, some = std::min(lines, kMostLines);
  for (std::size_t i = 1; i <= some; ++i) {
    const std::size_t line = i * lines / some - 1, size = begins[line + 1] - begins[line] - 1;
    if (size > kLongestLine) continue;
    std::string text(size, '\0');
    file.read(begins[line], text.data(), size);
    if (auto object = object_in(text)) each(*std::move(object));
  }
}

std::string first_line(const fs::path& path) {
  Classic<std::ifstream> in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Whether the process named in LOCK holds a lock. Does not try to take it, which could keep a
// training from starting.
bool locked(const fs::path& folder) {
  const std::string owner = first_line(folder / "LOCK");
  if (owner.empty()) return false;
  Classic<std::ifstream> locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    Classic<std::istringstream> words(line);
    std::string number, kind, advisory, access, process;
    words >> number >> kind >> advisory >> access >> process;
    if (kind == "FLOCK" && access == "WRITE" && process == owner) return true;
  }
  return false;
}

const char* state_of(const fs::path& folder) {
  if (locked(folder)) return "training";
  return fs::exists(folder / "model.safetensors") ? "finished" : "stopped";
}

bool trained_in(const fs::path& folder) { return fs::is_regular_file(folder / "train.jsonl"); }

int64_t updates_of(const fs::path& folder) {
  std::string text = tail_of((folder / "train.jsonl").string(), kTailBytes);
  for (std::size_t end = text.rfind('\n'); end != text.npos; end = text.rfind('\n')) {
    text.resize(end);
    const auto object = object_in(text.substr(text.rfind('\n') + 1));
    if (!object) continue;
    const Answer update = object->value("update", Answer());
    return update.is_number_integer() ? update.get<int64_t>() : 0;
  }
  return 0;
}

// Whether this can only name a direct subfolder.
bool plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string("/\\\0", 3)) == name.npos;
}

// The checkpoints in a folder by their updates; empty if there is no such folder.
std::map<std::int64_t, fs::path> checkpoints_in(const fs::path& folder) {
  constexpr std::string_view kPrefix = "update-";
  std::map<std::int64_t, fs::path> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto update = name.starts_with(kPrefix) ? parse_number<std::int64_t>(name.substr(kPrefix.size()))
                                                  : std::optional<std::int64_t>();
    if (update) all.emplace(*update, entry->path());
  }
  return all;
}

struct Found {
  fs::path folder;
  fs::file_time_type written;
};

std::vector<Found> trainings_in(const std::string& folder) {
  std::vector<Found> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && all.size() < kMostRuns;
       entry.increment(error)) {
    std::error_code gone;  // a run may disappear meanwhile
    const fs::path log = entry->path() / "train.jsonl";
    if (!fs::is_regular_file(log, gone)) continue;
    if (const auto written = fs::last_write_time(log, gone); !gone) all.push_back({entry->path(), written});
  }
  if (error)
    throw RunError(cat("cannot read the runs in ", folder, ": ", system_text(error.value()), "; fix its permissions"));
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return a.written != b.written ? a.written > b.written : a.folder < b.folder;
  });
  return all;
}

}  // namespace

Answer runs(const std::string& folder) {
  Answer list = Answer::array();
  for (const Found& f : trainings_in(folder))
    list.push_back(
        {{"name", f.folder.filename().string()}, {"updates", updates_of(f.folder)}, {"state", state_of(f.folder)}});
  return {{"runs", std::move(list)}};
}

std::optional<Answer> run(const std::string& folder, const std::string& name) {
  if (!plain_name(name)) return {};
  const fs::path path = fs::path(folder) / name;
  std::error_code error;
  if (!fs::is_directory(path, error) || !trained_in(path)) return {};
  Answer train = Answer::array(), valid = Answer::array(), samples = Answer::array();
  each_object(path / "train.jsonl", [&](Answer object) { train.push_back(std::move(object)); });
  each_object(path / "valid.jsonl", [&](Answer object) {  // keeps the last samples
    if (const auto found = object.find("samples"); found != object.end()) {
      samples = std::move(*found);
      object.erase(found);
    }
    valid.push_back(std::move(object));
  });
  Answer checkpoints = Answer::array();
  for (const auto& [update, place] : checkpoints_in(path / kCheckpoints)) checkpoints.push_back(update);
  return Answer{{"name", name},
                {"state", state_of(path)},
                {"train", std::move(train)},
                {"valid", std::move(valid)},
                {"samples", std::move(samples)},
                {"checkpoints", std::move(checkpoints)}};
}

std::optional<std::string> checkpoint_of(const std::string& folder, const std::string& name, std::int64_t update) {
  if (!plain_name(name)) return {};
  const fs::path all = fs::path(folder) / name / kCheckpoints;
  for (const auto& [own, path] : checkpoints_in(all))
    if (own == update) return path.string();
  return {};
}

}  // namespace hexapla::serve
