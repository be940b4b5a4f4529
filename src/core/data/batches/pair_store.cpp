#include "data/batches/pair_store.h"

#include <algorithm>
#include <array>
#include <limits>

#include "base/files/varint.h"

namespace hexapla::data {
namespace {

constexpr size_t kStoredBlock = size_t{4} << 20;

std::string_view take_bytes(std::string_view& from) {
  const uint64_t size = take_varint(from);
  HEXAPLA_CHECK(size <= from.size(), "a packed pair is cut short");
  const std::string_view bytes = from.substr(0, size);
  from.remove_prefix(size);
  return bytes;
}

}  // namespace

void append_pair(std::string& to, const PackedPair& pair) {
  put_varint(to, static_cast<uint64_t>(pair.corpus));
  put_varint(to, static_cast<uint64_t>(pair.line));
  for (const std::string_view side : {pair.source, pair.target, pair.links}) {
    put_varint(to, side.size());
    to += side;
  }
}

PackedPair take_pair(std::string_view& from) {
  PackedPair pair;
  pair.corpus = static_cast<int32_t>(take_varint(from));
  pair.line = static_cast<int64_t>(take_varint(from));
  pair.source = take_bytes(from);
  pair.target = take_bytes(from);
  pair.links = take_bytes(from);
  return pair;
}

void pack_ids(std::span<const int32_t> ids, std::string& to) {
  for (const int32_t id : ids) put_varint(to, static_cast<uint64_t>(id));
}

void pack_links(std::span<const Link> links, std::string& to) {
  for (const Link& link : links) pack_ids(std::array{link.source, link.target}, to);
}

text::Ids unpack_ids(std::string_view packed) {
  text::Ids ids;
  ids.reserve(packed.size());
  while (!packed.empty()) ids.push_back(static_cast<int32_t>(take_varint(packed)));
  return ids;
}

int64_t count_ids(std::string_view packed) {
  return std::count_if(packed.begin(), packed.end(), [](char c) { return static_cast<unsigned char>(c) < 128; });
}

Example unpack_example(const PackedPair& pair) {
  Example example{unpack_ids(pair.source), unpack_ids(pair.target), pair.line, pair.corpus};
  const text::Ids links = unpack_ids(pair.links);
  for (size_t i = 0; i + 1 < links.size(); i += 2) example.links.push_back({links[i], links[i + 1]});
  return example;
}

void PairStore::add(const PackedPair& pair) {
  const size_t before = open_.size();
  append_pair(open_, pair);
  ++pairs_;
  bytes_ += open_.size() - before + kBytesBesides;
  if (open_.size() >= kStoredBlock) close_block();
  if (!file_ && bytes_ > memory_) move_to_file();
}

void PairStore::finish() {
  if (!open_.empty()) close_block();
}

void PairStore::close_block() {
  if (file_) {
    extents_.emplace_back(file_->append(open_), open_.size());
    open_.clear();
    return;
  }
  open_.shrink_to_fit();
  blocks_.push_back(std::make_shared<const std::string>(std::move(open_)));
  open_ = {};
}

void PairStore::move_to_file() {
  file_.emplace(folder_);
  for (PairBlock& block : blocks_) {
    extents_.emplace_back(file_->append(*block), block->size());
    block.reset();
  }
  blocks_ = {};
}

PairBlock PairStore::block(size_t i) const {
  HEXAPLA_CHECK(open_.empty() && i < blocks(), "block ", i, " of ", blocks(), ", ", open_.size(), " bytes not closed");
  if (!file_) return blocks_[i];
  auto bytes = std::make_shared<std::string>();
  file_->read(extents_[i].first, extents_[i].second, *bytes);
  return bytes;
}

void PairTable::add(PairBlock block) {
  HEXAPLA_CHECK(block->size() <= std::numeric_limits<uint32_t>::max(), "a block of ", block->size(), " bytes");
  const uint64_t number = blocks_.size() << 32;
  for (std::string_view left = *block; !left.empty();) {
    at_.push_back(number | (block->size() - left.size()));
    take_pair(left);
  }
  blocks_.push_back(std::move(block));
}

PackedPair PairTable::operator[](int64_t i) const {
  const uint64_t packed_offset = at_.at(static_cast<size_t>(i));
  std::string_view left = *blocks_[packed_offset >> 32];
  left.remove_prefix(packed_offset & 0xFFFFFFFF);
  return take_pair(left);
}

std::shared_ptr<const PairStore> store_examples(std::span<const Example> examples) {
  auto store = std::make_shared<PairStore>(std::numeric_limits<size_t>::max(), "");
  std::string source, target, links;
  for (const Example& e : examples) {
    source.clear();
    target.clear();
    links.clear();
    pack_links(e.links, links);
    pack_ids(e.source, source);
    pack_ids(e.target, target);
    store->add({e.corpus, e.line, source, target, links});
  }
  store->finish();
  return store;
}

}  // namespace hexapla::data
