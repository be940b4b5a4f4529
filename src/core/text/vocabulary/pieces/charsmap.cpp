#include "text/vocabulary/pieces/charsmap.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

constexpr int kLongestRule = 256;            // bytes
constexpr int kMostEnds = 32;                // Normalizer::kMaxTrieResultsSize
constexpr size_t kLongestReplacement = 255;  // bytes; the longest real one, for U+FDFA, has 33
constexpr uint32_t kBlock = 256;             // units that contain a node's children

uint32_t little_endian(std::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value |= uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return value;
}

// A node of a darts-clone double array in 32 bits.
struct Unit {
  uint32_t bits;
  uint32_t label() const { return bits & ((1U << 31) | 0xFF); }  // of the edge to it: a byte, except for values
  uint32_t offset() const { return (bits >> 10) << ((bits & (1U << 9)) >> 6); }
  bool ends_rule() const { return (bits >> 8) & 1; }
  uint32_t value() const { return bits & ((1U << 31) - 1); }
};

class CharsmapCheck {
 public:
  CharsmapCheck(std::string_view trie, std::string_view replacements)
      : replacements_(replacements), seen_(trie.size() / 4) {
    units_.reserve(seen_.size());
    for (size_t at = 0; at < trie.size(); at += 4) units_.push_back({little_endian(trie.substr(at, 4))});
    sort_children();
  }
  std::string fault() {
    visit(0, 0);
    return fault_;
  }

 private:
  struct Seen {
    enum class State : uint8_t { no, open, done } state = State::no;
    int height = 0, ends = 0;  // maxima over all paths from here
  };

  // A child is at its parent's base XOR its label, so every unit knows the base. Counting sort by it.
  void sort_children() {
    first_child_.resize(units_.size() + 1);
    const auto each = [&](auto&& f) {
      for (uint32_t i = 0; i < units_.size(); ++i)
        if (units_[i].label() < kBlock && (i ^ units_[i].label()) < units_.size()) f(i ^ units_[i].label(), i);
    };
    each([&](uint32_t base, uint32_t) { ++first_child_[base]; });
    std::exclusive_scan(first_child_.begin(), first_child_.end(), first_child_.begin(), 0U);
    children_.resize(first_child_.back());
    std::vector<uint32_t> next = first_child_;
    each([&](uint32_t base, uint32_t child) { children_[next[base]++] = child; });
  }

  // Nodes may be shared, so each is visited once; reaching an open one means a cycle.
  Seen visit(uint32_t node, int depth) {
    Seen& seen = seen_[node];
    if (seen.state == Seen::State::done) return seen;
    if (seen.state == Seen::State::open || depth > kLongestRule) return refuse("a rule is endless or too long");
    seen.state = Seen::State::open;
    const uint32_t children = node ^ units_[node].offset();
    if ((children | (kBlock - 1)) >= units_.size()) return refuse("a rule leads out of the trie");
    if (units_[node].ends_rule()) check_replacement(units_[children].value());
    for (uint32_t i = first_child_[children]; i < first_child_[children + 1] && fault_.empty(); ++i) {
      const Seen below = visit(children_[i], depth + 1);
      seen.height = std::max(seen.height, below.height + 1);
      seen.ends = std::max(seen.ends, below.ends);
    }
    if (units_[node].ends_rule() && node != 0) ++seen.ends;
    if (depth + seen.height > kLongestRule) return refuse("a rule is too long");
    if (seen.ends > kMostEnds) return refuse(cat("more than ", kMostEnds, " rules begin alike"));
    seen.state = Seen::State::done;
    return seen;
  }

  void check_replacement(uint32_t begin) {
    if (begin >= replacements_.size()) return void(refuse("a rule has no replacement"));
    const std::string_view text = replacements_.substr(begin, replacements_.find('\0', begin) - begin);
    if (text.size() > kLongestReplacement) refuse(cat("a replacement has ", text.size(), " bytes"));
    if (invalid_utf8(text)) refuse("a replacement is not UTF-8");
  }

  Seen refuse(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
    return {};
  }

  std::string_view replacements_;  // ends with a NUL
  std::vector<Unit> units_;
  std::vector<Seen> seen_;
  std::vector<uint32_t> children_, first_child_;  // by base: children_[first_child_[base]] ..
  std::string fault_;
};

}  // namespace

std::string fault_of_charsmap(std::string_view blob) {
  if (blob.empty()) return "";
  if (blob.size() < 4) return cat("the rules have ", blob.size(), " bytes, too few for their size");
  const uint32_t size = little_endian(blob);
  blob.remove_prefix(4);
  if (size % 4 != 0 || size < 4 * kBlock || size >= blob.size())
    return cat("a trie of ", size, " bytes cannot be in ", blob.size());
  if (blob.back() != '\0') return "the last replacement does not end";
  return CharsmapCheck(blob.substr(0, size), blob.substr(size)).fault();
}

AlignedText AlignedText::of(std::string_view text) {
  AlignedText all{std::string(text), std::vector<size_t>(text.size() + 1)};
  std::iota(all.at.begin(), all.at.end(), size_t{0});
  return all;
}

AlignedText AlignedText::part(size_t from, size_t to) const {
  const auto begin = at.begin();
  return {text.substr(from, to - from),
          {begin + static_cast<std::ptrdiff_t>(from), begin + static_cast<std::ptrdiff_t>(to) + 1}};
}

AlignedText with_charsmap(std::string_view blob, const AlignedText& from) {
  if (blob.empty()) return from;
  const std::string_view trie = blob.substr(4, little_endian(blob)), replacements = blob.substr(4 + trie.size());
  const auto unit = [&](uint32_t node) { return Unit{little_endian(trie.substr(size_t{4} * node, 4))}; };
  AlignedText to;
  for (size_t at = 0; at < from.text.size();) {
    const std::string_view rest = std::string_view(from.text).substr(at);
    std::string_view written = rest.substr(0, character_bytes(rest));
    size_t read = written.size();
    uint32_t node = unit(0).offset();
    for (size_t i = 0; i < rest.size(); ++i) {
      node ^= static_cast<unsigned char>(rest[i]);
      const Unit reached = unit(node);
      if (reached.label() != static_cast<unsigned char>(rest[i])) break;
      node ^= reached.offset();
      if (!reached.ends_rule()) continue;
      const uint32_t begin = unit(node).value();
      written = replacements.substr(begin, replacements.find('\0', begin) - begin);
      read = i + 1;
    }
    to.text += written;
    to.at.insert(to.at.end(), written.size(), from.at[at]);
    at += read;
  }
  to.at.push_back(from.at.back());
  return to;
}

}  // namespace hexapla::text
