#pragma once
// Vocabularies of a few pieces of every kind, in which a text has many segmentations.
#include <ostream>
#include <string>
#include <vector>

#include "text/vocabulary/pieces/test_byte_model.h"

namespace hexapla::decode::test {

struct TinyVocabulary {
  std::string name;
  text::PieceModel model;
  std::vector<std::string> used;  // pieces that a model may write
  friend std::ostream& operator<<(std::ostream& out, const TinyVocabulary& v) { return out << v.name; }
};

// <pad>, <s>, </s>, <unk>, a control symbol <mask>, and these pieces.
inline text::PieceModel tiny_model(const std::vector<std::string>& pieces, bool bytes = false) {
  using Type = text::PieceModel::Type;
  text::PieceModel m;
  m.pieces = {{"<pad>", 0, Type::control},
              {"<s>", 0, Type::control},
              {"</s>", 0, Type::control},
              {"<unk>", 0, Type::unknown},
              {"<mask>", 0, Type::control}};
  if (bytes)
    for (int byte = 0; byte < 256; ++byte)
      m.pieces.push_back({text::byte_piece(static_cast<unsigned char>(byte)), 0, Type::byte});
  m.byte_fallback = bytes;
  for (size_t i = 0; i < pieces.size(); ++i) m.pieces.push_back({pieces[i], -1 - 0.25f * static_cast<float>(i)});
  return m;
}

inline std::vector<TinyVocabulary> tiny_vocabularies() {
  std::vector<TinyVocabulary> all;
  const auto add = [&](const std::string& name, const std::vector<std::string>& pieces, auto&& change,
                       const std::vector<std::string>& more = {}, bool bytes = false) {
    all.push_back({name, tiny_model(pieces, bytes), pieces});
    all.back().used.insert(all.back().used.end(), more.begin(), more.end());
    change(all.back().model);
  };
  const auto as_it_is = [](text::PieceModel&) {};
  const auto keeps_blanks = [](text::PieceModel& m) { m.normalizer.remove_extra_whitespaces = false; };
  const auto without_dummy = [](text::PieceModel& m) {
    m.normalizer.add_dummy_prefix = m.normalizer.remove_extra_whitespaces = false;
  };
  const auto bpe = [](text::PieceModel& m) { m.kind = text::PieceModel::Kind::bpe; };
  const std::vector<std::string> chinese{"\u2581", "我", "们", "我们", "\u2581我", "们我"};
  const std::vector<std::string> latin{"\u2581", "a", "b", "\u2581a", "ab", "\u2581ba"};
  add("chinese", chinese, as_it_is);
  add("chinese, all blanks kept", chinese, keeps_blanks);
  add("chinese, no blank first", chinese, without_dummy);
  add("latin", latin, as_it_is);
  add("latin bpe", latin, bpe);
  add("latin, all blanks kept", latin, keeps_blanks);
  add("latin, no blank first", latin, without_dummy);
  add("control symbols", {"\u2581", "a", "\u2581b", "ab"}, as_it_is, {"<mask>"});
  add("thai", {"\u2581", "ก", "\u0E34", "ก\u0E34", "น", "\u2581กน"}, as_it_is);
  add("arabic", {"\u2581", "ك", "\u064E", "ك\u064E", "ل", "\u2581كل"}, as_it_is);
  add("combining", {"\u2581", "e", "\u0301", "e\u0301", "\u2581te\u0301", "t"}, as_it_is);
  add("bytes", {"\u2581", "ü", "x"}, as_it_is, {"<0xC3>", "<0xBC>", "<0x01>"}, true);
  add("bytes, no blank first", {"\u2581x", "ü", "\u2581"}, without_dummy, {"<0xC3>", "<0xBC>", "<mask>"}, true);
  add("bytes of three", {"\u2581", "京"}, as_it_is, {"<0xE4>", "<0xBA>", "<0xAC>"}, true);
  add("blanks end words", {"a", "b", "a\u2581", "ab\u2581", "b\u2581"}, [](text::PieceModel& m) {
    m.kind = text::PieceModel::Kind::bpe;
    m.treat_whitespace_as_suffix = true;
    m.ids = m.pieces.size();
  });
  add("words of a table", {"\u2581a", "\u2581ab", "\u2581b", "\u2581我"}, [](text::PieceModel& m) {
    m.kind = text::PieceModel::Kind::word;
    m.ids = m.pieces.size();
  });
  const std::string blank = "\u0120", first = text::visible_bytes("\xC3"), second = text::visible_bytes("\xBC");
  all.push_back({"byte-level bpe",
                 text::byte_model({{blank, "a"}, {first, second}, {"a", "b"}}),
                 {blank, "a", "b", blank + "a", first, first + second}});
  return all;
}

}  // namespace hexapla::decode::test
