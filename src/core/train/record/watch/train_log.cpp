#include "train/record/watch/train_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/json.h"

namespace hexapla::train {
namespace {

std::string with_time(const std::string& object) {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[64];
  const size_t size = std::strftime(text, sizeof text, ", \"time\": \"%Y-%m-%dT%H:%M:%SZ\"}\n", &utc);
  return object.substr(0, object.size() - 1).append(text, size);
}

// Appends all of the text or none: half a line would corrupt the next one.
bool append_to(const std::string& path, std::string_view text) {
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) return false;
  struct stat before {};
  bool whole = fstat(file, &before) == 0;
  while (whole && !text.empty()) {
    const ssize_t n = write(file, text.data(), text.size());
    if (n > 0) text.remove_prefix(static_cast<size_t>(n));
    whole = n > 0 || (n < 0 && errno == EINTR);
  }
  const int error = errno;
  if (!whole) [[maybe_unused]]
    const int cut = ftruncate(file, before.st_size);
  close(file);
  errno = error;
  return whole;
}

// The update of a log line. None: a remnant of a crash or an edit.
std::optional<int64_t> update_of_line(const std::string& line) {
  const auto object = json_or_null(line);
  if (!object.is_object() || !object.contains("update") || !object["update"].is_number_integer()) return {};
  return object["update"].get<int64_t>();
}

[[noreturn]] void fail_to_write(const std::string& path) {
  throw RunError(cat("cannot write ", path, ": ", system_text(errno), "; free some space or fix its permissions"));
}

// Shortest digits that read back as the same double, as everywhere in the logs. JSON has no
// infinity: a diverged model's perplexity is null.
std::string number(double value) { return std::isfinite(value) ? fmt::format("{}", value) : "null"; }

std::string numbers_json(const ValidScores& s) {
  return fmt::format("\"loss\": {}, \"perplexity\": {}, \"bleu\": {}, \"chrf\": {}", number(s.loss),
                     number(s.perplexity), number(s.bleu.value_or(-1)), number(s.chrf.value_or(-1)));
}

}  // namespace

std::string to_json(const TrainReport& r) {
  const auto where_known = [](const char* name, const std::optional<double>& value) {
    return value ? fmt::format("\"{}\": {}, ", name, *value) : "";
  };
  return fmt::format(
      "{{\"update\": {}, \"epoch\": {}, \"loss\": {}, \"learning_rate\": {}, \"gradient_norm\": {}, "
      "{}{}\"target_tokens\": {}, \"tokens_per_second\": {:.1f}}}",
      r.update, r.epoch, r.loss, r.lr, r.gradient_norm, where_known("alignment_loss", r.alignment_loss),
      where_known("load_balancing", r.load_balancing), r.target_tokens, r.tokens_per_second);
}

std::string to_json(const Validation& v) {
  std::string sets;
  for (const auto& [name, scores] : v.sets)
    sets +=
        fmt::format("{}{}: {{{}}}", sets.empty() ? "" : ", ", json_text(nlohmann::json(name)), numbers_json(scores));
  return fmt::format(
      "{{\"update\": {}, \"epoch\": {}, {}, {}{}\"compared_by\": {}, \"best\": {}, \"signature\": {}, "
      "\"length_ratio\": {}, \"runaway\": {}, \"samples\": {}, \"worst\": {}}}",
      v.update, v.epoch, numbers_json(v), v.script ? fmt::format("\"script\": {}, ", *v.script) : "",
      sets.empty() ? "" : fmt::format("\"sets\": {{{}}}, ", sets), json_text(nlohmann::json(v.compared_by)), v.best,
      json_text(nlohmann::json(v.signature)), number(v.length_ratio), number(v.runaway),
      json_text(nlohmann::json(v.examples)), json_text(nlohmann::json(v.worst)));
}

JsonLines::JsonLines(std::string path, int64_t update) : path_(std::move(path)) {
  if (!std::filesystem::exists(path_)) return;
  Classic<std::istringstream> in(read_file(path_));
  std::string kept, dropped;
  for (std::string line; std::getline(in, line);)
    if (const auto own = update_of_line(line); own && *own <= update)
      kept += line + "\n";
    else if (own)
      dropped += line + "\n", lost_ = std::max(lost_, *own);
  const std::filesystem::path log(path_);
  if (const std::string earlier = log.parent_path() / ("earlier-" + log.filename().string());
      !dropped.empty() && !append_to(earlier, dropped))
    fail_to_write(earlier);
  write_file_atomically(path_, kept);
}

void JsonLines::append(const std::string& object) {
  if (!append_to(path_, with_time(object))) fail_to_write(path_);
}

}  // namespace hexapla::train
