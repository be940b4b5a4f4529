#include "train/record/provenance.h"

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "base/json.h"
#include "base/options/option_json.h"
#include "base/system/machine.h"
#include "data/files/parallel_text.h"
#include "train/plan/options/removed_options.h"

namespace hexapla::train {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json to_json(const TrainOptions& o) {
  ordered_json j;
  // Runs that differ only in options without effect give the same model file.
  for (const OptionRow& row : rows_of(o))
    if (row.effect != Effect::none) j[row.name] = json_of(row);
  return j;
}

// Behavior before an option existed, if it differs from the option's default.
TrainOptions options_of_old() {
  TrainOptions o;
  o.text.target_normalization = "nmt_nfkc";
  return o;
}

TrainOptions recorded_options(const json& j, std::vector<std::string>& unknown) {
  TrainOptions o = options_of_old();
  std::set<std::string> known;
  for (const OptionRow& row : o.rows()) {
    known.insert(row.name);
    if (const auto found = j.find(row.name); found != j.end()) set_recorded(row, *found);
    row.check();
  }
  for (const auto& item : j.items())
    if (!known.count(item.key()) && !was_removed({item.key(), {json_text(item.value())}}))
      unknown.push_back(item.key());
  return o;
}

const std::string& entry(const std::map<std::string, std::string>& history, const char* key, const std::string& file) {
  const auto found = history.find(key);
  if (found == history.end())
    throw DataError(cat(file, ": its history has no '", key, "', so it does not say how it was trained; only models ",
                        "that a training has written do, not averages, quantized models or those of a demo"));
  return found->second;
}

std::string optional_entry(const std::map<std::string, std::string>& history, const char* key) {
  const auto found = history.find(key);
  return found == history.end() ? "" : found->second;
}

}  // namespace

std::vector<DataFile> describe_files(const std::vector<std::string>& paths) {
  std::vector<DataFile> files;
  for (const std::string& path : paths) {
    if (path == data::kPairsOfProgram) continue;
    if (!std::filesystem::exists(path) && path != "-") read_file(path);  // throws with the reason
    if (!std::filesystem::is_regular_file(path)) continue;
    const FileReader file(path);
    files.push_back({path, hash_hex(file), std::ssize(file)});
  }
  return files;
}

std::map<std::string, std::string> Provenance::to_history() const {
  ordered_json data = ordered_json::array();
  for (const DataFile& f : files) data.push_back({{"path", f.path}, {"bytes", f.bytes}, {"hash", f.hash}});
  std::map<std::string, std::string> history{{"options", json_text(to_json(options))},
                                             {"data", json_text(data)},
                                             {"vocabulary", vocabulary},
                                             {"build", build},
                                             {"machine", machine}};
  if (!metric.empty()) history["metric"] = metric;
  if (!changed.empty()) history["changed"] = changed;
  return history;
}

Provenance Provenance::from_history(const std::map<std::string, std::string>& history, const std::string& file,
                                    std::vector<std::string>& unknown) {
  Provenance c;
  try {
    const json options = parse_json(entry(history, "options", file), cat(file, ": its training record"));
    c.options = recorded_options(options, unknown);
    if (!options.contains("valid-tokenize")) c.options.valid_tokenize = "13a";  // from before this option
    const json data = parse_json(entry(history, "data", file), cat(file, ": its training record"));
    for (const json& f : data) c.files.push_back({f.at("path"), f.at("hash"), f.at("bytes")});
  } catch (const json::exception& e) {
    throw DataError(cat(file, ": its training record cannot be read: ", e.what()));
  } catch (const UsageError& e) {
    throw DataError(cat(file, ": its training record cannot be read: ", e.what()));
  }
  c.vocabulary = entry(history, "vocabulary", file);
  c.build = optional_entry(history, "build");
  c.machine = optional_entry(history, "machine");
  c.metric = optional_entry(history, "metric");
  c.changed = optional_entry(history, "changed");
  return c;
}

std::string hash_of_vocabularies(const std::string& source, const std::string& target) {
  return hash_hex(source == target ? source : source + target);
}

std::string build_text() {
  const Build& b = build();
  return cat(b.version, b.commit.empty() ? "" : " of " + b.commit, ", ", b.compiler, ", ", b.type);
}

std::string machine_text(const std::string& backend, const std::string& precision) {
  return cat(processor_name(), ", ", backend, ", ", precision);
}

std::vector<std::string> differences(const Provenance& was, const Provenance& now) {
  std::vector<std::string> all;
  for (size_t i = 0; i < std::max(was.files.size(), now.files.size()); ++i) {
    if (i >= was.files.size() || i >= now.files.size()) {
      all.push_back(cat("it was trained on ", was.files.size(), was.files.size() == 1 ? " file" : " files",
                        ", now there are ", now.files.size()));
      break;
    }
    const DataFile &a = was.files[i], &b = now.files[i];
    if (a.hash != b.hash)
      all.push_back(cat("the data differs: ", b.path, " has the hash ", b.hash, " and ", b.bytes, " bytes, but ",
                        a.path, " had ", a.hash, " and ", a.bytes));
  }
  if (!now.vocabulary.empty() && was.vocabulary != now.vocabulary)
    all.push_back(cat("the vocabulary differs: its hash is ", now.vocabulary, ", but was ", was.vocabulary));
  if (was.machine != now.machine)
    all.push_back(
        cat("the machine differs: ", now.machine, "; it was ", was.machine.empty() ? "not recorded" : was.machine));
  if (was.build != now.build)
    all.push_back(cat("the build differs: ", now.build, "; it was ", was.build.empty() ? "not recorded" : was.build));
  if (was.changed != now.changed)
    all.push_back(cat(was.changed.find(kInstructionSet) == was.changed.npos ? "options" : "options or the processor",
                      " were changed during the run (", was.changed,
                      "), but the reproduction uses the last values from the start: the bytes will differ"));
  return all;
}

}  // namespace hexapla::train
