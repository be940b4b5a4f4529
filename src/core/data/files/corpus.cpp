#include "data/files/corpus.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/shell_word.h"
#include "data/files/lines.h"
#include "data/packed/compression.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace hexapla::data {
namespace {

constexpr size_t kPlacesNamed = 5;

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t\r\v\f") == std::string_view::npos; }

std::string hex(unsigned char byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'0', 'x', digits[byte >> 4], digits[byte & 15]};
}

// The beginning of the file as far as it is readable; at least `some`.
std::string beginning_of(const std::string& name, std::string_view some) {
  constexpr size_t enough = size_t{16} << 20;
  std::string sample;
  try {
    LineReader reader(name);
    for (std::string line; sample.size() < enough && reader.next(line);) sample += line + "\n";
  } catch (const UserError&) {  // the original error is reported, not this one
  }
  return sample.size() < some.size() ? std::string(some) : sample;
}

std::string unpacker_of(const std::string& name) {
  std::array<char, kCompressionHead> head{};
  Classic<std::ifstream> file(name, std::ios::binary);
  file.read(head.data(), head.size());
  switch (compression_of({head.data(), static_cast<size_t>(file.gcount())})) {
    case Compression::gzip:
      return "gzip -dc";
    case Compression::zstd:
      return "zstd -dc";
    case Compression::xz:
      return "xz -dc";
    case Compression::none:
      break;
  }
  return "";
}

[[noreturn]] void fail_empty_corpus(const std::string& name) {
  throw DataError(cat(name, " is empty: give a text file with one sentence per line"));
}

}  // namespace

void DropCount::add(int64_t line) {
  ++count_;
  if (first_.size() < kPlacesNamed) first_.push_back(line);
}

std::string DropCount::note(const std::string& where, const std::string& why) const {
  std::string places;
  for (const int64_t line : first_) places += cat(places.empty() ? "" : ", ", line);
  if (count_ > std::ssize(first_)) places += ", ...";
  return cat(where, ": ", count_, count_ == 1 ? " pair" : " pairs", " dropped, ", why, " (",
             count_ == 1 ? "line " : "lines ", places, ")");
}

std::string encoding_advice(const std::string& name, std::string_view some) {
  std::error_code none;
  if (name == "stdin" || !std::filesystem::is_regular_file(name, none)) return text::advice(text::encoding_of(some));
  const text::Encoding encoding = text::encoding_of(beginning_of(name, some));
  const std::string file = shell_word(name), to = " > " + shell_word(name + ".utf8");
  const std::string unpack = unpacker_of(name);
  if (unpack.empty()) return text::advice(encoding, "", " " + file + to);
  return text::advice(encoding, cat(unpack, " ", file, " | "), to);
}

void check_line(std::string_view line, const std::string& name, int64_t line_number) {
  const size_t nul = line.find('\0');
  const auto bad = text::invalid_utf8(line);
  if (!bad && nul == std::string_view::npos) return;
  const std::string fault =
      bad ? cat("is not valid UTF-8 at byte ", *bad + 1, " (", hex(static_cast<unsigned char>(line[*bad])), ")")
          : cat("has a NUL byte at byte ", nul + 1);
  throw DataError(cat(name, " line ", line_number, " ", fault, ": ", encoding_advice(name, line)));
}

CheckedReader::CheckedReader(ParallelSource from, const CorpusChecks& checks)
    : reader_(std::move(from)), checks_(checks) {}

bool CheckedReader::next(std::string& source, std::string& target) {
  while (reader_.next(source, target)) {
    check_line(source, reader_.source_name(), line_number());
    check_line(target, reader_.target_name(), line_number());
    DropCount* why = reason_to_drop(source, target);
    if (!why) return true;
    why->add(line_number());
  }
  return false;
}

DropCount* CheckedReader::reason_to_drop(std::string_view source, std::string_view target) {
  if (is_blank_line(source) || is_blank_line(target)) return &blank_;
  if (std::ssize(source) > checks_.max_line_bytes) return &source_long_;
  if (std::ssize(target) > checks_.max_line_bytes) return &target_long_;
  return nullptr;
}

std::vector<std::string> CheckedReader::notes() const {
  const std::string long_line = cat("a line is longer than ", checks_.max_line_bytes, " bytes");
  std::vector<std::string> out;
  if (blank_.count()) out.push_back(blank_.note(reader_.name(), "a line is blank"));
  if (source_long_.count()) out.push_back(source_long_.note(reader_.source_name(), long_line));
  if (target_long_.count()) out.push_back(target_long_.note(reader_.target_name(), long_line));
  return out;
}

void CheckedReader::rewind() {
  reader_.rewind();
  blank_ = source_long_ = target_long_ = {};
}

Corpus read_parallel(const ParallelSource& from, const CorpusChecks& checks) {
  CheckedReader reader(from, checks);
  Corpus corpus;
  corpus.source_name = reader.text().source_name();
  corpus.target_name = reader.text().target_name();
  for (std::string x, y; reader.next(x, y);) {
    corpus.source.push_back(std::move(x));
    corpus.target.push_back(std::move(y));
    corpus.lines.push_back(reader.line_number());
  }
  corpus.file_lines = reader.line_number();
  corpus.notes = reader.notes();
  if (corpus.size() == 0) throw DataError(cat("no usable pair in ", reader.text().name(), ": ", corpus.notes.front()));
  return corpus;
}

Corpus read_parallel(const std::string& source_path, const std::string& target_path, const CorpusChecks& checks) {
  return read_parallel(ParallelSource{.source = source_path, .target = target_path}, checks);
}

std::vector<std::string> read_checked_lines(const std::string& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next(line);) {
    check_line(line, reader.name(), reader.line_number());
    lines.push_back(std::move(line));
  }
  if (lines.empty()) fail_empty_corpus(reader.name());
  return lines;
}

}  // namespace hexapla::data
