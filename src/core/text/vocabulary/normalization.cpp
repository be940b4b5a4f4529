#include "text/vocabulary/normalization.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "base/files/protobuf.h"
#include "text/plain_line.h"

namespace hexapla::text {
namespace {

constexpr uint64_t kNormalizerSpec = 3,
                   kName = 1;  // fields of ModelProto and NormalizerSpec (sentencepiece_model.proto)

// Builds a charsmap: the size of a trie in bytes (u32), the trie, and the replacements, each
// terminated by NUL. The trie is a double array of 32-bit units (darts-clone). A unit holds the
// byte that leads to it, and the exclusive or of its own position and its children's block; child c
// is at position c of the block. Every node has its own block here, which is larger than necessary
// but can be written directly. Values have bit 31.
class Charsmap {
 public:
  Charsmap() : units_(2 * kBlock) { units_[0] = offset(0, block("")); }

  void add(std::string_view from, const std::string& to) {
    for (size_t i = 0; i + 1 < from.size(); ++i) {
      const uint32_t at = position(from, i);
      const uint32_t children = block(std::string(from.substr(0, i + 1)));
      units_[at] = offset(at, children) | label(from[i]);
    }
    const uint32_t at = position(from, from.size() - 1);
    units_[at] = offset(at, value(to)) | kHasValue | label(from.back());
  }

  std::string bytes() const {
    std::string all;
    append(all, static_cast<uint32_t>(4 * units_.size()));
    for (const uint32_t unit : units_) append(all, unit);
    return all + replacements_;
  }

 private:
  static constexpr uint32_t kBlock = 256, kHasValue = 1u << 8, kIsValue = 1u << 31;

  static uint32_t label(char c) { return static_cast<unsigned char>(c); }
  static uint32_t offset(uint32_t from, uint32_t to) { return (from ^ to) << 10; }
  static void append(std::string& to, uint32_t number) {
    for (int i = 0; i < 4; ++i) to.push_back(static_cast<char>(number >> (8 * i)));
  }
  uint32_t position(std::string_view from, size_t i) { return block(std::string(from.substr(0, i))) + label(from[i]); }
  // Position of the children of the node for these bytes.
  uint32_t block(const std::string& bytes) {
    const auto [found, is_new] = blocks_.emplace(bytes, static_cast<uint32_t>(units_.size()));
    if (is_new) {
      units_.resize(units_.size() + kBlock);
      units_[found->second] = kIsValue;  // NUL has no child; its label would equal an empty unit's
    }
    return found->second;
  }
  // All values are in the second block, which no node uses.
  uint32_t value(const std::string& text) {
    const auto [found, is_new] = values_.emplace(text, kBlock + static_cast<uint32_t>(values_.size()));
    if (is_new) {
      units_[found->second] = kIsValue | static_cast<uint32_t>(replacements_.size());
      replacements_ += text + '\0';
    }
    return found->second;
  }

  std::vector<uint32_t> units_;
  std::map<std::string, uint32_t> blocks_, values_;
  std::string replacements_;
};

ProtobufField find_field(std::string_view message, uint64_t number) {
  ProtobufField found;
  while (!message.empty())
    if (const ProtobufField field = take_field(message); field.number == number) found = field;
  return found;
}

}  // namespace

bool is_normalization(const std::string& name) {
  return std::find(kNormalizations.begin(), kNormalizations.end(), name) != kNormalizations.end();
}

std::string normalization_names() {
  std::string all;
  for (size_t i = 0; i < kNormalizations.size(); ++i)
    all += cat(i == 0 ? "" : i + 1 < kNormalizations.size() ? ", " : " or ", kNormalizations[i]);
  return all;
}

std::string keep_charsmap() {
  Charsmap rules;
  const auto add = [&](const std::string& character) { rules.add(character, plain_line(character)); };
  for (char c = 1; c < 0x20; ++c) add(std::string(1, c));  // no rule is possible for NUL; text readers reject it
  add("\x7F");
  for (char c = '\x80'; c < '\xA0'; ++c) add(std::string("\xC2") + c);
  add("\u2028");
  add("\u2029");
  return rules.bytes();
}

std::string normalization_of(std::string_view model) {
  return std::string(find_field(find_field(model, kNormalizerSpec).content, kName).content);
}

std::string with_normalization_of(std::string_view other, std::string_view model) {
  const std::string_view rule = find_field(other, kNormalizerSpec).encoded;
  std::string all;
  while (!model.empty()) {
    const ProtobufField field = take_field(model);
    all += field.number == kNormalizerSpec ? rule : field.encoded;
  }
  return all;
}

}  // namespace hexapla::text
