// Tests hexapla translate from the command line: input, output, and messages for wrong input.
#include <gmock/gmock.h>

#include <sstream>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/json.h"
#include "cli/test_command.h"
#include "model/parameters/parameters.h"
#include "model/weights/model_file.h"
#include "text/plain_line.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class TranslateTest : public CommandFolder {
 protected:
  TranslateTest() {
    save("model.safetensors", 1, 40);
    save("second.safetensors", 2, 40);
    save("other.safetensors", 3, 24);
  }

  void save(const std::string& name, uint64_t seed, int size) const {
    std::vector<std::string> lines;
    Random random(1);
    const std::vector<std::string> words{"ein", "Hund", "und", "zwei", "Katzen", "laufen", "über", "die", "Straße"};
    for (int i = 0; i < 200; ++i) {
      lines.emplace_back();
      for (uint32_t n = 1 + random.below(6); n > 0; --n) lines.back() += words[random.below(9)] + " ";
    }
    const text::Vocabulary v = text::Vocabulary::train(lines, {.size = size});
    model::Config c;
    c.source_vocab = c.target_vocab = v.size();
    c.enc_layers = c.dec_layers = 1;
    c.d_model = 16, c.d_ff = 16, c.heads = 2, c.tied = "none";
    c.resolve();
    model::Transformer net(c);
    const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
    model::initialize(net, seed);
    model::save_model(at(name), net, {v.bytes(), v.bytes()}, {});
  }

  Result translate(const std::vector<std::string>& arguments, const std::string& input) const {
    std::vector<std::string> all{"translate", "--extra-length", "5", "--threads", "1"};
    if (std::find(arguments.begin(), arguments.end(), "-m") == arguments.end())
      all.insert(all.end(), {"-m", at("model.safetensors")});
    return run_command(all + arguments, input);
  }

  void expect_error(const std::vector<std::string>& arguments, const std::string& input, int code,
                    const testing::Matcher<std::string>& message) const {
    const Result r = translate(arguments, input);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, message);
    EXPECT_EQ(r.out, "");
  }
};

using Words = std::vector<std::string>;
int64_t count_lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

TEST_F(TranslateTest, AsManyLinesAsItReads) {
  const Result r = translate({}, "ein Hund\n\nzwei Katzen\r\n\n");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count_lines(r.out), 4);
  EXPECT_THAT(r.out, HasSubstr("\n\n"));
  EXPECT_EQ(r.err, "");  // no prompt without a terminal
}

// An untrained model samples every byte, including line feeds and NUL.
TEST_F(TranslateTest, AsManyLinesAsItReadsWhateverBytesAModelWrites) {
  const text::Vocabulary v = text::Vocabulary::train({"ein Hund", "zwei Katzen"}, {.size = 280, .byte_fallback = true});
  ASSERT_GT(v.size(), 260);
  save_untrained_model(at("bytes.safetensors"), v);
  std::string input;
  for (int i = 0; i < 100; ++i) input += "ein Hund ein Hund zwei Katzen zwei Katzen ein Hund zwei Katzen\n";
  const std::vector<std::string> drawn{"-m", at("bytes.safetensors"), "--sample"};
  for (const auto& [more, lines] : {std::pair{std::vector<std::string>{}, 100},
                                    {{"--n-best", "3"}, 300},
                                    {{"--alignment", "hard"}, 100},
                                    {{"--unk", "copy"}, 100}}) {
    const Result r = translate(drawn + more, input);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(count_lines(r.out), lines);
    std::string all = r.out;
    std::erase(all, '\n');
    EXPECT_EQ(all, text::plain_line(all));
  }
  const Result json = translate({"-m", at("bytes.safetensors"), "--jsonl"},
                                R"({"text": "ein\nHund", "prefix": "zwei\r\nKatzen\u0000 "})");
  EXPECT_EQ(count_lines(json.out), 1) << json.err;
  EXPECT_EQ(json.out.substr(0, 12), "zwei Katzen ");
}

