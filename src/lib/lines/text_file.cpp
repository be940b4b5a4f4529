#include "hexapla/text_file.h"

#include <poll.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "base/files/overwriting.h"
#include "lib/guard.h"
#include "lib/jobs/lines/shard_output.h"
#include "lib/lines/waiting_lines.h"

namespace hexapla {

struct TextFile::Impl {
  static constexpr const char* kind = "text file";
  std::string path, shard;                 // "": whole
  std::optional<api::WaitingLines> lines;  // of stdin from the first next() on
  std::unique_ptr<data::RangeReader> part;

  explicit Impl(const std::string& whole) : path(whole) {
    if (path != "-") lines.emplace(path);
  }
  Impl(const std::string& of, const std::string& part_of_it)
      : path(of),
        shard(part_of_it),
        part(std::make_unique<data::RangeReader>(path, data::ShardNumber::parse("shard", shard))) {}

  bool next(std::string& line) {
    if (part) return part->next(line);
    if (!lines) lines.emplace(path);
    return lines->next(line);
  }
  bool ready() {
    if (part) return true;
    if (lines) return lines->ready();
    pollfd bytes{STDIN_FILENO, POLLIN, 0};
    return poll(&bytes, 1, 0) > 0;
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
std::string TextFile::name() const { return impl_->path == "-" ? "stdin" : impl_->path; }
std::string TextFile::note() const { return impl_->part ? impl_->part->note() : ""; }

struct ShardFile::Impl {
  static constexpr const char* kind = "shard's file";
  std::unique_ptr<api::Answers> answers;  // null: it is complete
};

ShardFile::ShardFile(const std::string& path, const TextFile& part, const std::vector<std::string>& models,
                     const std::string& made_by)
    : impl_(api::guarded([&] {
        const TextFile::Impl& from = *part.impl_;
        if (!from.part) throw UsageError(cat(from.path, " is read as a whole: name a part of it, as in 1/1"));
        refuse_to_overwrite({from.path}, "`path`", path);
        const api::ShardOutput output{from.shard, path, made_by};
        return std::make_unique<Impl>(Impl{output.answers(*from.part, from.path, models)});
      })) {}
ShardFile::~ShardFile() = default;
ShardFile::ShardFile(ShardFile&&) noexcept = default;
ShardFile& ShardFile::operator=(ShardFile&&) noexcept = default;

bool ShardFile::complete() const { return !impl_->answers; }
void ShardFile::write(std::string_view text) {
  api::guarded([&] {
    if (complete()) throw UsageError("this shard's file is complete: it is not written again");
    impl_->answers->out() << text;
  });
}
void ShardFile::finish(std::int64_t lines) {
  api::guarded([&] {
    if (!complete()) impl_->answers->finish(lines);
  });
}

}  // namespace hexapla
