#pragma once
// Compactly stored sentence pairs: in memory while they fit, then in a temporary file.
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/files/temporary_file.h"
#include "data/batches/batch.h"

namespace hexapla::data {

// The sides are text, or token ids written by pack_ids; the owner knows which.
struct PackedPair {
  int32_t corpus = 0;  // index of the training set
  int64_t line = 0;    // in its files
  std::string_view source, target;
  std::string_view links{};  // between token ids, as written by pack_links
};

void append_pair(std::string& to, const PackedPair& pair);
PackedPair take_pair(std::string_view& from);  // from its front; the sides point into it

void pack_ids(std::span<const int32_t> ids, std::string& to);
void pack_links(std::span<const Link> links, std::string& to);
text::Ids unpack_ids(std::string_view packed);
int64_t count_ids(std::string_view packed);
Example unpack_example(const PackedPair& pair);  // requires ids

using PairBlock = std::shared_ptr<const std::string>;  // whole pairs, concatenated

class PairStore {
 public:
  // Bytes per pair in addition to its content: place, lengths, and places in the plans of two
  // epochs that draw it once.
  static constexpr uint64_t kBytesBesides = 40;

  // Keeps up to `memory` bytes in memory; beyond that, moves all to a temporary file in `folder`.
  PairStore(size_t memory, std::string folder) : memory_(memory), folder_(std::move(folder)) {}

  void add(const PackedPair& pair);  // RunError: the disk is full
  void finish();                     // after the last add(), before the first block()

  int64_t pairs() const { return pairs_; }
  uint64_t bytes() const { return bytes_; }  // size in memory, including what is needed to find and plan them
  bool in_memory() const { return !file_; }
  size_t blocks() const { return file_ ? extents_.size() : blocks_.size(); }
  PairBlock block(size_t i) const;  // in the order of adding; reads it from the file, if any. Thread-safe. RunError

  // Calls f(pair) for every pair in the order of adding.
  template <class F>
  void for_each(F&& f) const {
    for (size_t i = 0; i < blocks(); ++i) {
      const PairBlock held = block(i);
      for (std::string_view left = *held; !left.empty();) f(take_pair(left));
    }
  }

 private:
  void close_block();
  void move_to_file();

  size_t memory_;
  std::string folder_;
  std::string open_;  // the block being filled
  std::vector<PairBlock> blocks_;
  std::optional<TemporaryFile> file_;
  std::vector<std::pair<uint64_t, size_t>> extents_;  // places of the blocks in the file
  int64_t pairs_ = 0;
  uint64_t bytes_ = 0;
};

// Pairs in memory, by number.
class PairTable {
 public:
  void reserve(int64_t pairs) { at_.reserve(static_cast<size_t>(pairs)); }
  void add(PairBlock block);
  int64_t size() const { return std::ssize(at_); }
  PackedPair operator[](int64_t i) const;

 private:
  std::vector<PairBlock> blocks_;
  std::vector<uint64_t> at_;  // block << 32 | byte
};

std::shared_ptr<const PairStore> store_examples(std::span<const Example> examples);

}  // namespace hexapla::data
