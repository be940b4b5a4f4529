#include "data/files/parallel_text.h"

#include <filesystem>
#include <optional>

#include "base/error.h"
#include "data/files/pair_line.h"

namespace hexapla::data {
namespace {

[[noreturn]] void fail_empty_text(const std::string& name) {
  throw DataError(cat(name, " is empty: give a text file with one sentence per line"));
}

// Call when at least one file has ended.
void check_counts(LineReader& source, LineReader& target) {
  const int64_t n = count_to_end(source), m = count_to_end(target);
  check_line_counts(source.name(), n, target.name(), m);
}

// A sentence must be a single line, because a model that reads lines never sees a second one.
void check_one_line(const std::string& text, const std::string& name, int64_t number) {
  if (text.find_first_of("\n\r") == std::string::npos) return;
  throw DataError(cat(name, ": pair ", number,
                      " has a line break in a sentence; replace it with a space, or give each ",
                      "line as a pair of its own"));
}

// Pipes can be read only once.
bool readable_again(const std::string& path) {
  return path.empty() || (path != "-" && std::filesystem::is_regular_file(path));
}

}  // namespace

void check_line_counts(const std::string& source, int64_t n, const std::string& target, int64_t m) {
  if (n == 0) fail_empty_text(source);
  if (m == 0) fail_empty_text(target);
  if (n == m) return;
  throw DataError(
      cat(source, " has ", n, n == 1 ? " line but " : " lines but ", target, " has ", m,
          ": line i of one must translate line i of the other; find where they diverge`{ with 'hexapla data'}` "
          "and fix the shorter one"));
}

void ParallelSource::check() const {
  const bool pair = !source.empty() && !target.empty();
  if (!tsv.empty() && (!source.empty() || !target.empty()))
    throw UsageError("a corpus is two files or one TSV file, not both: leave one of them out");
  if (tsv.empty() && !pair)
    throw UsageError("a corpus needs a source and a target file, or one TSV file with SOURCE<TAB>TARGET lines");
  if (source == "-" && target == "-")
    throw UsageError("source and target are both \"-\": only one of them can come from stdin");
}

bool ParallelSource::can_be_read_again() const {
  return !pairs && readable_again(source) && readable_again(target) && readable_again(tsv);
}

struct ParallelReader::Impl {
  ParallelSource from;
  BeforeWaiting before_waiting;
  std::optional<LineReader> source, target;  // TSV: only the first; function: none
  std::string line;
  int64_t given = 0;  // pairs from the function

  void open() {
    if (from.pairs) return;
    open(source, from.tsv.empty() ? from.source : from.tsv, from.lines.source);
    if (from.tsv.empty()) open(target, from.target, from.lines.target);
  }
  void open(std::optional<LineReader>& reader, const std::string& path, const LinePlace& place) {
    reader.emplace(path, before_waiting, place);
    while (reader->line_number() < place.line && reader->next(line)) {
    }
  }
  bool next_of_function(std::string& x, std::string& y) {
    if (!from.pairs(x, y)) {
      if (given == 0) throw DataError(cat(from.tsv, ": the program gave no pair at all"));
      return false;
    }
    ++given;
    check_one_line(x, from.tsv, given);
    check_one_line(y, from.tsv, given);
    return true;
  }
  bool next_of_two(std::string& x, std::string& y) {
    const bool have_x = source->next(x), have_y = target->next(y);
    if (have_x && have_y) return true;
    check_counts(*source, *target);
    return false;
  }
  bool next_of_one(std::string& x, std::string& y) {
    if (source->next(line)) {
      split_pair(line, cat(source->name(), " line ", source->line_number()), x, y);
      return true;
    }
    if (source->line_number() == 0) fail_empty_text(source->name());
    return false;
  }
};

ParallelReader::ParallelReader(ParallelSource from, BeforeWaiting before_waiting) : impl_(std::make_unique<Impl>()) {
  from.check();
  impl_->before_waiting = std::move(before_waiting);
  impl_->from = std::move(from);
  impl_->open();
}
ParallelReader::~ParallelReader() = default;
ParallelReader::ParallelReader(ParallelReader&&) noexcept = default;
ParallelReader& ParallelReader::operator=(ParallelReader&&) noexcept = default;

bool ParallelReader::next(std::string& source, std::string& target) {
  if (impl_->from.pairs) return impl_->next_of_function(source, target);
  if (impl_->source->line_number() >= impl_->from.lines.to) return false;
  return impl_->target ? impl_->next_of_two(source, target) : impl_->next_of_one(source, target);
}

int64_t ParallelReader::line_number() const { return impl_->from.pairs ? impl_->given : impl_->source->line_number(); }
const std::string& ParallelReader::source_name() const {
  return impl_->from.pairs ? impl_->from.tsv : impl_->source->name();
}
const std::string& ParallelReader::target_name() const {
  if (impl_->from.pairs) return impl_->from.tsv;
  return (impl_->target ? impl_->target : impl_->source)->name();
}
std::string ParallelReader::name() const {
  return impl_->target ? source_name() + " + " + target_name() : source_name();
}

bool ParallelReader::can_rewind() const { return impl_->from.can_be_read_again(); }

void ParallelReader::rewind() {
  if (!can_rewind())
    throw UsageError(
        cat(name(), " is a pipe, which can be read only once, but must be read again: write it to a file first"));
  impl_->open();
}

}  // namespace hexapla::data
