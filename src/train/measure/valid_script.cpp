#include "train/measure/valid_script.h"

#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/files/file.h"
#include "base/system/subprocess.h"
#include "text/utf8.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;

std::string write_lines(const std::string& path, std::span<const std::string> lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  write_file_atomically(path, text);
  return path;
}

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// The last line, trimmed; the text may end with blank lines.
std::string last_line(std::string text) {
  while (!text.empty() && blank(text.back())) text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  size_t begin = 0;
  while (begin < text.size() && blank(text[begin])) ++begin;
  return text.substr(begin);
}

std::optional<double> finite_number(const std::string& text) {
  double value = 0;
  const char *begin = text.data() + text.starts_with('+'), *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return {};
  return value;
}

// Shortened, with control characters replaced for the terminal.
std::string shown(const std::string& text) {
  std::string out;
  for (const char c : text::clean_utf8(text.substr(0, 200)))
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out;
}

ScriptScore measure(const TrainOptions& options, const std::string& folder, const std::vector<std::string>& files) {
  const std::string errors = folder + "/errors.txt";
  std::vector<std::string> words{options.valid_script};
  words.insert(words.end(), files.begin(), files.end());
  const SubprocessResult r = run_to_end({std::move(words), errors, options.valid_script_minutes * 60});
  if (!r.problem.empty()) {
    const std::string said = fs::exists(errors) ? shown(last_line(read_file(errors))) : "";
    return {{}, said.empty() ? r.problem : cat(r.problem, ": ", said, " (all of it is in ", errors, ")")};
  }
  const std::string last = last_line(r.out);
  const std::optional<double> score = finite_number(last);
  if (score) return {score, ""};
  if (last.empty()) return {{}, "printed nothing; the last line of its stdout must be a number"};
  return {{}, cat("printed '", shown(last), "', but the last line of its stdout must be a finite number")};
}

}  // namespace

ScriptScore measure_by_script(const TrainOptions& options, std::span<const std::string> translations,
                              std::span<const std::string> references, std::span<const std::string> sources) {
  const std::string folder = fs::absolute(options.model).string() + "/validation";
  try {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw RunError(cat("cannot create the folder ", folder, ": ", system_text(error.value())));
    return measure(
        options, folder,
        {write_lines(folder + "/translations.txt", translations), write_lines(folder + "/references.txt", references),
         write_lines(folder + "/sources.txt", sources)});
  } catch (const UserError& e) {  // a full disk, for example, costs the score, not the run
    return {{}, cat("was not run: ", e.what())};
  }
}

}  // namespace hexapla::train
