// Tests hexapla score from the command line.
#include <gmock/gmock.h>

#include <iterator>
#include <set>
#include <sstream>

#include "base/classic.h"
#include "base/json.h"
#include "cli/test_command.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {

using testing::HasSubstr;

class ScoreCommand : public CommandFolder {
 protected:
  ScoreCommand() {
    save_untrained_model(at("model.safetensors"),
                         text::Vocabulary::train({"ein hund rennt .", "a dog runs .", "zwei"}, {.size = 30}));
  }
  Result score(const std::string& source, const std::string& target, const std::vector<std::string>& more = {}) const {
    return run_command(
        std::vector<std::string>{"score", "-m", folder(), write("source", source), write("target", target)} + more);
  }
  static std::vector<std::vector<double>> numbers(const std::string& text) {
    std::vector<std::vector<double>> rows;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      Classic<std::istringstream> in(line);
      rows.emplace_back();
      for (double x; in >> x;) rows.back().push_back(x);
    }
    return rows;
  }
};

TEST_F(ScoreCommand, OneLineAPairInOrderAlsoForBlankOnes) {
  const std::string x = "a dog runs .\n\na dog\n\n", y = "ein hund rennt .\nein\n\n\n";
  const Result r = score(x, y);
  EXPECT_EQ(r.code, 0) << r.err;
  const auto rows = numbers(r.out);
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2u);
    EXPECT_LT(row[0], 0);
  }
  EXPECT_EQ(r.out.substr(0, r.out.find('\n') + 1), score("a dog runs .\n", "ein hund rennt .\n").out);
  EXPECT_THAT(r.err, HasSubstr("4 pairs"));
  EXPECT_THAT(r.err, HasSubstr("9 words, perplexity"));  // five words and four </s>
}

