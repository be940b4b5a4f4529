#include "data/corpus.h"

#include <utility>

#include "base/error.h"
#include "data/lines.h"
#include "text/utf8.h"

namespace hexapla {
namespace {

constexpr size_t kPlacesNamed = 5;

bool blank(std::string_view line) { return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

std::string hex(unsigned char byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'0', 'x', digits[byte >> 4], digits[byte & 15]};
}

// Files from elsewhere are mostly Latin-1 or UTF-16; the latter shows by its mark or by NUL bytes.
std::string convert_with(std::string_view encoding, const std::string& name) {
  return cat("convert the file with: iconv -f ", encoding, " -t UTF-8 ", name);
}

int64_t rest_of(LineReader& reader) {
  for (std::string line; reader.next(line);) {
  }
  return reader.line_number();
}

[[noreturn]] void fail_empty(const std::string& name) {
  throw DataError(cat(name, " is empty: give a text file with one sentence a line"));
}

// Both readers stand behind the last pair; one may have more lines.
void check_counts(LineReader& source, LineReader& target) {
  const int64_t n = rest_of(source), m = rest_of(target);
  if (n == 0) fail_empty(source.name());
  if (m == 0) fail_empty(target.name());
  if (n != m) {
    throw DataError(cat(source.name(), " has ", n, " lines but ", target.name(), " has ", m,
                        ": line i of one must translate line i of the other; find where they part and mend the shorter "
                        "one"));
  }
}

// What was wrong with the pairs that were left out.
struct Dropped {
  DropCount blank, source_long, target_long;

  std::vector<std::string> notes(const Corpus& corpus, const CorpusChecks& checks) const {
    const std::string both = corpus.source_name + " + " + corpus.target_name;
    const std::string long_line = cat("a line is longer than ", checks.max_line_bytes, " bytes");
    std::vector<std::string> out;
    if (blank.count()) out.push_back(blank.note(both, "a line is blank"));
    if (source_long.count()) out.push_back(source_long.note(corpus.source_name, long_line));
    if (target_long.count()) out.push_back(target_long.note(corpus.target_name, long_line));
    return out;
  }
};

// The reason to leave the pair out, or null.
DropCount* reason_to_drop(Dropped& dropped, std::string_view source, std::string_view target, int64_t max_bytes) {
  if (blank(source) || blank(target)) return &dropped.blank;
  if (static_cast<int64_t>(source.size()) > max_bytes) return &dropped.source_long;
  if (static_cast<int64_t>(target.size()) > max_bytes) return &dropped.target_long;
  return nullptr;
}

}  // namespace

void DropCount::add(int64_t line) {
  ++count_;
  if (first_.size() < kPlacesNamed) first_.push_back(line);
}

std::string DropCount::note(const std::string& where, const std::string& why) const {
  std::string places;
  for (const int64_t line : first_) places += cat(places.empty() ? "" : ", ", line);
  if (count_ > static_cast<int64_t>(first_.size())) places += ", ...";
  return cat(where, ": ", count_, count_ == 1 ? " pair" : " pairs", " dropped, ", why, " (",
             count_ == 1 ? "line " : "lines ", places, ")");
}

void check_line(std::string_view line, const std::string& name, int64_t line_number) {
  if (const size_t nul = line.find('\0'); nul != std::string_view::npos) {
    throw DataError(cat(name, " line ", line_number, " has a NUL byte at byte ", nul + 1,
                        ": this is not UTF-8 text; if it is UTF-16, ", convert_with("UTF-16", name),
                        ", else remove the byte"));
  }
  const auto bad = invalid_utf8(line);
  if (!bad) return;
  const bool utf16 = line_number == 1 && (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF"));
  throw DataError(cat(name, " line ", line_number, " is not valid UTF-8 at byte ", *bad + 1, " (",
                      hex(static_cast<unsigned char>(line[*bad])), "): ",
                      convert_with(utf16 ? "UTF-16" : "ISO-8859-1", name), utf16 ? "" : " (or its true encoding)"));
}

Corpus read_parallel(const std::string& source_path, const std::string& target_path, const CorpusChecks& checks) {
  if (source_path == "-" && target_path == "-") {
    throw UsageError("source and target are both \"-\": only one of them can come from stdin");
  }
  LineReader source(source_path), target(target_path);
  Corpus corpus;
  corpus.source_name = source.name();
  corpus.target_name = target.name();
  Dropped dropped;
  std::string x, y;
  while (source.next(x)) {
    if (!target.next(y)) break;
    const int64_t line = source.line_number();
    check_line(x, source.name(), line);
    check_line(y, target.name(), line);
    if (DropCount* why = reason_to_drop(dropped, x, y, checks.max_line_bytes)) {
      why->add(line);
      continue;
    }
    corpus.source.push_back(std::move(x));
    corpus.target.push_back(std::move(y));
    corpus.lines.push_back(line);
  }
  check_counts(source, target);
  corpus.notes = dropped.notes(corpus, checks);
  if (corpus.size() == 0) {
    throw DataError(cat("no usable pair in ", source.name(), " and ", target.name(), ": ", corpus.notes.front()));
  }
  return corpus;
}

std::vector<std::string> read_checked_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    check_line(line, reader.name(), reader.line_number());
    lines.push_back(std::move(line));
  }
  if (lines.empty()) fail_empty(reader.name());
  return lines;
}

}  // namespace hexapla