TEST_F(TranslateTest, ATraceShowsTheSearchAndLeavesTheTranslation) {
  const std::vector<std::string> beam{"--beam-size", "2", "--trace", at("search.svg")};
  const Result plain = translate({"--beam-size", "2"}, "ein Hund\n"), traced = translate(beam, "ein Hund\n");
  EXPECT_EQ(traced.code, 0) << traced.err;
  EXPECT_EQ(traced.out, plain.out);
  EXPECT_THAT(traced.err, AllOf(HasSubstr("step 1\n  1: <s>\n"), HasSubstr("dropped: 2 better ones go on"),
                                HasSubstr("the search ends: ")));
  EXPECT_THAT(read_file(at("search.svg")), testing::StartsWith("<svg "));
  EXPECT_EQ(translate(beam + std::vector<std::string>{"-q"}, "ein Hund\n").err, "");
  expect_error(beam, "ein\nHund\n", 2, HasSubstr("give one line"));
  expect_error({"--trace", at("search.png")}, "ein\n", 2, HasSubstr("must end in .svg"));
  expect_error(beam + std::vector<std::string>{"--forbid", "Hund"}, "ein\n", 2, HasSubstr("leave out --prefix"));
  expect_error(beam + std::vector<std::string>{"--min-length", "2"}, "ein\n", 2, HasSubstr("leave out sampling, "));
  expect_error({"-m", at("model.safetensors"), "-m", at("second.safetensors"), "--trace", at("x.svg")}, "ein\n", 2,
               HasSubstr("one model"));
}

TEST_F(TranslateTest, NBestLinesNameTheirLine) {
  const Result r = translate({"--n-best", "2"}, "ein Hund\nzwei Katzen\n");
  EXPECT_EQ(count_lines(r.out), 4);
  EXPECT_THAT(r.out, testing::MatchesRegex("(0 \\|\\|\\| [^|]*\\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+\n){2}"
                                           "(1 \\|\\|\\| [^|]*\\|\\|\\| F0= -[0-9.]+ \\|\\|\\| -[0-9.]+\n){2}"));
}

TEST_F(TranslateTest, JsonHasScoresOfTokens) {
  const Result r = translate({"--json", "--n-best", "2"}, "ein Hund\n\n");
  std::istringstream in(r.out);
  std::string line;
  ASSERT_TRUE(std::getline(in, line));
  const auto found = nlohmann::json::parse(line)["translations"];
  ASSERT_EQ(found.size(), 2u);
  double sum = 0;
  for (const double s : found[0]["token_scores"]) sum += s;
  EXPECT_NEAR(sum, found[0]["score"].get<double>(), 1e-4);
  EXPECT_EQ(found[0]["token_scores"].size(), found[0]["ids"].size() + 1);
  ASSERT_TRUE(std::getline(in, line));
  EXPECT_EQ(nlohmann::json::parse(line)["translations"][0]["text"], "");
}

TEST_F(TranslateTest, JsonHasAlignments) {
  const Result r = translate({"--json", "--n-best", "2", "--alignment", "hard"}, "ein Hund\n");
  EXPECT_EQ(r.code, 0) << r.err;
  const Result plain = translate({"--n-best", "2", "--alignment", "hard"}, "ein Hund\n");
  const auto all = nlohmann::json::parse(r.out);
  for (const auto& t : all["translations"])
    EXPECT_THAT(plain.out, HasSubstr(" ||| " + t["alignment"].get<std::string>() + " ||| F0="));
}

TEST_F(TranslateTest, SamplesHaveASeed) {
  const auto drawn = [&](const std::string& seed) {
    return translate({"--sample", "--seed", seed, "--n-best", "5", "--top-k", "9"}, "ein Hund\n").out;
  };
  EXPECT_EQ(drawn("1"), drawn("1"));
  EXPECT_NE(drawn("1"), drawn("2"));
  expect_error({"--top-k", "5"}, "", 2, AllOf(HasSubstr("--top-k"), HasSubstr("--sample")));
  expect_error({"--sample", "--beam-size", "4"}, "", 2, AllOf(HasSubstr("--sample"), HasSubstr("--beam-size")));
  expect_error({"--sample", "--seed", "-3"}, "", 2, HasSubstr("--seed is '-3', but must be a whole number at least 0"));
  expect_error({"--alignment-units", "pieces"}, "", 2, HasSubstr("--alignment"));
  expect_error({"--sample", "--temperature", "0"}, "", 2, HasSubstr("--temperature is 0, but"));
  expect_error({"--sample", "--require", "Hund"}, "", 2, HasSubstr("--require needs beam search"));
  expect_error({"--sample", "--jsonl"}, R"({"text": "ein", "require": ["Hund"]})", 3, HasSubstr("need beam search"));
}

