#include "hexapla/text_file.h"

#include <poll.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/files/hash.h"
#include "base/files/overwriting.h"
#include "data/files/corpus.h"
#include "data/files/pair_line.h"
#include "data/files/parallel_text.h"
#include "data/files/shard_files.h"
#include "lib/guard.h"
#include "lib/lines/waiting_lines.h"
#include "model/weights/model_file.h"
#include "train/record/provenance.h"

namespace hexapla {

struct TextFile::Impl {
  static constexpr const char* kind = "text file";
  std::string path;
  data::ShardNumber shard;
  std::optional<api::WaitingLines> lines;   // of stdin from the first next() on
  std::unique_ptr<data::RangeReader> part;  // null: whole
  int64_t read = 0;

  explicit Impl(const std::string& whole) : path(whole) {
    if (path != "-") lines.emplace(path);
  }
  Impl(const std::string& of, const std::string& part_of_it)
      : path(of),
        shard(data::ShardNumber::parse("shard", part_of_it)),
        part(std::make_unique<data::RangeReader>(path, shard)) {}

  bool next(std::string& line) {
    if (!part && !lines) lines.emplace(path);
    const bool there = part ? part->next(line) : lines->next(line);
    read += there;
    return there;
  }
  bool ready() {
    if (part) return true;
    if (lines) return lines->ready();
    pollfd bytes{STDIN_FILENO, POLLIN, 0};
    return poll(&bytes, 1, 0) > 0;
  }
  int64_t count_to_end() {
    for (std::string line; next(line);) {
    }
    return read;
  }
  std::string name() const { return path == "-" ? "stdin" : path; }
  std::string place() const {  // of the line that was read last
    return part ? cat(path, ", line ", read, " of the part that begins at byte ", part->from(), ",")
                : cat(name(), " line ", read);
  }
};

TextFile::TextFile(const std::string& path) : impl_(api::guarded([&] { return std::make_unique<Impl>(path); })) {}
TextFile::TextFile(const std::string& path, const std::string& shard)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(path, shard); })) {}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile& TextFile::operator=(TextFile&&) noexcept = default;

bool TextFile::next(std::string& line) {
  return api::guarded([&] { return impl_->next(line); });
}
bool TextFile::ready() {
  return api::guarded([&] { return impl_->ready(); });
}
std::string TextFile::name() const { return impl_->name(); }
std::string TextFile::note() const { return impl_->part ? impl_->part->note() : ""; }

struct PairFile::Impl {
  static constexpr const char* kind = "pair file";
  TextFile source;
  std::optional<TextFile> target;  // none: the other file has both sides

  bool next(std::string& x, std::string& y) {
    TextFile::Impl& from = *source.impl_;
    if (target) return next_of_two(from, *target->impl_, x, y);
    std::string line;
    if (from.next(line)) {
      data::split_pair(line, from.place(), x, y);
      return true;
    }
    if (!from.part) data::check_line_counts(from.name(), from.read, from.name(), from.read);
    return false;
  }
  static bool next_of_two(TextFile::Impl& from, TextFile::Impl& to, std::string& x, std::string& y) {
    const bool there = from.next(x), there_too = to.next(y);
    if (there && there_too) return true;
    const int64_t n = from.count_to_end(), m = to.count_to_end();
    data::check_line_counts(from.name(), n, to.name(), m);
    return false;
  }
};

PairFile::PairFile(TextFile source, TextFile target)
    : impl_(std::make_unique<Impl>(Impl{std::move(source), std::move(target)})) {}
PairFile::PairFile(TextFile pairs) : impl_(std::make_unique<Impl>(Impl{std::move(pairs), {}})) {}
PairFile::~PairFile() = default;
PairFile::PairFile(PairFile&&) noexcept = default;
PairFile& PairFile::operator=(PairFile&&) noexcept = default;

bool PairFile::next(std::string& source, std::string& target) {
  return api::guarded([&] { return impl_->next(source, target); });
}
bool PairFile::ready() { return impl_->source.ready() && (!impl_->target || impl_->target->ready()); }

std::vector<std::string> read_lines(const std::string& path) {
  return api::guarded([&] { return data::read_checked_lines(path); });
}

struct ShardFile::Impl {
  static constexpr const char* kind = "shard's file";
  data::ShardManifest manifest;
  std::optional<data::ShardWriter> writer;  // none: it is complete

  Impl(const std::string& path, const TextFile::Impl& from, const std::vector<std::string>& models,
       const std::string& made_by) {
    if (!from.part) throw UsageError(cat(from.path, " is read as a whole: name a part of it, as in 1/1"));
    refuse_to_overwrite({from.path}, "`path`", path);
    std::vector<std::string> inputs;
    std::string maker = train::build_text();
    for (const std::string& model : models) {
      inputs.push_back(model::model_file(model));
      maker += ", model " + hash_hex(FileReader(inputs.back()));
    }
    inputs.push_back(from.path);
    refuse_to_overwrite(inputs, "`output`", data::manifest_of(path));
    manifest = data::describe_shard(*from.part, from.shard, from.path, maker + made_by);
    if (!data::is_whole(path, manifest)) writer.emplace(path);
  }
};

ShardFile::ShardFile(const std::string& path, const TextFile& part, const std::vector<std::string>& models,
                     const std::string& made_by)
    : impl_(api::guarded([&] { return std::make_unique<Impl>(path, *part.impl_, models, made_by); })) {}
ShardFile::~ShardFile() = default;
ShardFile::ShardFile(ShardFile&&) noexcept = default;
ShardFile& ShardFile::operator=(ShardFile&&) noexcept = default;

bool ShardFile::complete() const { return !impl_->writer; }
void ShardFile::write(std::string_view text) {
  api::guarded([&] {
    if (complete()) throw UsageError("this shard's file is complete: it is not written again");
    impl_->writer->write(text);
  });
}
void ShardFile::finish(std::int64_t lines) {
  api::guarded([&] {
    if (!complete()) impl_->writer->finish(impl_->manifest, lines);
  });
}

}  // namespace hexapla
