// Tests hexapla evaluate from the command line.
#include <gmock/gmock.h>

#include <fstream>

#include "base/json.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class EvaluateCommand : public CommandFolder {
 protected:
  static Result evaluate(const std::vector<std::string>& arguments) {
    return run_command(std::vector<std::string>{"evaluate"} + arguments);
  }

  static std::string output(const std::vector<std::string>& arguments) {
    const Result r = evaluate(arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.err, "");
    return r.out;
  }

  static void expect_error(const std::vector<std::string>& arguments, int code,
                           const testing::Matcher<std::string>& message) {
    const Result r = evaluate(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, AllOf(StartsWith("hexapla: error: "), message));
    EXPECT_EQ(r.out, "");
  }

  const std::string hypotheses = write("hyp", "the cat sat on the mat\na dog\nthree small birds sing\n");
  const std::string reference = write("ref", "the cat sat on the mat\nthe dog runs\nthree birds sing loudly\n");
  const std::string second = write("ref2", "a cat sat on a mat\na dog runs\nthree small birds sing loudly\n");
};

TEST_F(EvaluateCommand, EveryMetricWithItsSignature) {
  EXPECT_THAT(output({hypotheses, reference, "--metrics", "bleu,chrf,chrf++,ter"}),
              AllOf(StartsWith("BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:hexapla-"),
                    HasSubstr("\nchrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:hexapla-"),
                    HasSubstr("\nchrF2++|nrefs:1|case:mixed|eff:yes|nc:6|nw:2|space:no|version:hexapla-"),
                    HasSubstr("\nTER|nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:hexapla-")));
}

TEST_F(EvaluateCommand, RunsOfOneSystemAreJoined) {
  const auto score = [&](const std::string& files) {
    return json::parse(output({files, reference, "--metrics", "chrf", "--json"}))["score"].get<double>();
  };
  EXPECT_NEAR(score(hypotheses + "+" + second), (score(hypotheses) + score(second)) / 2, 1e-9);
  EXPECT_THAT(output({hypotheses, reference, "--compare", second + "+" + reference, "--metrics", "chrf"}),
              HasSubstr("mean of 2 runs"));
  expect_error({hypotheses + "+" + second, reference, "--worst", "1"}, 2, HasSubstr("sentences are those of one file"));
  expect_error({hypotheses + "+", reference}, 2, HasSubstr("a path is missing beside a +"));
}

TEST_F(EvaluateCommand, ABleuOfZeroBesideHighPrecisionIsExplained) {
  const std::string two = write("two", "red house\ngreen tree\nblue sky\n");
  const Result r = evaluate({two, two});
  EXPECT_THAT(r.out, HasSubstr("100.0/100.0/0.0/0.0"));
  EXPECT_THAT(r.err, AllOf(HasSubstr("all lines have fewer than four words"), HasSubstr("chrF")));
  EXPECT_EQ(evaluate({two, two, "--metrics", "chrf"}).err, "");
}

TEST_F(EvaluateCommand, OptionsOfMetricsStandInTheSignature) {
  EXPECT_THAT(
      output({hypotheses, reference, "--metrics", "bleu,chrf,ter", "--tokenize", "intl", "--lowercase",
              "--chrf-lowercase", "--ter-case-sensitive", "--ter-normalized", "--ter-no-punct", "--ter-asian-support"}),
      AllOf(HasSubstr("BLEU|nrefs:1|case:lc|eff:no|tok:intl|"), HasSubstr("chrF2|nrefs:1|case:lc|"),
            HasSubstr("TER|nrefs:1|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|")));
}

TEST_F(EvaluateCommand, MoreReferencesCanOnlyHelp) {
  const auto one = json::parse(output({hypotheses, reference, "--metrics", "bleu,chrf", "--json"}));
  const auto two = json::parse(output({hypotheses, reference, second, "--metrics", "bleu,chrf", "--json"}));
  EXPECT_EQ(two[0]["nrefs"], "2");
  EXPECT_GT(two[0]["score"], one[0]["score"]);
  EXPECT_GT(two[1]["score"], one[1]["score"]);
}

