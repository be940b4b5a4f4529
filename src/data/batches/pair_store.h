#pragma once
// Pairs of sentences, packed into few bytes: in memory as long as they fit, then in a temporary file.
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

// The sides are text, or token ids as pack_ids writes them; whoever keeps the pairs knows which.
struct PackedPair {
  int32_t corpus = 0;  // which of the training sets
  int64_t line = 0;    // in its files
  std::string_view source, target;
  std::string_view links{};  // between the tokens of ids, as pack_links writes them
};

void append_pair(std::string& to, const PackedPair& pair);
PackedPair take_pair(std::string_view& from);  // off its front; the sides point into it

void pack_ids(std::span<const int32_t> ids, std::string& to);
void pack_links(std::span<const Link> links, std::string& to);
text::Ids unpack_ids(std::string_view packed);
int64_t count_ids(std::string_view packed);
Example unpack_example(const PackedPair& pair);  // of ids

using PairBlock = std::shared_ptr<const std::string>;  // whole pairs, one after the other

class PairStore {
 public:
  // Bytes a pair beside its own: its place, its lengths, its place in the plans of two epochs that draw it once.
  static constexpr uint64_t besides = 40;

  // Keeps up to `memory` bytes in memory: with more, everything goes into a temporary file in `folder`.
  PairStore(size_t memory, std::string folder) : memory_(memory), folder_(std::move(folder)) {}

  void add(const PackedPair& pair);  // RunError: the disk is full
  void finish();                     // after the last add(), before the first block()

  int64_t pairs() const { return pairs_; }
  uint64_t bytes() const { return bytes_; }  // what they take in memory, with what it takes to find and plan them
  bool in_memory() const { return !file_; }
  size_t blocks() const { return file_ ? extents_.size() : blocks_.size(); }
  PairBlock block(size_t i) const;  // of a file: read anew. In the order of adding; several threads may. RunError

  // f(pair) for every pair in the order of adding.
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
  std::string open_;  // the block that is being filled
  std::vector<PairBlock> blocks_;
  std::optional<TemporaryFile> file_;
  std::vector<std::pair<uint64_t, size_t>> extents_;  // of the blocks in the file
  int64_t pairs_ = 0;
  uint64_t bytes_ = 0;
};

// Pairs in memory, by number.
class PairTable {
 public:
  void reserve(int64_t pairs) { at_.reserve(static_cast<size_t>(pairs)); }
  void add(PairBlock block);
  int64_t size() const { return static_cast<int64_t>(at_.size()); }
  PackedPair operator[](int64_t i) const;

 private:
  std::vector<PairBlock> blocks_;
  std::vector<uint64_t> at_;  // block << 32 | byte
};

// Examples as a store in memory.
std::shared_ptr<const PairStore> store_examples(std::span<const Example> examples);

}  // namespace hexapla::data
