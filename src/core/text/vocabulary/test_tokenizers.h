#pragma once
// Tampered tokenizers: SentencePiece models with single fields changed, mostly to values that no
// trainer writes. The same random numbers give the same bytes.
#include <bit>
#include <string>
#include <string_view>
#include <vector>

#include "base/compute/random.h"
#include "base/files/varint.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::text {

// A protocol buffers field in wire format, with its encoded value.
struct WireField {
  uint64_t number;
  std::string bytes;  // type 2: without the length; otherwise the encoded value
  uint64_t type = 2;
};

inline std::string wire(const std::vector<WireField>& fields) {
  std::string all;
  for (const WireField& f : fields) {
    put_varint(all, f.number << 3 | f.type);
    if (f.type == 2) put_varint(all, f.bytes.size());
    all += f.bytes;
  }
  return all;
}
// Omits everything after an error, as the message may have been tampered with already.
inline std::vector<WireField> fields_of(std::string_view message) {
  std::vector<WireField> all;
  try {
    while (!message.empty()) {
      const uint64_t key = take_varint(message);
      const std::string_view rest = message;
      uint64_t size = (key & 7) == 5 ? 4 : 8;
      if ((key & 7) == 2) size = take_varint(message);
      if ((key & 7) == 0) {
        take_varint(message);
        size = 0;
      }
      size = std::min<uint64_t>(size, message.size());
      const size_t skipped = (key & 7) == 0 ? 0 : rest.size() - message.size();
      message.remove_prefix(size);
      all.push_back({key >> 3, std::string(rest.substr(skipped, rest.size() - message.size() - skipped)), key & 7});
    }
  } catch (const InternalError&) {
  }
  return all;
}
inline WireField number_field(uint64_t number, uint64_t value) {
  WireField f{number, "", 0};
  put_varint(f.bytes, value);
  return f;
}
inline WireField float_field(uint64_t number, uint32_t bits) {
  WireField f{number, "", 5};
  for (int i = 0; i < 4; ++i, bits >>= 8) f.bytes.push_back(static_cast<char>(bits & 0xFF));
  return f;
}

class TokenizerMutator {
 public:
  TokenizerMutator(uint64_t seed, uint64_t number) : random_(seed, number) {}

  std::string mutated(const std::string& model) {
    std::vector<WireField> fields = fields_of(model);
    for (uint32_t n = 1 + below(3); n > 0; --n) mutate(fields);
    std::string bytes = wire(fields);
    if (below(40) == 0) bytes.resize(below(static_cast<uint32_t>(bytes.size())));
    if (below(40) == 0) flip(bytes, 0, bytes.size());
    return bytes;
  }

