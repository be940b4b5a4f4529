#include "data/files/shard_files.h"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kShardFormat = "hexapla shard";
constexpr size_t kCopiedAtOnce = size_t{1} << 20;

[[noreturn]] void fail_shard(const std::string& file, const std::string& what) {
  throw DataError(cat(file, ": ", what, "; run this part again"));
}

std::string difference(const ShardManifest& a, const ShardManifest& b) {
  if (a.shard.of != b.shard.of) return cat("one of ", a.shard.of, " parts, the other of ", b.shard.of);
  if (a.input_bytes != b.input_bytes)
    return cat("of files with ", a.input_bytes, " and ", b.input_bytes, " bytes (", a.input, ", ", b.input, ")");
  if (a.made_by != b.made_by) return cat("made by\n  ", a.made_by, "\nand by\n  ", b.made_by);
  return "";
}

using Sink = std::function<void(std::string_view)>;

// Copies the file, which must match its manifest.
void append(const std::string& path, const ShardManifest& manifest, const Sink& to) {
  const FileReader file(path);
  if (file.size() != manifest.bytes)
    fail_shard(path, cat("has ", file.size(), " bytes, but its manifest says ", manifest.bytes));
  Hash hash;
  std::string block;
  for (size_t at = 0; at < file.size(); at += block.size()) {
    block.resize(std::min(kCopiedAtOnce, file.size() - at));
    file.read(at, block.data(), block.size());
    hash.add(block);
    to(block);
  }
  if (hash.hex() != manifest.hash) fail_shard(path, "was changed since it was written: its hash is another");
}

// The compression to apply when joining. Compressed parts are concatenated unchanged.
Compression compression_of_join(const std::vector<std::pair<ShardManifest, std::string>>& parts,
                                const std::string& joined) {
  const Compression wanted = compression_by_name(joined);
  const auto plain = [](const auto& part) { return compression_by_name(part.second) == Compression::none; };
  const auto as_wanted = [&](const auto& part) { return compression_by_name(part.second) == wanted; };
  if (std::all_of(parts.begin(), parts.end(), as_wanted)) return Compression::none;
  if (std::all_of(parts.begin(), parts.end(), plain)) return wanted;
  const std::string& compressed = std::find_if_not(parts.begin(), parts.end(), plain)->second;
  throw UsageError(cat("parts such as ", compressed, " are compressed, but ", joined,
                       " is to be otherwise: give parts that are all alike, and a name that ends as theirs do"));
}

// Every part must be there once, without gaps.
void check_parts(const std::vector<std::pair<ShardManifest, std::string>>& parts) {
  const ShardManifest& first = parts.front().first;
  for (const auto& [part, path] : parts)
    if (const std::string what = difference(first, part); !what.empty())
      throw DataError(
          cat(parts.front().second, " and ", path, " do not belong together: ", what, "; join parts of one run"));
  std::string missing;
  int64_t expected = 1;
  for (const auto& [part, path] : parts) {
    if (part.shard.number < expected) throw DataError(cat(path, " duplicates part ", part.shard.text()));
    for (; expected < part.shard.number; ++expected) missing += cat(missing.empty() ? "" : ", ", expected);
    ++expected;
  }
  for (; expected <= first.shard.of; ++expected) missing += cat(missing.empty() ? "" : ", ", expected);
  if (!missing.empty())
    throw DataError(cat("of ", first.shard.of, " parts these are missing: ", missing, "; run them, then join again"));
  uint64_t at = 0;
  for (const auto& [part, path] : parts) {
    if (part.from != at) fail_shard(path, cat("begins at byte ", part.from, " of ", part.input, ", not at ", at));
    at = part.to;
  }
  if (at != first.input_bytes) fail_shard(parts.back().second, cat("ends at byte ", at, " of ", first.input_bytes));
}

}  // namespace

std::string manifest_of(const std::string& output) { return output + ".manifest.json"; }

std::string ShardManifest::to_json() const {
  const nlohmann::ordered_json j{{"format", kShardFormat},
                                 {"format_version", 1},
                                 {"shard", shard.number},
                                 {"of", shard.of},
                                 {"input", input},
                                 {"input_bytes", input_bytes},
                                 {"from", from},
                                 {"to", to},
                                 {"input_xxh3_128", input_hash},
                                 {"made_by", made_by},
                                 {"lines", lines},
                                 {"bytes", bytes},
                                 {"xxh3_128", hash}};
  return json_text(j, 1) + "\n";
}

