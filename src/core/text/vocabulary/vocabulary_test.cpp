#include "text/vocabulary/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/compute/random.h"
#include "base/error.h"
#include "text/plain_line.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Lines of artificial words, with more word forms than a small vocabulary has pieces.
std::vector<std::string> made_up_lines(int count) {
  const std::vector<std::string> syllables = {"ka", "lo", "mi", "ra", "tu", "ße", "né", "sch", "on", "er", "ing", "ta"};
  Random random(7);
  std::vector<std::string> lines;
  for (int i = 0; i < count; ++i) {
    std::string line;
    for (uint32_t word = 0, words = 3 + random.below(8); word < words; ++word) {
      if (word > 0) line += ' ';
      for (uint32_t s = 0, n = 1 + random.below(4); s < n; ++s) {
        line += syllables[random.below(static_cast<uint32_t>(syllables.size()))];
      }
    }
    lines.push_back(line + (i % 3 ? "." : "?"));
  }
  return lines;
}

const Vocabulary& small() {
  static const Vocabulary vocabulary = Vocabulary::train(made_up_lines(600), {.size = 120});
  return vocabulary;
}

template <class Kind, class Body>
std::string message_of(Body&& body) {
  try {
    body();
  } catch (const Kind& error) {
    return error.what();
  }
  return "(no such error was thrown)";
}

TEST(Vocabulary, SpecialIdsAreFixed) {
  EXPECT_EQ(small().pad(), 0);
  EXPECT_EQ(small().bos(), 1);
  EXPECT_EQ(small().eos(), 2);
  EXPECT_EQ(small().unk(), 3);
  EXPECT_EQ(small().piece(1), "<s>");
  EXPECT_EQ(small().piece(2), "</s>");
  EXPECT_EQ(small().size(), 120);
}

TEST(Vocabulary, DecodeUndoesEncode) {
  for (const auto& line : made_up_lines(100)) {
    const Ids ids = small().encode(line);
    EXPECT_EQ(small().decode(ids), line);
    EXPECT_EQ(small().pieces(line).size(), ids.size());
    for (size_t i = 0; i < ids.size(); ++i) EXPECT_EQ(small().piece(ids[i]), small().pieces(line)[i]);
  }
}

TEST(Vocabulary, DigitsArePiecesOfTheirOwnWhereWanted) {
  std::vector<std::string> lines = made_up_lines(300);
  for (size_t i = 0; i < lines.size(); ++i) lines[i] += " in " + std::to_string(1970 + i % 7);
  const auto together = Vocabulary::train(lines, {.size = 120});
  const auto apart = Vocabulary::train(lines, {.size = 120, .split_digits = true});
  EXPECT_LT(together.pieces("1973").size(), 4U);
  EXPECT_THAT(apart.pieces("1973"), ::testing::ElementsAre("▁", "1", "9", "7", "3"));
}

TEST(Vocabulary, EncodeAddsNoSpecialIdsAndBlankTextHasNone) {
  const Ids ids = small().encode("kalomi");
  EXPECT_THAT(ids, ::testing::Each(::testing::Ge(3)));
  EXPECT_TRUE(small().encode("").empty());
  EXPECT_TRUE(small().encode("  \t ").empty());
}

TEST(Vocabulary, DecodeDropsControlSymbols) {
  Ids ids = small().encode("kalo mi");
  ids.insert(ids.begin(), small().bos());
  ids.push_back(small().eos());
  ids.push_back(small().pad());
  EXPECT_EQ(small().decode(ids), "kalo mi");
  EXPECT_EQ(small().decode({}), "");
}

const Vocabulary& with_bytes() {
  static const Vocabulary v = Vocabulary::train(made_up_lines(600), {.size = 400, .byte_fallback = true});
  return v;
}

int32_t byte_piece(int byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const std::string name{'<', '0', 'x', digits[byte / 16], digits[byte % 16], '>'};
  for (int32_t id = 0; id < with_bytes().size(); ++id)
    if (with_bytes().piece(id) == name) return id;
  return -1;
}

TEST(Vocabulary, BytesAModelWritesAreOneLine) {
  const Vocabulary& v = with_bytes();
  const Ids word = v.encode("kalo");
  for (int byte = 0; byte < 256; ++byte) {
    Ids ids = word;
    ids.push_back(byte_piece(byte));
    ids.insert(ids.end(), word.begin(), word.end());
    const bool blank = byte >= '\t' && byte <= '\r', gone = byte < ' ' || byte == 0x7F;
    const std::string between = blank          ? " "
                                : gone         ? ""
                                : byte >= 0x80 ? "\uFFFD"
                                               : std::string(1, static_cast<char>(byte));
    EXPECT_EQ(v.decode(ids), "kalo" + between + " kalo") << byte;
  }
  EXPECT_EQ(v.decode(Ids{byte_piece(0xC2), byte_piece(0x85), byte_piece(0xC2), byte_piece(0x9B)}), " ");
  EXPECT_EQ(v.decode(v.encode("字")), "字");
}

TEST(Vocabulary, PlacesAreThoseInTheLine) {
  const Vocabulary& v = with_bytes();
  Random random(9);
  for (int i = 0; i < 500; ++i) {
    Ids ids;
    for (uint32_t n = 1 + random.below(12); n > 0; --n)
      ids.push_back(random.below(2) ? static_cast<int32_t>(random.below(static_cast<uint32_t>(v.size())))
                                    : byte_piece(int(random.below(256))));
    const std::string text = v.decode(ids);
    EXPECT_EQ(plain_line(text), text);
    std::string all;
    for (const TokenSpan& span : v.spans_in(ids)) {
      EXPECT_EQ(span.from, all.size());
      ASSERT_LE(span.to, text.size());
      all += text.substr(span.from, span.to - span.from);
    }
    EXPECT_EQ(all, text);
  }
}