 private:
  uint32_t below(uint32_t n) { return random_.below(n); }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(static_cast<uint32_t>(all.size()))];
  }

  void mutate(std::vector<WireField>& model) {
    switch (below(8)) {
      case 0:
      case 1:
        return change(model, 1, [&](auto& piece) { mutate_piece(piece, model); });
      case 2:
        return mutate_list(model);
      case 3:
        return change(model, 2, [&](auto& trainer) { mutate_trainer(trainer); });
      case 4:
      case 5:
      case 6:
        return change(model, 3, [&](auto& normalizer) { mutate_normalizer(normalizer); });
      default:
        return add_denormalizer(model);
    }
  }
  // Calls f(fields) for one of the messages with this number.
  template <class F>
  void change(std::vector<WireField>& model, uint64_t number, F&& f) {
    std::vector<size_t> candidates;
    for (size_t i = 0; i < model.size(); ++i)
      if (model[i].number == number && model[i].type == 2) candidates.push_back(i);
    if (candidates.empty()) return;
    const size_t chosen = one_of(candidates);
    std::vector<WireField> fields = fields_of(model[chosen].bytes);
    f(fields);
    model[chosen].bytes = wire(fields);
  }

  std::string text() {
    static const std::vector<std::string> texts = {"",
                                                   std::string(1, '\0'),
                                                   std::string("a\0b", 3),
                                                   "\xFF",
                                                   "\xE4\xB8",
                                                   "<s>",
                                                   "</s>",
                                                   "<unk>",
                                                   "<0x41>",
                                                   "<0xZZ>",
                                                   "\u2581",
                                                   "a",
                                                   "\x1b]0;x\x07",
                                                   "\u202E",
                                                   "\n",
                                                   "\u0301",
                                                   "<0x0A>",
                                                   " ",
                                                   "\u2585"};
    if (below(60) == 0) return std::string(1 << 20, 'x');
    if (below(30) == 0) return std::string(one_of(std::vector<size_t>{4095, 4096, 4097, 20000}), 'y');
    return one_of(texts);
  }

  void mutate_piece(std::vector<WireField>& piece, const std::vector<WireField>& model) {
    static const std::vector<uint32_t> floats = {0x7FC00000, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0xFF7FFFFF,
                                                 0x00000001, 0x80000000, 0x60AD78EC, 0xE0AD78EC};
    switch (below(5)) {
      case 0:
        return set(piece, {1, text()});
      case 1:
        return set(piece, float_field(2, below(2) ? one_of(floats) : random_.next()));
      case 2:
        return set(piece, number_field(3, below(9)));
      case 3:
        return set(piece, number_field(3, uint64_t{random_.next()} << below(33)));
      default:
        for (const WireField& other : model)
          if (other.number == 1 && below(20) == 0) piece = fields_of(other.bytes);
    }
  }
  void mutate_list(std::vector<WireField>& model) {
    const size_t at = below(static_cast<uint32_t>(model.size()));
    switch (below(4)) {
      case 0:
        return void(model.erase(model.begin() + static_cast<std::ptrdiff_t>(at)));
      case 1:
        return model.push_back(model[at]);
      case 2:
        return std::swap(model[at], model[below(static_cast<uint32_t>(model.size()))]);
      default:
        return model.push_back({1 + below(6), text()});
    }
  }
  void mutate_trainer(std::vector<WireField>& trainer) {
    switch (below(4)) {
      case 0:
        return set(trainer, number_field(3, below(7)));
      case 1:
        return set(trainer, number_field(one_of(std::vector<uint64_t>{24, 35, 40, 41, 42, 43}), below(3)));
      default:
        return set(trainer, {44 + below(5), text()});
    }
  }
  void mutate_normalizer(std::vector<WireField>& normalizer) {
    if (below(6) == 0) return set(normalizer, number_field(3 + below(3), below(2)));
    for (WireField& f : normalizer)
      if (f.number == 2) return mutate_charsmap(f.bytes);
    set(normalizer, {2, std::string(below(2000), '\xFF')});
  }
  void add_denormalizer(std::vector<WireField>& model) {
    for (const WireField& f : model)
      if (f.number == 3) {
        std::vector<WireField> copy = fields_of(f.bytes);
        if (below(3) > 0) mutate_normalizer(copy);
        return model.push_back({5, wire(copy)});
      }
  }
  // Format: 4 bytes of size, 4 bytes per unit of the trie, the replacements.
  void mutate_charsmap(std::string& map) {
    const size_t trie = map.size() < 4 ? 0 : std::min<size_t>(map.size() - 4, little_endian(map));
    switch (below(7)) {
      case 0:
        map.assign(one_of(std::vector<size_t>{0, 1, 3, 4, 5, 1024, 1028, 1032, 4096}), '\xFF');
        return;
      case 1:
        return map.resize(below(static_cast<uint32_t>(map.size() + 1)));
      case 2:
        for (size_t i = 0; i < 4 && i < map.size(); ++i) map[i] = static_cast<char>(below(256));
        return;
      case 3:
        if (!map.empty()) map.back() = 'x';
        return flip(map, 4 + trie, map.size());
      case 4:  // the root and its neighbors
        return flip(map, 4, std::min<size_t>(map.size(), 4 + 1024));
      default:
        for (uint32_t n = 1 + below(200); n > 0; --n) flip(map, 4, 4 + trie);
    }
  }
  void flip(std::string& bytes, size_t from, size_t to) {
    if (from < to) bytes[from + below(static_cast<uint32_t>(to - from))] ^= static_cast<char>(1 << below(8));
  }
  static size_t little_endian(const std::string& bytes) {
    size_t value = 0;
    for (size_t i = 0; i < 4; ++i) value |= size_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    return value;
  }
  static void set(std::vector<WireField>& fields, WireField to) {
    std::erase_if(fields, [&](const WireField& f) { return f.number == to.number; });
    fields.push_back(std::move(to));
  }

  Random random_;
};

// Small models of several kinds.
inline std::vector<std::string> honest_tokenizers() {
  std::vector<std::string> lines;
  Random random(11);
  for (int i = 0; i < 300; ++i) {
    std::string line;
    for (uint32_t n = 2 + random.below(6); n > 0; --n)
      for (uint32_t s = 0; s < 3; ++s)
        line += std::vector<std::string>{"ka", "lo ", "mi", "ße", "né", "ing "}[random.below(6)];
    lines.push_back(line);
  }
  return {Vocabulary::train(lines, {.size = 60}).bytes(),
          Vocabulary::train(lines, {.type = "bpe", .size = 60, .normalization = "nfkc_cf", .user_symbols = {"<x>"}})
              .bytes(),
          Vocabulary::train(lines, {.size = 320, .normalization = "identity", .byte_fallback = true}).bytes()};
}

inline const std::vector<std::string>& texts_of_all_kinds() {
  static const std::vector<std::string> texts = {"kalo mi né kaße ing",
                                                 "ＦＵＬＬ　ｗｉｄｔｈ ﷺ ½ ﬁ Å ①",
                                                 "漢字 and 😀😀 e\u0301 \u00A0 <x> <s> <unk>",
                                                 "a\tb\x01"
                                                 "c",
                                                 std::string(300, 'k') + " " + std::string(300, 'z'),
                                                 "\u2581\u2581 ka",
                                                 std::string("NUL \0 in it", 11),
                                                 ""};
  return texts;
}

}  // namespace hexapla::text