ShardManifest ShardManifest::read(const std::string& path) try {
  const auto j = json_or_null(read_file(path));
  if (j.at("format").get<std::string>() != kShardFormat || j.at("format_version") != 1)
    fail_shard(path, "is no manifest of version 1");
  ShardManifest m;
  m.shard = {j.at("shard").get<int64_t>(), j.at("of").get<int64_t>()};
  m.input = j.at("input").get<std::string>();
  m.input_bytes = j.at("input_bytes").get<uint64_t>();
  m.from = j.at("from").get<uint64_t>();
  m.to = j.at("to").get<uint64_t>();
  m.input_hash = j.at("input_xxh3_128").get<std::string>();
  m.made_by = j.at("made_by").get<std::string>();
  m.lines = j.at("lines").get<int64_t>();
  m.bytes = j.at("bytes").get<uint64_t>();
  m.hash = j.at("xxh3_128").get<std::string>();
  return m;
} catch (const nlohmann::json::exception&) {
  fail_shard(path, "is not the manifest of a part, or was cut short");
}

ShardManifest describe_shard(const RangeReader& reader, const ShardNumber& shard, const std::string& input,
                             const std::string& made_by) {
  ShardManifest m;
  m.shard = shard;
  m.input = input;
  m.input_bytes = reader.file_size();
  m.from = reader.from(), m.to = reader.to();
  m.input_hash = reader.hash();
  m.made_by = made_by;
  return m;
}

bool is_whole(const std::string& output, const ShardManifest& wanted) {
  std::error_code unknown;
  if (!fs::exists(output, unknown) || !fs::exists(manifest_of(output), unknown)) return false;
  try {
    const ShardManifest m = ShardManifest::read(manifest_of(output));
    const FileReader file(output);
    return m.shard.text() == wanted.shard.text() && m.from == wanted.from && m.to == wanted.to &&
           m.input_bytes == wanted.input_bytes && m.input_hash == wanted.input_hash && m.made_by == wanted.made_by &&
           file.size() == m.bytes && hash_hex(file) == m.hash;
  } catch (const DataError&) {  // it will be made again
    return false;
  }
}

ShardWriter::ShardWriter(const std::string& path)
    : path_(path), file_(path), to_(compressor(compression_by_name(path), [this](std::string_view bytes) {
        file_.write(bytes);
        hash_.add(bytes);
        bytes_ += bytes.size();
      })) {}

void ShardWriter::write(std::string_view bytes) {
  to_->write(bytes);
  lines_ += std::count(bytes.begin(), bytes.end(), '\n');
}

// An old manifest must not describe a new output.
void ShardWriter::finish(ShardManifest manifest, int64_t lines) {
  if (lines != lines_) throw RunError(cat(path_, ": ", lines, " lines were read, but ", lines_, " were written"));
  to_->finish();
  manifest.lines = lines_;
  manifest.bytes = bytes_;
  manifest.hash = hash_.hex();
  file_.flush();
  std::error_code none;
  fs::remove(manifest_of(path_), none);
  file_.commit();
  write_file_atomically(manifest_of(path_), manifest.to_json());
}

int64_t join_shards(const std::vector<std::string>& outputs, const std::string& joined) {
  std::vector<std::pair<ShardManifest, std::string>> parts;
  for (const std::string& path : outputs) parts.emplace_back(ShardManifest::read(manifest_of(path)), path);
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.first.shard.number < b.first.shard.number; });
  check_parts(parts);
  const Compression kind = compression_of_join(parts, joined);
  AtomicFile file(joined);
  const auto to = compressor(kind, [&](std::string_view bytes) { file.write(bytes); });
  int64_t lines = 0;
  for (const auto& [part, path] : parts) {
    append(path, part, [&](std::string_view bytes) { to->write(bytes); });
    lines += part.lines;
  }
  to->finish();
  file.commit();
  return lines;
}

}  // namespace hexapla::data