TEST_F(TranslateTest, ModelsTranslateTogether) {
  const std::string a = at("model.safetensors"), b = at("second.safetensors");
  const Result r = translate({"-m", a, "-m", b, "--weights", "2,1", "--ensemble", "log-linear"}, "ein Hund\n");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count_lines(r.out), 1);
  expect_error({"-m", a, "-m", at("other.safetensors")}, "", 2,
               AllOf(HasSubstr("other.safetensors"), HasSubstr("different vocabularies")));
  expect_error({"-m", a, "-m", b, "--weights", "1"}, "", 2, HasSubstr("--weights is given for 1 of 2 models"));
  expect_error({"-m", a, "-m", b, "--weights", "1,-1"}, "", 2, HasSubstr("--weights is -1, but"));
  expect_error({"-m", a, "-m", b, "--ensemble", "mean"}, "", 2, HasSubstr("--ensemble 'mean'"));
}

TEST_F(TranslateTest, AndAreEvaluatedTogether) {
  const std::string a = at("model.safetensors"), b = at("second.safetensors"), text = "ein Hund\nzwei Katzen laufen\n";
  write_file_atomically(at("source"), text);
  write_file_atomically(at("references"), "ein Hund\nzwei\n");
  const auto evaluated = [&](const std::vector<std::string>& models) {
    return run_command(
               std::vector<std::string>{"evaluate", "--extra-length", "5", "--threads", "1", "--sentence-level"} +
               models + std::vector<std::string>{at("source"), at("references")})
        .out;
  };
  write_file_atomically(at("hypotheses"), translate({"-m", a, "-m", b}, text).out);
  EXPECT_EQ(translate({"-m", a, b}, text).out, read_file(at("hypotheses")));
  EXPECT_EQ(evaluated({"-m", a, "-m", b}),
            run_command({"evaluate", "--sentence-level", at("hypotheses"), at("references")}).out);
  EXPECT_NE(evaluated({"-m", a, "-m", b}), evaluated({"-m", b}));
}

TEST_F(TranslateTest, PrefixesAndPhrases) {
  const std::string prefixes = write("prefixes", "zwei Ka\n\n");
  const Result r = translate({"--prefix", prefixes, "--require", "Hund", "--require", "und die", "--forbid", "über"},
                             "ein Hund\nzwei Katzen\n");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(count_lines(r.out), 2);
  EXPECT_EQ(r.out.substr(0, 7), "zwei Ka");
  EXPECT_THAT(r.out.substr(r.out.find('\n')), AllOf(HasSubstr("Hund"), HasSubstr("und die")));
  const Result fewer = translate({"--prefix", write("short", "x\n")}, "a\nb\n");
  EXPECT_EQ(fewer.code, 3);
  EXPECT_EQ(count_lines(fewer.out), 1);
  EXPECT_THAT(fewer.err, AllOf(HasSubstr("short has 1 lines"), HasSubstr("more")));
  expect_error({"--prefix", at("none")}, "a\n", 3, HasSubstr("none"));
  expect_error({"--require", " "}, "a\n", 2, HasSubstr("--require ' ' is blank"));
  expect_error({"--require", "Ж"}, "a\n", 2, HasSubstr("no piece for 'Ж'"));
  expect_error({"--forbid", "Hund", "--require", "ein Hund"}, "a\n", 2, HasSubstr("is required"));
}

TEST_F(TranslateTest, TermsOfAGlossary) {
  const std::string terms = write("terms.tsv", "hund\tKatzen|Katze\r\n\nstraße\tЖ\n");
  const Result r = translate({"--glossary", terms, "--extra-length", "5"}, "ein Hund\nzwei\ndie Straße\n");
  EXPECT_EQ(r.code, 0) << r.err;
  if (r.out.substr(0, r.out.find('\n')).find("Katze") == std::string::npos) {
    EXPECT_THAT(r.err, HasSubstr("line 1: the glossary was not followed for 'hund'"));
  }
  EXPECT_THAT(r.err, AllOf(HasSubstr("line 3: glossary: 'straße' as 'Ж'"), HasSubstr("no piece for 'Ж'")));
  const Result plain = translate({"--extra-length", "5"}, "ein Hund\nzwei\ndie Straße\n");
  EXPECT_EQ(r.out.substr(r.out.find('\n')), plain.out.substr(plain.out.find('\n')));
  const std::string wrong = write("wrong.tsv", "hund\tKatze\nHUND\tdie\n");
  expect_error({"--glossary", wrong}, "a\n", 3, HasSubstr("wrong.tsv:2: 'HUND' is also the term of line 1"));
  expect_error({"--glossary", at("none")}, "a\n", 3, HasSubstr("none"));
  EXPECT_EQ(translate({"--glossary", terms, "--sample"}, "ein Hund\n").code, 0);
  expect_error({"--glossary", terms, "--trace", at("x.svg")}, "a\n", 2, HasSubstr("--trace shows plain"));
}

