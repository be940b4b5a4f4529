#include "data/files/line_range.h"

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/files/file.h"
#include "base/range.h"
#include "data/files/lines.h"
#include "data/packed/compression.h"

namespace hexapla::data {
namespace {

constexpr size_t kRangeBlock = size_t{1} << 18, kLongestInRange = size_t{64} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// Calls visit(block, its beginning) for the bytes [from, to) until it returns false.
template <class Visit>
void visit_bytes(const FileReader& file, uint64_t from, uint64_t to, Visit&& visit) {
  std::string block;
  for (uint64_t at = from; at < to; at += block.size()) {
    block.resize(std::min<uint64_t>(kRangeBlock, to - at));
    file.read(at, block.data(), block.size());
    if (!visit(block, at)) return;
  }
}

}  // namespace

ShardNumber ShardNumber::parse(const std::string& option, const std::string& text) {
  const size_t slash = text.find('/');
  const auto number = parse_number<int64_t>(text.substr(0, slash));
  const auto of = slash == text.npos ? std::nullopt : parse_number<int64_t>(text.substr(slash + 1));
  if (!number || !of || *number < 1 || *of < *number || *of > ranges::kCount.most)
    throw UsageError(
        cat("`", option, "` is '", text, "', but must be the number of a part and how many parts there are, ",
            "as in 3/8: from 1/8 to 8/8"),
        option, text);
  return {*number, *of};
}

std::string ShardNumber::text() const { return cat(number, "/", of); }

RangeReader::RangeReader(const std::string& path, const ShardNumber& shard) : path_(path), text_(open_seekable(path)) {
  const auto of = static_cast<uint64_t>(shard.of), number = static_cast<uint64_t>(shard.number);
  const auto border = [&](uint64_t i) {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(text_->size()) * i / of);
  };
  from_ = at_ = line_begin(border(number - 1));
  to_ = line_begin(border(number));
}

// The first line that begins at this byte or later.
uint64_t RangeReader::line_begin(uint64_t at) const {
  if (at == 0) return 0;
  std::string block;
  for (uint64_t from = at - 1; from < text_->size(); from += block.size()) {
    block.resize(std::min<uint64_t>(kRangeBlock, text_->size() - from));
    text_->read(from, block.data(), block.size());
    if (const size_t end = block.find('\n'); end != block.npos) return from + end + 1;
  }
  return text_->size();
}

bool RangeReader::refill() {
  if (at_ >= to_) return false;
  block_.resize(std::min<uint64_t>(kRangeBlock, to_ - at_));
  text_->read(at_, block_.data(), block_.size());
  at_ += block_.size();
  taken_ = 0;
  return true;
}

bool RangeReader::next(std::string& line) {
  line.clear();
  if (taken_ == block_.size() && !refill()) return false;
  ++line_;
  bool ended = false;
  while (!ended && (taken_ < block_.size() || refill())) {
    const size_t end = block_.find('\n', taken_), stop = std::min(end, block_.size());
    line.append(block_, taken_, stop - taken_);
    ended = end != block_.npos;
    taken_ = stop + ended;
    if (line.size() > kLongestInRange)
      throw DataError(cat(path_, ": line ", line_, " of the part that begins at byte ", from_, " is longer than ",
                          kLongestInRange >> 20, " MiB: this is no text"));
  }
  if (line_ == 1 && from_ == 0 && !ended) refuse_carriage_returns(path_, line);
  if (line_ == 1 && from_ == 0 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());
  if (line.ends_with('\r')) line.pop_back();
  return true;
}

bool has_parts(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  const FileReader file(path);
  std::string head(std::min<size_t>(kCompressionHead, file.size()), '\0');
  file.read(0, head.data(), head.size());
  return compression_of(head) == Compression::none && unreadable_kind(head).empty();
}

int64_t count_lines(const std::string& path, const ShardNumber& part) {
  const RangeReader range(path, part);
  int64_t lines = 0;
  char last = '\n';
  visit_bytes(FileReader(path), range.from(), range.to(), [&](const std::string& block, uint64_t) {
    lines += std::count(block.begin(), block.end(), '\n');
    last = block.back();
    return true;
  });
  return lines + (last != '\n');  // the last line may lack a line end
}

uint64_t place_behind(const std::string& path, const ShardNumber& part, int64_t lines) {
  const RangeReader range(path, part);
  if (lines == 0) return range.from();
  uint64_t place = range.to();
  visit_bytes(FileReader(path), range.from(), range.to(), [&](const std::string& block, uint64_t at) {
    for (size_t end = block.find('\n'); end != block.npos; end = block.find('\n', end + 1))
      if (--lines == 0) {
        place = at + end + 1;
        return false;
      }
    return true;
  });
  return place;
}

std::string RangeReader::note() const {
  const std::string kind = text_->read_through();
  if (kind.empty()) return "";
  return cat(path_, " is one piece of ", kind, " data, so all of it before the part was unpacked; ",
             "xz with blocks of 16 MiB`{ (xz --block-size=16MiB)}`, or bgzip, makes many pieces");
}

std::string RangeReader::hash() const {
  Hash hash;
  std::string block;
  for (uint64_t at = from_; at < to_; at += block.size()) {
    block.resize(std::min<uint64_t>(kRangeBlock, to_ - at));
    text_->read(at, block.data(), block.size());
    hash.add(block);
  }
  return hash.hex();
}

}  // namespace hexapla::data