TEST(Vocabulary, SymbolsOfTheUserAreOnALine) {
  for (const char* symbol : {"a\vb", "\x1B", "\u0085", "\xFF"})
    EXPECT_THAT(message_of<UsageError>([&] { Vocabulary::train({"a"}, {.user_symbols = {symbol}}); }),
                HasSubstr("without spaces, commas or control characters"));
}

TEST(Vocabulary, UnknownCharacterIsUnk) { EXPECT_THAT(small().encode("ka漢lo"), ::testing::Contains(small().unk())); }

TEST(Vocabulary, IdOutsideIsAnError) {
  EXPECT_THROW(small().piece(120), InternalError);
  EXPECT_THROW(small().piece(-1), InternalError);
  const Ids ids = {5, 4000};
  EXPECT_THAT(message_of<InternalError>([&] { small().decode(ids); }), HasSubstr("4000"));
}

TEST(Vocabulary, TrainingTwiceGivesTheSameBytes) {
  const auto lines = made_up_lines(600);
  EXPECT_EQ(Vocabulary::train(lines, {.size = 120}).bytes(), small().bytes());
}

TEST(Vocabulary, BytesAndFileGiveTheSameVocabulary) {
  const std::string path = ::testing::TempDir() + "vocabulary_test.model";
  std::ofstream(path, std::ios::binary) << small().bytes();
  const std::string line = "karalo miné schonßeing?";
  EXPECT_EQ(Vocabulary::load(path).encode(line), small().encode(line));
  EXPECT_EQ(Vocabulary::parse(small().bytes(), "x").encode(line), small().encode(line));
  std::filesystem::remove(path);
}

TEST(Vocabulary, SeveralThreadsAtOnce) {
  const auto lines = made_up_lines(200);
  std::vector<Ids> alone(lines.size()), together(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) alone[i] = small().encode(lines[i]);
  std::vector<std::jthread> threads;
  for (size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (size_t i = t; i < lines.size(); i += 4) together[i] = small().encode(lines[i]);
    });
  }
  threads.clear();
  EXPECT_EQ(together, alone);
}

TEST(Vocabulary, SmallTextGivesFewerPieces) {
  const Vocabulary tiny = Vocabulary::train({"a small text", "of two lines"}, {.size = 1000});
  EXPECT_LT(tiny.size(), 100);
  EXPECT_EQ(tiny.decode(tiny.encode("small lines")), "small lines");
}

TEST(Vocabulary, LongTextIsThinnedEvenly) {
  auto lines = made_up_lines(300);
  std::vector<std::string> twice;
  for (const auto& line : lines) twice.insert(twice.end(), {line, "漢字 only on odd lines"});
  EXPECT_EQ(Vocabulary::train(twice, {.size = 100, .max_lines = 300}).bytes(),
            Vocabulary::train(lines, {.size = 100}).bytes());
}

TEST(Vocabulary, FoldsCaseWhenAsked) {
  const Vocabulary folded = Vocabulary::train(made_up_lines(300), {.size = 100, .normalization = "nmt_nfkc_cf"});
  EXPECT_EQ(folded.encode("KALO Mi"), folded.encode("kalo mi"));
}

TEST(Vocabulary, TooSmallASizeNamesTheOption) {
  const std::string message =
      message_of<DataError>([] { Vocabulary::train({"abcdefghijklmnopqrstuvwxyz"}, {.size = 10}); });
  EXPECT_THAT(message, HasSubstr("`vocab-size`"));
  EXPECT_THAT(message, HasSubstr("10 pieces"));
}

// SentencePiece itself would end the process for most of these.
TEST(Vocabulary, NoTextIsAnError) {
  const std::vector<std::vector<std::string>> texts = {
      {}, {"", "  "}, {"\u3000\u200B"}, {"▁", "▅ x"}, {std::string(5000, 'a')}, {"\x01\x02", "\uFFFD"}};
  for (const auto& text : texts) {
    EXPECT_THAT(message_of<DataError>([&] { Vocabulary::train(text, {}); }),
                AllOf(HasSubstr(cat("none of the ", text.size(), " lines")), HasSubstr("one sentence per line")));
  }
}

TEST(Vocabulary, OptionsOutOfRange) {
  EXPECT_THAT(message_of<UsageError>([] { Vocabulary::train({"a"}, {.size = 2}); }), HasSubstr("`vocab-size` 2"));
  EXPECT_THAT(message_of<UsageError>([] { Vocabulary::train({"a"}, {.character_coverage = 0.9}); }),
              HasSubstr("coverage` 0.9 "));
  EXPECT_THAT(message_of<UsageError>([] { Vocabulary::train({"a"}, {.normalization = "nfd"}); }), HasSubstr("\"nfd\""));
}

TEST(Vocabulary, BadModelsAreDataErrorsAndPrintNothing) {
  ::testing::internal::CaptureStderr();
  EXPECT_THAT(message_of<DataError>([] { Vocabulary::load("/nowhere/to/be.model"); }),
              HasSubstr("/nowhere/to/be.model"));
  EXPECT_THAT(message_of<DataError>([] { Vocabulary::load(::testing::TempDir()); }), HasSubstr("directory"));
  EXPECT_THAT(message_of<DataError>([] { Vocabulary::parse("", "m.spm"); }), HasSubstr("m.spm is not"));
  EXPECT_THAT(message_of<DataError>([] { Vocabulary::parse("no model at all", "m.spm"); }), HasSubstr("m.spm"));
  const std::string& bytes = small().bytes();
  EXPECT_THAT(message_of<DataError>([&] { Vocabulary::parse(bytes.substr(0, bytes.size() / 2), "half.spm"); }),
              HasSubstr("half.spm"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace hexapla::text