TEST_F(TranslateTest, MorePrefixesThanLinesIsAnError) {
  const Result r = translate({"--prefix", write("long", "x\ny\n")}, "ein Hund\n");
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(count_lines(r.out), 1);
  EXPECT_THAT(r.err, AllOf(HasSubstr("long has more lines than the 1 of the input")));
}

TEST_F(TranslateTest, APrefixThatIsNotTextIsAnErrorOfItsFile) {
  write_file_atomically(at("prefixes"), "ein\n\xff\n");
  const Result r = translate({"--prefix", at("prefixes")}, "zwei\nHund\n");
  EXPECT_EQ(r.code, 3);
  EXPECT_THAT(r.out, testing::StartsWith("ein")) << "the line before is answered";
  EXPECT_THAT(r.err, AllOf(HasSubstr("line 2: --prefix"), HasSubstr("is not UTF-8")));
}

TEST_F(TranslateTest, JsonLines) {
  const Result r =
      translate({"--jsonl"}, R"({"text": "ein Hund", "prefix": "Katzen ", "require": ["Hund"], "forbid": []})"
                             "\n\n");
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out.substr(0, 7), "Katzen ");
  EXPECT_THAT(r.out, HasSubstr("Hund"));
  EXPECT_EQ(count_lines(r.out), 2);
  expect_error({"--jsonl"}, "{\n", 3, AllOf(HasSubstr("line 1"), HasSubstr("not a JSON object")));
  const Result second = translate({"--jsonl"}, "\n{\"prefix\": \"x\"}\n");
  EXPECT_EQ(second.code, 3);
  EXPECT_EQ(second.out, "\n") << "the lines before a wrong one are translated";
  EXPECT_THAT(second.err, AllOf(HasSubstr("line 2"), HasSubstr("no \"text\"")));
  expect_error({"--jsonl"}, R"({"text": 5})", 3, HasSubstr("\"text\" that is not a string"));
  expect_error({"--jsonl"}, R"({"text": "a", "forbid": "b"})", 3, HasSubstr("\"forbid\" that is not a list"));
  expect_error({"--jsonl"}, R"({"text": "a", "word": "b"})", 3, HasSubstr("has a \"word\""));
  expect_error({"--jsonl"}, R"({"text": "a", "require": ["Ж"]})", 3, AllOf(HasSubstr("line 1"), HasSubstr("'Ж'")));
  expect_error({"--jsonl", "--prefix", write("p", "")}, "", 2, HasSubstr("--jsonl and --prefix"));
}

// Lines before an invalid request are answered.
TEST_F(TranslateTest, LinesBeforeAWrongOneAreAnswered) {
  const std::string before = "{\"text\": \"ein\"}\n{\"text\": \"zwei\"}\n\n", after = "{\"text\": \"und\"}\n";
  const std::string three = translate({"--jsonl"}, before).out;
  for (const auto& [line, message] : {std::pair<std::string, std::string>{R"("require": ["Ж"])", "no piece for 'Ж'"},
                                      {R"("forbid": [" "])", "is blank"},
                                      {R"("require": ["ein Hund"], "forbid": ["Hund"])", "is required"},
                                      {R"("require": 1)", "not a list of strings"}}) {
    const Result r = translate({"--jsonl"}, before + "{\"text\": \"die\", " + line + "}\n" + after);
    EXPECT_EQ(r.code, 3);
    EXPECT_EQ(r.out, three);
    EXPECT_THAT(r.err, AllOf(HasSubstr("line 4"), HasSubstr(message)));
  }
}

