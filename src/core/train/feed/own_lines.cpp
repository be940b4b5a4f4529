#include "train/feed/own_lines.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "data/files/line_range.h"
#include "train/cluster/agreement.h"

namespace hexapla::train {
namespace {

using cluster::Share;

data::ShardNumber part_number(const cluster::Processes& p, int number) { return {number + 1, p.count()}; }

std::vector<std::string> paths_of_set(const data::ParallelSource& set) {
  return set.tsv.empty() ? std::vector<std::string>{set.source, set.target} : std::vector<std::string>{set.tsv};
}

// Encodes an error as text for all processes, which wait for this one's message.
std::string said(const std::function<std::string()>& what) {
  try {
    return what();
  } catch (const DataError& e) {
    return std::string("!") + e.what();
  }
}
std::string heard(const std::string& text) {
  if (text.starts_with('!')) throw DataError(text.substr(1));
  return text;
}

// Size of the file, and hash of one process's part of it.
std::string described(const std::string& path, const cluster::Processes& p, int number) {
  if (!std::filesystem::is_regular_file(path)) return "none";
  const FileReader file(path);
  const Share bytes = cluster::share_of(std::ssize(file), number, p.count());
  Hash hash;
  std::string block;
  for (int64_t at = bytes.from; at < bytes.to; at += std::ssize(block)) {
    block.resize(static_cast<size_t>(std::min<int64_t>(int64_t{1} << 18, bytes.to - at)));
    file.read(static_cast<size_t>(at), block.data(), block.size());
    hash.add(block);
  }
  return cat(file.size(), " bytes, of whose part ", number + 1, " of ", p.count(), " the hash is ", hash.hex());
}

}  // namespace

LineShares::LineShares(const TrainOptions& options, std::vector<int64_t> lines)
    : batches_(options.accumulate), shards_(options.shards), lines_(std::move(lines)) {}

Share LineShares::of_shard(int64_t shard, size_t set) const {
  const Share batches = cluster::share_of(batches_, shard, shards_);
  return {lines_.at(set) * batches.from / batches_, lines_.at(set) * batches.to / batches_};
}

// The first shard whose last line is this one or later.
int64_t LineShares::shard_of(size_t set, int64_t line) const {
  int64_t low = 0, high = shards_ - 1;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (of_shard(middle, set).to < line)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

int64_t CountedSets::File::all() const { return std::accumulate(lines.begin(), lines.end(), int64_t{0}); }

CountedSets::CountedSets(cluster::Processes& processes, std::vector<data::ParallelSource> sets)
    : processes_(processes), sets_(std::move(sets)) {
  for (const data::ParallelSource& set : sets_) {
    set.check();
    files_.emplace_back();
    for (const std::string& path : paths_of_set(set)) files_.back().push_back(count(path));
    const File &source = files_.back().front(), &target = files_.back().back();
    data::check_line_counts(source.path, source.all(), target.path, target.all());
  }
}

CountedSets::File CountedSets::count(const std::string& path) const {
  const std::string kind =
      heard(cluster::of_first(processes_, said([&] { return data::has_parts(path) ? "parts" : "whole"; })));
  const std::string own = said([&] {
    if (kind == "parts") return cat(data::count_lines(path, part_number(processes_, processes_.number())));
    if (!processes_.first()) return std::string("0");
    data::LineReader reader(path);
    return cat(data::count_to_end(reader));
  });
  File file{path, {}};
  for (const std::string& lines : cluster::gather(processes_, own)) file.lines.push_back(std::stoll(heard(lines)));
  if (kind == "whole") file.lines.resize(1);
  return file;
}

std::vector<int64_t> CountedSets::lines() const {
  std::vector<int64_t> lines;
  for (const std::vector<File>& files : files_) lines.push_back(files.front().all());
  return lines;
}

data::LinePlace CountedSets::place_behind(const File& file, int64_t line) const {
  data::LinePlace place{0, line};
  if (line == 0 || !data::has_parts(file.path)) return place;
  int64_t before = 0;
  for (size_t i = 0; i < file.lines.size(); before += file.lines[i++]) {
    if (line > before + file.lines[i]) continue;
    place.byte = data::place_behind(file.path, part_number(processes_, static_cast<int>(i)), line - before);
    break;
  }
  return place;
}

std::vector<data::ParallelSource> CountedSets::own(const LineShares& shares, int64_t shards) const {
  const Share own = cluster::own_share(processes_, shards);
  std::vector<data::ParallelSource> sets = sets_;
  for (size_t i = 0; i < sets.size(); ++i) {
    const int64_t from = shares.of_shard(own.from, i).from;
    sets[i].lines = {place_behind(files_[i].front(), from), place_behind(files_[i].back(), from),
                     shares.of_shard(own.to - 1, i).to};
  }
  return sets;
}

void check_shares(const TrainOptions& o, cluster::Processes& processes) {
  if (processes.count() > o.shards)
    throw UsageError(cat("there are ", processes.count(), " processes, but `shards` is ", o.shards,
                         ": each computes one or more; give `shards` ", processes.count(),
                         " or a multiple of it, and `accumulate` to match, or fewer processes"));
  std::string parts = cat("shards ", o.shards, " accumulate ", o.accumulate, " train-sets");
  for (const std::string& path : o.train_sets) parts += " " + path;
  parts += " valid-sets";
  for (const std::string& path : o.valid_sets) parts += " " + path;
  cluster::require_same(processes, "other parts of the text", parts, cluster::words_that_differ,
                        "give all processes the same options");
}

void require_same_files(cluster::Processes& p, const std::vector<std::string>& paths) {
  if (!p.several()) return;
  std::vector<std::string> own, firsts;
  for (const std::string& path : paths) {
    own.push_back(described(path, p, p.number()));
    for (int i = 0; p.first() && i < p.count(); ++i) firsts.push_back(described(path, p, i));
  }
  const std::vector<std::string> expected = cluster::unpack(cluster::of_first(p, cluster::pack(firsts)));
  const std::vector<std::string> all = cluster::gather(p, cluster::pack(own));
  const std::vector<std::string> hosts = cluster::gather(p, p.host());
  const auto processes = static_cast<size_t>(p.count());
  for (size_t i = 1; i < processes; ++i) {
    const std::vector<std::string> files = cluster::unpack(all[i]);
    for (size_t f = 0; f < paths.size() && f < files.size(); ++f)
      if (const std::string& wanted = expected.at(f * processes + i); files[f] != wanted)
        throw UsageError(cat(cluster::name_of(p, static_cast<int>(i), hosts[i]), " has another ", paths[f], " than ",
                             cluster::name_of(p, 0, hosts[0]), ": ", files[f], ", not ", wanted,
                             "; put the same files on all hosts"));
  }
}

}  // namespace hexapla::train
