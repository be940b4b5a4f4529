#include "text/vocabulary/pieces/piece_model.h"

#include <gmock/gmock.h>
#include <sentencepiece_processor.h>

#include <fstream>
#include <map>

#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "text/plain_line.h"
#include "text/utf8.h"
#include "text/vocabulary/pieces/charsmap.h"
#include "text/vocabulary/pieces/piece_text.h"
#include "text/vocabulary/test_tokenizers.h"

namespace hexapla::text {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<std::string>& honest() {
  static const std::vector<std::string> all = honest_tokenizers();
  return all;
}

std::string refusal(const std::string& bytes) {
  return what_of<DataError>([&] { Vocabulary::parse(bytes, "x.spm"); });
}

// The error for a SentencePiece model with one of its pieces changed.
std::string refusal_of_piece(size_t id, const WireField& change) {
  std::vector<WireField> fields = fields_of(honest()[0]);
  std::vector<WireField> piece = fields_of(fields[id].bytes);
  std::erase_if(piece, [&](const WireField& f) { return f.number == change.number; });
  piece.push_back(change);
  fields[id].bytes = wire(piece);
  return refusal(wire(fields));
}

std::string refusal_of_charsmap(const std::string& map, uint64_t spec = 3) {
  std::vector<WireField> fields = fields_of(honest()[0]);
  fields.push_back({spec, wire({{2, map}})});
  return refusal(wire(fields));
}

TEST(PieceModel, PiecesThatSentencePieceWouldDieOfAreRefused) {
  EXPECT_THAT(refusal_of_piece(7, {1, ""}), AllOf(HasSubstr("x.spm is not a SentencePiece model that can be used"),
                                                  HasSubstr("piece 7: it is empty"), HasSubstr("get it again")));
  EXPECT_THAT(refusal_of_piece(7, {1, std::string(1 << 20, 'x')}),
              HasSubstr("piece 7: a text has 1048576 bytes, allowed are 4096"));
  EXPECT_THAT(refusal_of_piece(7, {1, "\xE4\xB8"}), HasSubstr("piece 7: a text is not UTF-8"));
  EXPECT_THAT(refusal_of_piece(7, {1, std::string("a\0b", 3)}), HasSubstr("or has a NUL"));
  EXPECT_THAT(refusal_of_piece(7, {1, "\u2581"}), HasSubstr("occurs for the second time"));
  EXPECT_THAT(refusal_of_piece(7, float_field(2, 0x7FC00000)), HasSubstr("its score is nan"));
  EXPECT_THAT(refusal_of_piece(7, float_field(2, 0x7F7FFFFF)), HasSubstr("its score is 3.4"));
  EXPECT_THAT(refusal_of_piece(7, number_field(3, 8)), HasSubstr("piece 7: field 3 is 8"));
  EXPECT_THAT(refusal_of_piece(7, number_field(3, 7)), HasSubstr("piece 7: it does not say how it is found"));
  EXPECT_THAT(refusal_of_piece(7, number_field(3, 2)), HasSubstr("it has 2 unknown pieces instead of one"));
  EXPECT_THAT(refusal_of_piece(3, number_field(3, 3)), HasSubstr("it has 0 unknown pieces instead of one"));
  EXPECT_THAT(refusal_of_piece(7, number_field(3, 6)), HasSubstr("byte pieces and its byte_fallback"));
  EXPECT_THAT(refusal_of_piece(1, {1, "<t>"}), HasSubstr("has no <s> piece"));
}

TEST(PieceModel, UnknownFieldsArePassedOverUnlessTheyAreCutShort) {
  const std::string whole = PieceModel::parse(honest()[0], "x").serialized();
  const std::pair<char, std::string> contents[] = {{0, "\x81\x01"}, {1, "8 bytes."}, {2, "\3abc"}, {5, "four"}};
  for (const auto& [wire_type, content] : contents) {
    const std::string field = std::string{static_cast<char>('\xE0' + wire_type), '\x12'} + content;  // number 300
    EXPECT_EQ(PieceModel::parse(honest()[0] + field, "x").serialized(), whole) << field;
    EXPECT_THAT(refusal(honest()[0] + field.substr(0, field.size() - 1)), HasSubstr("cut short"));
  }
  EXPECT_THAT(refusal(honest()[0] + "\xE3\x12"), HasSubstr("of no known type"));
}

TEST(PieceModel, NormalizationRulesThatLeadAstrayAreRefused) {
  for (const uint64_t spec : {3, 5}) {
    EXPECT_EQ(refusal_of_charsmap("", spec), what_of<DataError>([] {}));
    EXPECT_THAT(refusal_of_charsmap("\xFF", spec), HasSubstr("in its normalization the rules have 1 bytes"));
    for (const size_t n : {4, 1024, 4096})
      EXPECT_THAT(refusal_of_charsmap(std::string(n, '\xFF'), spec), HasSubstr("a trie of 4294967295 bytes"));
    for (const uint32_t n : {0, 4, 1024, 2048})
      EXPECT_THAT(refusal_of_charsmap(float_field(1, n).bytes + std::string(n, '\xFF') + std::string("a\0", 2), spec),
                  HasSubstr(n < 1024 ? cat("a trie of ", n, " bytes") : "a rule leads out of the trie"));
  }
}

// A unit of a double array: the label of the edge to it, whether a rule ends, its children's place.
uint32_t unit(uint32_t label, bool ends, uint32_t offset) { return label | uint32_t{ends} << 8 | offset << 10; }
std::string little(uint32_t value) { return float_field(1, value).bytes; }
std::string charsmap(const std::map<uint32_t, uint32_t>& units, const std::string& replacements, uint32_t blocks = 3) {
  std::string trie;
  for (uint32_t i = 0; i < 256 * blocks; ++i) trie += little(units.count(i) ? units.at(i) : 0xFFFFFFFF);
  return little(static_cast<uint32_t>(trie.size())) + trie + replacements;
}

TEST(Charsmap, EveryStepIsFollowed) {
  const std::string b("b\0", 2);
  // "a" is replaced by the text of value 0: the root's children are at 256, the value is at 512.
  const std::map<uint32_t, uint32_t> good = {
      {0, unit(0, false, 256)}, {353, unit('a', true, 353 ^ 512)}, {512, 1U << 31}};
  EXPECT_EQ(fault_of_charsmap(charsmap(good, b)), "");
  EXPECT_EQ(fault_of_charsmap(charsmap(good, "b")), "the last replacement does not end");
  EXPECT_EQ(fault_of_charsmap(charsmap(good, std::string("\xE4\0", 2))), "a replacement is not UTF-8");
  EXPECT_EQ(fault_of_charsmap(charsmap(good, std::string(256, 'b') + '\0')), "a replacement has 256 bytes");
  auto bad = good;
  bad[512] = 1U << 31 | 2;
  EXPECT_EQ(fault_of_charsmap(charsmap(bad, b)), "a rule has no replacement");
  bad = good;
  bad[353] = unit('a', false, 353 ^ 768);
  EXPECT_EQ(fault_of_charsmap(charsmap(bad, b)), "a rule leads out of the trie");
  bad[353] = unit('a', false, 353 ^ 256);
  EXPECT_EQ(fault_of_charsmap(charsmap(bad, b)), "a rule is endless or too long");
}

TEST(Charsmap, RulesThatAreLongOrManyAreRefused) {
  const auto chain = [](uint32_t length, bool each_ends) {  // "aaa...": a block per character
    std::map<uint32_t, uint32_t> units = {{0, unit(0, false, 256)}};
    for (uint32_t i = 1; i <= length; ++i) {
      const uint32_t node = 256 * i ^ 'a', children = 256 * (i + 1);
      units[node] = unit('a', each_ends || i == length, node ^ children);
      units[children] = 1U << 31;
    }
    return charsmap(units, std::string("b\0", 2), length + 2);
  };
  EXPECT_EQ(fault_of_charsmap(chain(32, true)), "");
  EXPECT_EQ(fault_of_charsmap(chain(33, true)), "more than 32 rules begin alike");
  EXPECT_EQ(fault_of_charsmap(chain(256, false)), "");
  EXPECT_EQ(fault_of_charsmap(chain(257, false)), "a rule is endless or too long");
}

// Compares SentencePiece on the file's bytes with our checked fields and our workarounds for its
// slow parts.
void expect_same_as_sentencepiece(const std::string& bytes, const std::vector<std::string>& texts) {
  sentencepiece::SentencePieceProcessor theirs;
  ASSERT_TRUE(theirs.LoadFromSerializedProto(bytes).ok());
  const Vocabulary ours = Vocabulary::parse(bytes, "x");
  EXPECT_EQ(ours.size(), theirs.GetPieceSize());
  EXPECT_EQ(ours.unk(), theirs.unk_id());
  EXPECT_EQ(ours.bos(), theirs.bos_id());
  EXPECT_EQ(ours.eos(), theirs.eos_id());
  EXPECT_EQ(ours.pad(), theirs.pad_id());
  EXPECT_EQ(ours.bytes(), bytes);
  for (const std::string& line : texts) {
    const std::string text = clean_utf8(line);
    const std::string encoded = theirs.EncodeAsSerializedProto(text);
    ASSERT_TRUE(is_whole(encoded)) << text;
    EncodedText expected;
    std::vector<std::string> pieces;
    for (const PieceOfText& piece : pieces_of_text(encoded)) {
      expected.ids.push_back(piece.id);
      expected.spans.push_back({piece.begin, piece.end});
      pieces.emplace_back(piece.piece);
    }
    ASSERT_EQ(ours.encode(text), expected.ids) << text;
    const EncodedText placed = ours.encode_with_spans(text);
    ASSERT_EQ(placed.ids, expected.ids) << text;
    ASSERT_EQ(placed.spans, expected.spans) << text;
    ASSERT_EQ(ours.pieces(text), pieces) << text;
    std::string decoded;
    ASSERT_TRUE(theirs.Decode(expected.ids, &decoded).ok());
    ASSERT_EQ(ours.decode(expected.ids), plain_line(decoded));
  }
}

// Files of other programs: other ids, no padding, words, characters.
std::vector<std::string> foreign_tokenizers() {
  std::vector<std::string> all;
  for (const PieceModel::Kind kind : {PieceModel::Kind::word, PieceModel::Kind::character}) {
    PieceModel m = PieceModel::parse(honest()[0], "x");
    m.kind = kind;
    all.push_back(m.serialized());
  }
  PieceModel opus = PieceModel::parse(honest()[1], "x");  // </s> 0, <unk> 1, and no padding, as in Marian
  std::swap(opus.pieces[0], opus.pieces[2]);
  std::swap(opus.pieces[1], opus.pieces[3]);
  opus.pieces[2].type = PieceModel::Type::unused;
  all.push_back(opus.serialized());
  PieceModel suffix = PieceModel::parse(honest()[0], "x");
  suffix.treat_whitespace_as_suffix = true;
  suffix.normalizer.add_dummy_prefix = false;
  suffix.denormalizer = suffix.normalizer;
  suffix.unknown_surface = "?";
  suffix.pieces[9].type = PieceModel::Type::user;
  all.push_back(suffix.serialized());
  return all;
}

TEST(PieceModel, EncodesAsSentencePieceDoes) {
  std::vector<std::string> models = honest();
  for (std::string& foreign : foreign_tokenizers()) models.push_back(std::move(foreign));
  for (const std::string& bytes : models) expect_same_as_sentencepiece(bytes, texts_of_all_kinds());
}

// SentencePiece copies a run of unknown characters once per character: minutes for this one.
TEST(PieceText, IsWholeIfItHasTheText) {
  sentencepiece::SentencePieceProcessor processor;
  ASSERT_TRUE(processor.LoadFromSerializedProto(honest()[0]).ok());
  EXPECT_TRUE(is_whole(std::string(processor.EncodeAsSerializedProto(""))));
  const std::string message = processor.EncodeAsSerializedProto("ein Hund");
  std::string_view pieces = message;
  EXPECT_EQ(take_field(pieces).content, "ein Hund");
  EXPECT_FALSE(pieces_of_text(pieces).empty());
  EXPECT_FALSE(is_whole(pieces)) << "as an answer that ended early";
  EXPECT_FALSE(is_whole(""));
}

TEST(PieceModel, ALongRunOfUnknownCharactersIsOneToken) {
  std::string emoji;
  for (int i = 0; i < 200'000; ++i) emoji += "😀";
  const Vocabulary v = Vocabulary::parse(honest()[0], "x");
  EXPECT_EQ(v.encode("ka " + emoji).back(), v.unk());
  EXPECT_EQ(v.encode("ka " + emoji).size(), v.encode("ka 😀").size());
  EXPECT_EQ(v.encode_with_spans(emoji).spans.back().to, emoji.size());
}

// Pieces used to be read from freed memory: a long line got invalid ids.
TEST(PieceModel, IdsWithSpansAreThoseWithout) {
  std::string text;
  for (int i = 0; i < 30'000; ++i) text += "kalo miné ";
  const Vocabulary v = Vocabulary::parse(honest()[0], "x");
  EXPECT_EQ(v.encode_with_spans(text).ids, v.encode(text));
}

// Each is rejected or works normally: the process never ends, and there are no other errors.
TEST(PieceModel, TamperedTokenizersAreRefusedOrHarmless) {
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 20'000 : 400;
  uint64_t refused = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const std::string bytes = TokenizerMutator(7, i).mutated(honest()[i % honest().size()]);
    try {
      const Vocabulary v = Vocabulary::parse(bytes, "x.spm");
      for (const std::string& text : texts_of_all_kinds()) {
        const Ids ids = v.encode(text);
        for (const int32_t id : ids) ASSERT_TRUE(id >= 0 && id < v.size()) << "mutation " << i;
        ASSERT_EQ(v.encode_with_spans(text).ids, ids) << "mutation " << i;
        v.decode(ids);
      }
      Ids every(static_cast<size_t>(v.size()));
      for (size_t id = 0; id < every.size(); ++id) every[id] = static_cast<int32_t>(id);
      v.decode(every);
      v.spans_in(every);
    } catch (const DataError&) {
      ++refused;
    }
  }
  RecordProperty("refused", static_cast<int>(refused));
  EXPECT_GT(refused, count / 4);
  EXPECT_LT(refused, count * 9 / 10) << "what is refused at once tests nothing else";
}

}  // namespace
}  // namespace hexapla::text
