#include "serve/look/runs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla::serve {
namespace {

namespace fs = std::filesystem;
using Answer = nlohmann::ordered_json;

constexpr std::size_t most_runs = 1000, most_lines = 2000;
constexpr std::size_t tail_bytes = 1 << 16;     // more than a line of train.jsonl has
constexpr std::size_t longest_log = 64u << 20;  // bytes that are read of a log, from its end

// The end of a file, from the first whole line on.
std::string tail_of(const std::string& path, std::size_t most) {
  const FileReader file(path);
  const std::size_t size = std::min(file.size(), most);
  std::string text(size, '\0');
  file.read(file.size() - size, text.data(), size);
  if (size < file.size()) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

// The lines of a log that is being written: one that is cut short is left out.
std::vector<Answer> objects_in(const std::string& text) {
  std::vector<Answer> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (Answer object = Answer::parse(line, nullptr, false); object.is_object()) all.push_back(std::move(object));
  return all;
}

std::vector<Answer> log_of(const fs::path& path) {
  return fs::is_regular_file(path) ? objects_in(tail_of(path.string(), longest_log)) : std::vector<Answer>();
}

// Evenly spread, the last one among them.
std::vector<Answer> thinned(std::vector<Answer> all) {
  if (all.size() <= most_lines) return all;
  std::vector<Answer> some;
  for (std::size_t i = 1; i <= most_lines; ++i) some.push_back(std::move(all[i * all.size() / most_lines - 1]));
  return some;
}

std::string first_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// Whether the process that LOCK names still holds a lock: taking it, to see, could keep a training from starting.
bool locked(const fs::path& folder) {
  const std::string owner = first_line(folder / "LOCK");
  if (owner.empty()) return false;
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::istringstream words(line);
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
  const std::vector<Answer> last = objects_in(tail_of((folder / "train.jsonl").string(), tail_bytes));
  const auto found = last.empty() ? Answer() : last.back().value("update", Answer());
  return found.is_number_integer() ? found.get<int64_t>() : 0;
}

// Of a folder directly below another one, and of nothing else.
bool plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string("/\\\0", 3)) == name.npos;
}

struct Found {
  fs::path folder;
  fs::file_time_type written;
};

std::vector<Found> trainings_in(const std::string& folder) {
  std::vector<Found> all;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end && all.size() < most_runs;
       entry.increment(error)) {
    std::error_code gone;  // a run may be removed meanwhile
    const fs::path log = entry->path() / "train.jsonl";
    if (!fs::is_regular_file(log, gone)) continue;
    if (const auto written = fs::last_write_time(log, gone); !gone) all.push_back({entry->path(), written});
  }
  if (error) throw RunError(cat("cannot read the runs in ", folder, ": ", error.message(), "; fix its permissions"));
  std::sort(all.begin(), all.end(), [](const Found& a, const Found& b) {
    return a.written != b.written ? a.written > b.written : a.folder < b.folder;
  });
  return all;
}

// Those of the last validation that has any; every other one's are taken out of it.
Answer taken_samples(std::vector<Answer>& validations) {
  Answer samples = Answer::array();
  for (Answer& v : validations) {
    const auto found = v.find("samples");
    if (found == v.end()) continue;
    samples = std::move(*found);
    v.erase(found);
  }
  return samples;
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
  std::vector<Answer> train = thinned(log_of(path / "train.jsonl")), valid = log_of(path / "valid.jsonl");
  Answer samples = taken_samples(valid);
  return Answer{{"name", name},
                {"state", state_of(path)},
                {"train", std::move(train)},
                {"valid", thinned(std::move(valid))},
                {"samples", std::move(samples)}};
}

}  // namespace hexapla::serve