TEST_F(EvaluateCommand, SentenceScores) {
  EXPECT_THAT(output({hypotheses, reference, "--metrics", "ter,chrf", "--sentence-level"}),
              AllOf(StartsWith("line\tTER\tchrF2\n1\t0.0000\t100.0000\n2\t66.6667\t"), HasSubstr("\n3\t50.0000\t")));
  const auto j = json::parse(output({hypotheses, reference, "--metrics", "ter", "--sentence-level", "--json"}));
  EXPECT_EQ(j["sentence_scores"].size(), 3u);
  EXPECT_EQ(j["sentence_scores"][2], 50.);
}

TEST_F(EvaluateCommand, WorstAndBestAreListedWithTheirText) {
  const std::string source = write("src", "eins\nzwei\ndrei\n");
  EXPECT_THAT(output({hypotheses, reference, "--metrics", "ter", "--worst", "1", "--best", "1", "--source", source}),
              HasSubstr("\nworst 1 by TER:\nline 2: 66.7\n"
                        "  source:     zwei\n  reference:  the dog runs\n  hypothesis: a dog\n"
                        "\nbest 1 by TER:\nline 1: 0.0\n  source:     eins\n"));
  const auto j = json::parse(output({hypotheses, reference, "--metrics", "chrf,ter", "--worst", "9", "--json"}));
  EXPECT_EQ(j[0]["worst"].size(), 3u);
  EXPECT_EQ(j[0]["worst"][2]["line"], 1);  // the best in chrF is the last of the worst
  EXPECT_EQ(j[0]["worst"][2]["references"][0], "the cat sat on the mat");
  EXPECT_FALSE(j[1].contains("worst"));
}

TEST_F(EvaluateCommand, SystemsAreComparedWithTheFirst) {
  const std::vector<std::string> arguments = {hypotheses,  reference,  "--compare", reference,
                                              "--compare", hypotheses, "--metrics", "bleu,ter"};
  EXPECT_THAT(output(arguments),
              AllOf(StartsWith("BLEU|nrefs:1|bs:1000|seed:12345|case:mixed|"),
                    testing::ContainsRegex("\n  [0-9.]+ \\(μ = [0-9.]+ ± [0-9.]+\\) *baseline *[^ ]*/hyp\n"),
                    testing::ContainsRegex("\n  100.0 [^\n]* p = 0.[0-9]+ *[^ ]*/ref\n"),
                    testing::ContainsRegex("\n  0.0 \\(μ = 0.0 ± 0.0\\) *p = 0.04[0-9]* \\* *[^ ]*/ref\n"),
                    HasSubstr(" no difference ")));
  std::vector<std::string> with_json = arguments;
  with_json.insert(with_json.end(), {"--json", "--resamples", "10", "--resample-seed", "3"});
  const std::string first = output(with_json);
  EXPECT_EQ(output(with_json), first);
  const auto j = json::parse(first);
  ASSERT_EQ(j.size(), 3u);
  EXPECT_EQ(j[0]["system"], "Baseline: " + hypotheses);
  EXPECT_TRUE(j[0]["BLEU"]["p_value"].is_null());
  EXPECT_EQ(j[2]["TER"]["mean"], j[0]["TER"]["mean"]);
  EXPECT_THAT(j[1]["TER"]["signature"], StartsWith("nrefs:1|bs:10|seed:3|case:lc|"));
}

TEST_F(EvaluateCommand, ConfidenceInterval) {
  EXPECT_THAT(output({hypotheses, reference, "--metrics", "chrf", "--confidence"}),
              AllOf(HasSubstr("chrF2|nrefs:1|bs:1000|seed:12345|"), HasSubstr(" (μ = ")));
  const auto j = json::parse(output({hypotheses, reference, "--metrics", "chrf", "--confidence", "--json"}));
  EXPECT_GT(j["confidence_var"], 0);
  EXPECT_THAT(j["confidence"], StartsWith("μ = "));
}