// A missing translation is not reported as certain.
TEST_F(TranslateTest, LinesWithoutATranslation) {
  const std::string prefixes = write("prefixes", "zwei Katzen laufen über die Straße\n\n\n"), lines = "ein\nzwei\n\n";
  const Words none{"--prefix", prefixes, "--longest", "2"};
  const Result plain = translate(none, lines);
  EXPECT_EQ(plain.code, 0);
  EXPECT_EQ(plain.out.substr(0, 1), "\n");
  EXPECT_EQ(count_lines(plain.out), 3);
  EXPECT_THAT(plain.err, HasSubstr("line 1: no translation satisfies the constraints"));
  const Result list = translate(none + Words{"--n-best", "2"}, lines);
  EXPECT_THAT(list.out, testing::StartsWith("0 |||  ||| F0= -inf ||| -inf\n1 ||| "));
  EXPECT_THAT(list.out, HasSubstr("\n2 |||  ||| F0= 0.000000 ||| 0.000000\n"));
  const Result json = translate(none + Words{"--json"}, lines);
  const auto first = nlohmann::json::parse(json.out.substr(0, json.out.find('\n')))["translations"].at(0);
  EXPECT_EQ(first["text"], "");
  EXPECT_TRUE(first["score"].is_null());
  EXPECT_TRUE(first["normalized"].is_null());
  const Result strict = translate(none + Words{"--strict", "-q"}, lines);
  EXPECT_EQ(strict.code, 3);
  EXPECT_EQ(strict.out, plain.out);
  EXPECT_THAT(strict.err, HasSubstr("error: --strict: 1 line without a translation"));
  EXPECT_EQ(translate({"--strict"}, lines).code, 0);
}

TEST_F(TranslateTest, LongLines) {
  const std::string text = "ein Hund. zwei Katzen. die Katzen laufen über die Straße.\n";
  const Result split = translate({"--max-length", "9"}, text);
  EXPECT_EQ(count_lines(split.out), 1);
  EXPECT_THAT(split.err, AllOf(HasSubstr("line 1"), HasSubstr("parts")));
  const Result cut = translate({"--max-length", "9", "--long-input", "truncate"}, text);
  EXPECT_EQ(count_lines(cut.out), 1);
  EXPECT_THAT(cut.err, HasSubstr("only the first 9"));
  const Result refused = translate({"--max-length", "9", "--long-input", "refuse"}, "ein\n" + text + text);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("line 2 has"), HasSubstr("2 such lines"), HasSubstr("--long-input split")));
  EXPECT_EQ(count_lines(refused.out), 1) << "the line before it";
  expect_error({"--long-input", "drop"}, "", 2, HasSubstr("--long-input"));
  expect_error({"--max-length", "9", "--require", "Hund"}, text, 3, HasSubstr("phrases that are required"));
}

TEST_F(TranslateTest, NotesOnLinesAreCountedAfterAHundred) {
  std::string text = "ein Hund\n";
  for (int i = 0; i < 130; ++i) text += "一个男人\n";
  const Result r = translate({"--beam-size", "1"}, text);
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(count_lines(r.out), 131);
  EXPECT_THAT(r.err, AllOf(HasSubstr("line 2: the vocabulary lacks 4 of 4 letters"), HasSubstr("line 101: "),
                           Not(HasSubstr("line 102: ")), HasSubstr("30 more notes")));
}

TEST_F(TranslateTest, CoverageAndCopies) {
  const Result r = translate({"--coverage-penalty", "0.5", "--unk", "copy", "--json"}, "ein Hund\n\n");
  EXPECT_EQ(r.code, 0) << r.err;
  const auto best = nlohmann::json::parse(r.out.substr(0, r.out.find('\n')))["translations"][0];
  EXPECT_LT(best["coverage"].get<double>(), 0);
  EXPECT_EQ(count_lines(r.out), 2);
}

TEST_F(TranslateTest, NumbersOutOfRange) {
  for (const char* option : {"--longest", "--longest-ratio", "--min-length", "--no-repeat-ngram", "--max-repetition"})
    expect_error({option, "-1"}, "", 2, HasSubstr(std::string(option) + " is -1, but"));
  expect_error({"--min-length", "5", "--longest", "4"}, "", 2, HasSubstr("--min-length 5 is above --longest 4"));
  expect_error({"--unk", "drop"}, "", 2, HasSubstr("--unk"));
  expect_error({"--word-penalty", "nan"}, "", 2, HasSubstr("--word-penalty is nan, but"));
  expect_error({"--coverage-penalty", "-1"}, "", 2, HasSubstr("--coverage-penalty is -1, but"));
  expect_error({"--coverage-penalty", "1", "--sample"}, "", 2, HasSubstr("--coverage-penalty 1 reranks"));
  expect_error({"--coverage-penalty", "1", "--alignment-layer", "1"}, "", 2, HasSubstr("--alignment-layer 1"));
  std::string phrase;
  for (int i = 0; i < 1000; ++i) phrase += "Hund ";
  expect_error({"--require", phrase}, "ein\n", 2, HasSubstr("999"));
}

}  // namespace
}  // namespace hexapla::cli
