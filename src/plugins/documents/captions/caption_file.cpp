#include "documents/captions/caption_file.h"

#include <algorithm>

#include "documents/file_lines.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

const std::string kArrow = std::string(2, '-') + ">";  // between the times of a cue

using text::ascii::is_digit;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const std::size_t end = text.find_last_not_of(" \t");
  return text.substr(begin, end == text.npos ? 0 : end + 1 - begin);
}

// At most `most` digits.
std::optional<std::int64_t> take_digits(std::string_view& text, std::size_t most) {
  std::size_t n = 0;
  std::int64_t value = 0;
  for (; n < text.size() && n < most && is_digit(text[n]); ++n) value = 10 * value + (text[n] - '0');
  text.remove_prefix(n);
  if (n == 0 || (!text.empty() && is_digit(text[0]))) return {};
  return value;
}

bool take(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  return true;
}

std::optional<CueTimes> times_of(std::string_view line) {
  line = trimmed(line);
  const bool begins = !line.empty() && is_digit(line[0]), arrowed = line.find(kArrow) != line.npos;
  const std::optional<std::int64_t> from = take_time(line);
  line = trimmed(line);
  if (from && (take(line, kArrow) || take(line, ","))) {
    line = trimmed(line);
    if (const std::optional<std::int64_t> to = take_time(line)) return CueTimes{*from, *to};
  }
  if (begins && arrowed) return CueTimes{-1, -1};  // a typing mistake in the times, not text
  return {};
}

// For each line, whether the next non-empty line has cue times.
std::vector<bool> before_times(const std::vector<FileLine>& lines, const std::vector<std::optional<CueTimes>>& times) {
  std::vector<bool> before(lines.size());
  bool next = false;
  for (std::size_t i = lines.size(); i-- > 0;) {
    before[i] = next;
    if (!trimmed(lines[i].text).empty()) next = times[i].has_value();
  }
  return before;
}

bool is_number(std::string_view line) { return !line.empty() && std::all_of(line.begin(), line.end(), is_digit); }

}  // namespace

std::optional<std::int64_t> take_time(std::string_view& text) {
  std::string_view rest = text;
  std::int64_t seconds = 0;
  std::size_t fields = 0;
  do {
    const auto field = take_digits(rest, 6);
    if (!field || ++fields > 3) return {};
    seconds = 60 * seconds + *field;
  } while (take(rest, ":"));
  if (fields < 2 || !(take(rest, ".") || take(rest, ","))) return {};
  const std::size_t before = rest.size();
  auto fraction = take_digits(rest, 3);
  if (!fraction) return {};
  for (std::size_t digits = before - rest.size(); digits < 3; ++digits) *fraction *= 10;
  text = rest;
  return 1000 * seconds + *fraction;
}

CaptionFile caption_file(std::string_view content) {
  CaptionFile file;
  file.web = content.substr(size_of_mark(content)).starts_with("WEBVTT");
  const std::vector<FileLine> lines = file_lines(content);
  std::vector<std::optional<CueTimes>> times;
  for (const FileLine& line : lines) times.push_back(times_of(line.text.substr(size_of_mark(line.text))));
  const std::vector<bool> number_next = before_times(lines, times);
  bool inside = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = trimmed(lines[i].text);
    if (times[i]) file.cues.push_back(*times[i]);
    if (file.web && (lines[i].text.empty() || text.find(kArrow) != text.npos)) inside = false;
    inside = inside || times[i];
    const bool words = inside && !times[i] && !text.empty() && !(is_number(text) && number_next[i]);
    file.rows.push_back({std::string(lines[i].text), std::string(lines[i].end), words, file.cues.size()});
  }
  return file;
}

}  // namespace hexapla::text::document
