#include "decode/lines/sources.h"

#include <gtest/gtest.h>

#include "base/compute/random.h"
#include "decode/test_text.h"
#include "text/vocabulary/pieces/piece_model.h"

namespace hexapla::decode {
namespace {

using text::PieceModel;

// Tokens that are letters and stops, as of a model that spells names.
text::Vocabulary of_tokens(const std::vector<std::string>& tokens) {
  PieceModel model;
  model.kind = PieceModel::Kind::word;
  for (const char* special : {"<pad>", "<s>", "</s>"}) model.pieces.push_back({special, 0, PieceModel::Type::control});
  model.pieces.push_back({"<unk>", 0, PieceModel::Type::unknown});
  for (const std::string& token : tokens) model.pieces.push_back({"\u2581" + token, 0, PieceModel::Type::normal});
  model.ids = model.pieces.size();
  return text::Vocabulary::parse(model.serialized(), "tokens");
}

size_t parts(const text::Vocabulary& v, const std::string& line, Sentences sentences) {
  const LineWarning none = [](size_t, const LineNote&) {};
  return SourceReader(v, 1000, 1000, none).read(line, 0, {.sentences = sentences}).size();
}

TEST(Sources, LinesOfTokensStayWhole) {
  const std::vector<std::string> tokens{"J", ".", "a", "T", "!", "?", "。", "n"};
  const text::Vocabulary v = of_tokens(tokens);
  Random random(1);
  size_t splitting = 0;
  for (int i = 0; i < 200; ++i) {
    std::string line;
    for (uint32_t n = 3 + random.below(20); n > 0; --n)
      line += (line.empty() ? "" : " ") + tokens[random.below(static_cast<uint32_t>(tokens.size()))];
    EXPECT_EQ(parts(v, line, Sentences::automatic), 1u) << line;
    splitting += parts(v, line, Sentences::split) > 1;
  }
  EXPECT_GT(splitting, 50u);
}

TEST(Sources, LinesOfProseAreSplit) {
  const std::string line = "A dog runs. A man sleeps. Two cats play.";
  EXPECT_EQ(parts(test::vocabulary(), line, Sentences::automatic), 3u);
  EXPECT_EQ(parts(test::vocabulary(), line, Sentences::keep), 1u);
}

}  // namespace
}  // namespace hexapla::decode