TEST_F(EvaluateCommand, LinesEndAtNewlinesOnly) {  // not at U+2028, U+2029, U+0085; carriage returns are dropped
  const std::string odd = write("odd", "a\u2028b c d\r\ne\u0085f\u2029g h\r\n\r\n");
  const std::string plain = write("plain", "a b c d\ne f g h\n\n");
  EXPECT_NEAR(json::parse(output({odd, plain, "--metrics", "bleu", "--json"}))["score"].get<double>(), 100, 1e-9);
}

TEST_F(EvaluateCommand, ErrorsOfFiles) {
  const std::string two = write("two", "a\nb\n"), empty = write("empty", ""), blank = write("blank", "\n\n\n");
  expect_error({hypotheses}, 2, HasSubstr("give FILE FILE...: HYPOTHESES REFERENCES"));
  expect_error({hypotheses, reference, two}, 3,
               AllOf(HasSubstr(hypotheses + " has 3 lines, but " + two + " has 2"), HasSubstr("line i of one")));
  expect_error({hypotheses, reference, "--compare", two}, 3, HasSubstr(two + " has 2"));
  expect_error({hypotheses, reference, "--source", two, "--worst", "1"}, 3, HasSubstr(two + " has 2"));
  expect_error({hypotheses, at("nothing")}, 3, HasSubstr(at("nothing")));
  expect_error({hypotheses, reference, "--compare", at("nothing")}, 3, HasSubstr(at("nothing")));
  expect_error({empty, empty}, 3, HasSubstr(empty + " is empty: give a text file with one sentence per line"));
  expect_error({hypotheses, empty}, 3, HasSubstr(empty + " is empty"));
  expect_error({hypotheses, blank}, 3, HasSubstr(blank + " has no text in any line"));
  expect_error({"-", "-"}, 2, HasSubstr("stdin ('-') can be read only once"));
  const std::string latin = write("latin", "a\nb\xE4\nc\n");
  expect_error({hypotheses, latin}, 3, AllOf(HasSubstr(latin + " line 2 is not valid UTF-8"), HasSubstr("iconv -f")));
}

TEST_F(EvaluateCommand, ErrorsOfOptions) {
  expect_error({hypotheses, reference, "--metrics", "bleu,rouge"}, 2,
               HasSubstr("unknown metric 'rouge'; allowed are bleu, chrf, chrf++ and ter"));
  expect_error({hypotheses, reference, "--tokenize", "ja"}, 2,
               HasSubstr("unknown tokenizer 'ja'; allowed are 13a, none, intl, char, zh, ja-mecab and ko-mecab"));
  expect_error({hypotheses, reference, "--compare", reference, "--worst", "3"}, 2, HasSubstr("leave out"));
  expect_error({hypotheses, reference, "--sentence-level", "--best", "3"}, 2, HasSubstr("leave out"));
  expect_error({hypotheses, reference, "-m", "x", "--source", reference}, 2, HasSubstr("--source"));
  expect_error({hypotheses, reference, "--worst", "-3"}, 2, HasSubstr("--worst"));
  expect_error({hypotheses, reference, "--compare", reference, "--resamples", "1"}, 2, HasSubstr("--resamples"));
}

TEST_F(EvaluateCommand, TokenizedTextIsNoted) {
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "a b c .\n";
  const std::string tokenized = write("tok", lines);
  const Result r = evaluate({tokenized, tokenized});
  EXPECT_THAT(r.err, HasSubstr("100 lines end in ' .'"));
  EXPECT_EQ(evaluate({tokenized, tokenized, "--tokenize", "none"}).err, "");
  EXPECT_EQ(evaluate({tokenized, tokenized, "--quiet"}).err, "");
}

}  // namespace
}  // namespace hexapla::cli