TEST_F(ScoreCommand, RecordedPenaltiesAreInTheNormalizedScore) {
  const std::string other = at("other.safetensors");
  ASSERT_EQ(run_command({"set", "repetition-penalty=1.5", "word-penalty=0.25", "length-penalty=0", "-m",
                         at("model.safetensors"), "-o", other})
                .code,
            0);
  const Result r =
      run_command({"score", "-m", other, write("x", "a dog\n"), write("y", "ein hund ein hund\n"), "--json", "-q"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = parse_json(r.out, "the answer");
  double expected = j["score"];
  std::set<std::string> before;
  for (const auto& piece : j["pieces"])
    expected += (before.insert(piece[0].get<std::string>()).second ? 0 : 0.5 * piece[1].get<double>()) - 0.25;
  EXPECT_LT(before.size(), j["pieces"].size());
  EXPECT_NEAR(j["normalized"], expected, 1e-5);
}

TEST_F(ScoreCommand, ColumnsOfWordsAndTokens) {
  const auto row = numbers(score("a dog .\n", "ein hund .\n", {"--word-scores", "-q"}).out).at(0);
  ASSERT_EQ(row.size(), 2u + 4);
  EXPECT_NEAR(row[2] + row[3] + row[4] + row[5], row[0], 1e-5);
  const Result both = score("a dog .\n", "ein hund .\n", {"--word-scores", "--token-scores", "-q"});
  EXPECT_EQ(std::count(both.out.begin(), both.out.end(), '\t'), 3);
  EXPECT_EQ(both.err, "");
}

TEST_F(ScoreCommand, PairsOfOneFile) {
  const std::string pairs = write("pairs.tsv", "a dog\tein hund\n\tein\n");
  const Result r = run_command({"score", "-m", folder(), "--tsv", pairs, "-q"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, score("a dog\n\n", "ein hund\nein\n", {"-q"}).out);
}

TEST_F(ScoreCommand, NormalizationIsThatOfTranslating) {
  const auto row = numbers(
      score("a dog .\n", "ein hund .\n", {"--token-scores", "--length-normalization", "power", "--length-penalty", "1"})
          .out)[0];
  EXPECT_NEAR(row[1], row[0] / double(row.size() - 2), 1e-5);
}

TEST_F(ScoreCommand, Json) {
  const Result r = score("a dog .\n\n", "ein\t\"hund\"\n\n", {"--json"});
  EXPECT_EQ(r.code, 0) << r.err;
  std::istringstream lines(r.out);
  std::string first, second;
  std::getline(lines, first);
  std::getline(lines, second);
  const auto a = nlohmann::json::parse(first), b = nlohmann::json::parse(second);
  EXPECT_EQ(a["words"].size(), 3u);
  EXPECT_EQ(a["words"][1][0], "\"hund\"");
  EXPECT_EQ(a["words"][2][0], "</s>");
  EXPECT_EQ(a["pieces"].size(), a["tokens"]);
  double sum = 0;
  for (const auto& piece : a["pieces"]) sum += piece[1].get<double>();
  EXPECT_NEAR(sum, a["score"], 1e-9);
  EXPECT_EQ(b["words"].size(), 1u);
}

TEST_F(ScoreCommand, Alignments) {
  const std::string x = "a dog runs .\n\n", y = "ein hund rennt\n\n";
  const auto ask = [&](const std::string& kind, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"-q", "--alignment", kind});
    const Result r = score(x, y, more);
    EXPECT_EQ(r.code, 0) << r.err;
    std::vector<std::string> found;
    std::istringstream lines(r.out);
    for (std::string line; std::getline(lines, line);) found.push_back(line.substr(line.rfind('\t') + 1));
    return found;
  };
  const auto hard = ask("hard");
  ASSERT_EQ(hard.size(), 2u);
  EXPECT_THAT(hard[0], testing::MatchesRegex("[0-3]-0 [0-3]-1 [0-3]-2"));
  EXPECT_EQ(hard[1], "");
  EXPECT_THAT(ask("soft")[0], testing::MatchesRegex("([^ ,]+,[^ ,]+,[^ ,]+,[^ ,]+,[^ ,]+ ?){4}"));
  EXPECT_EQ(ask("soft")[1], "1");  // </s> from </s>
  EXPECT_EQ(ask("1")[0], "");
  EXPECT_THAT(ask("1e-6")[0], HasSubstr("0-0 1-0 2-0 3-0 0-1"));
  EXPECT_NE(ask("soft", {"--alignment-layer", "0", "--alignment-head", "0"}),
            ask("soft", {"--alignment-layer", "0", "--alignment-head", "2"}));
  EXPECT_EQ(ask("soft", {"--alignment-layer", "0"}), ask("soft"));  // the penultimate of two
  EXPECT_NE(ask("soft", {"--alignment-units", "pieces"}), ask("soft"));
  const Result json = score(x, y, {"--json", "--alignment", "hard"});
  EXPECT_EQ(nlohmann::json::parse(json.out.substr(0, json.out.find('\n')))["alignment"], hard[0]);
}

// The same code aligns found and given translations.
TEST_F(ScoreCommand, TranslatingAlignsAlike) {
  const auto translate = [&](const std::string& lines, const std::vector<std::string>& more) {
    const Result r =
        run_command(std::vector<std::string>{"translate", "-m", folder(), "-q", "--extra-length", "3"} + more, lines);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const std::string found = translate("a dog runs .\n\nzwei\n", {"--alignment", "soft"});
  std::istringstream lines(found);
  std::vector<std::string> texts, alignments;
  for (std::string line; std::getline(lines, line);) {
    const size_t bar = line.find(" ||| ");
    ASSERT_NE(bar, std::string::npos) << line;
    texts.push_back(line.substr(0, bar));
    alignments.push_back(line.substr(bar + 5));
  }
  ASSERT_EQ(texts.size(), 3u);
  EXPECT_EQ(texts[1] + alignments[1], "1");  // a blank line: </s> from </s>
  for (size_t i = 0; i < 3; ++i) {
    std::istringstream words(texts[i]), groups(alignments[i]);
    EXPECT_EQ(std::distance(std::istream_iterator<std::string>(groups), {}),
              std::distance(std::istream_iterator<std::string>(words), {}) + 1);
  }
  const std::string best = translate("a dog\n", {"--alignment", "hard", "--n-best", "2"});
  EXPECT_THAT(best, testing::MatchesRegex("0 \\|\\|\\| .* \\|\\|\\| .* \\|\\|\\| F0= .*\n0 .*\n"));
}

TEST_F(ScoreCommand, WrongAlignmentOptions) {
  const auto says = [&](std::vector<std::string> more, const std::string& message) {
    const Result r = score("a\n", "ein\n", std::move(more));
    EXPECT_EQ(r.code, 2);
    EXPECT_THAT(r.err, HasSubstr(message));
  };
  says({"--alignment", "harder"}, "--alignment is 'harder', but must be hard, soft, or a threshold above 0");
  says({"--alignment", "0"}, "--alignment is '0'");
  says({"--alignment", "hard", "--alignment-layer", "2"}, "the model's decoder has layers 0 to 1");
  says({"--alignment", "hard", "--alignment-layer", "last"}, "--alignment-layer is 'last'");
  says({"--alignment", "hard", "--alignment-head", "3"}, "heads 0 to 2, or give mean");
  says({"--alignment", "hard", "--alignment-head", "-1"}, "heads count from 0");
  says({"--alignment", "hard", "--alignment-units", "bytes"}, "--alignment-units");
}

TEST_F(ScoreCommand, PairsBeforeAWrongOneAreAnswered) {
  const std::string pairs = write("pairs.tsv", "a dog\tein hund\nzwei\n");
  const Result r = run_command({"score", "-m", folder(), "--tsv", pairs, "-q"});
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.err, HasSubstr("pairs.tsv line 2 has no tab"));
  EXPECT_EQ(r.out, score("a dog\n", "ein hund\n", {"-q"}).out);
}

TEST_F(ScoreCommand, AnEmptyPartIsComplete) {
  const std::string pairs = write("pairs.tsv", "a dog\tein hund\n");
  const Result r = run_command({"score", "-m", folder(), "--tsv", pairs, "--shard", "2/2", "--output", at("part")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.err, HasSubstr("no pairs"));
}

TEST_F(ScoreCommand, WrongInput) {
  const Result longer = score("a\na\na\n", "ein\n");
  EXPECT_EQ(longer.code, 3);
  EXPECT_THAT(longer.err, testing::AllOf(HasSubstr("source has 3 lines but"), HasSubstr("target has 1")));
  EXPECT_EQ(score("", "").code, 3);
  EXPECT_EQ(score("a\n", "ein\n", {"--tsv", at("source")}).code, 2);
  EXPECT_EQ(score("a\n", "ein\n", {"--json", "--word-scores"}).code, 2);
  EXPECT_EQ(score("a\n", "ein\n", {"--batch-tokens", "0"}).code, 2);
  EXPECT_EQ(run_command({"score", "-m", folder(), "-", "-"}).code, 2);
}

}  // namespace
}  // namespace hexapla::cli
