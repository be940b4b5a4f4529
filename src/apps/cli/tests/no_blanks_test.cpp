// Tests the commands with Chinese, Japanese and Thai, whose lines are more than one word.
#include <gmock/gmock.h>

#include <fstream>

#include "base/json.h"
#include "cli/test_command.h"
#include "evaluate/tokenization/tokenizers.h"

namespace hexapla::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class NoBlanksCommand : public CommandFolder {
 protected:
  NoBlanksCommand() {
    const text::Vocabulary v = text::Vocabulary::train(
        {"我们去北京。我们在公园跑。", "狗在公园里喜欢我们。", "we run in the park .", "a dog likes us ."},
        {.size = 60});
    save_untrained_model(at("model.safetensors"), v);
  }
  static Result successful(const std::vector<std::string>& words, const std::string& input = "") {
    Result r = run_command(words, input);
    EXPECT_EQ(r.code, 0) << r.err;
    return r;
  }
  const std::string hypotheses = write("hyp", "我们去北京。\n狗在公园里。\n");
  const std::string references = write("ref", "我们去北京。\n一只狗在公园里跑。\n");
  const std::string model = at("model.safetensors");
};

TEST_F(NoBlanksCommand, EvaluateTakesTheTokenizerOfTheScript) {
  const Result r = successful({"evaluate", hypotheses, references, "--worst", "1"});
  const Result zh = successful({"evaluate", hypotheses, references, "--tokenize", "zh", "--worst", "1"});
  EXPECT_EQ(r.out, zh.out);
  EXPECT_THAT(r.out, AllOf(HasSubstr("|tok:zh|"), HasSubstr("line 2")));
  EXPECT_THAT(r.err,
              AllOf(HasSubstr("the references are Chinese"), HasSubstr("(--tokenize 13a is sacreBLEU's default)")));
  EXPECT_EQ(zh.err, "") << "asked for, it needs no word";
  EXPECT_EQ(successful({"evaluate", hypotheses, references, "-q"}).err, "");
  EXPECT_THAT(successful({"evaluate", hypotheses, references, "--tokenize", "13a"}).out, HasSubstr("|tok:13a|"));
  EXPECT_THAT(successful({"evaluate", hypotheses, references, "--metrics", "ter"}).err,
              AllOf(HasSubstr("--ter-asian-support"), Not(HasSubstr("tokenizer of BLEU"))));
}

TEST_F(NoBlanksCommand, EvaluateJapaneseByMecabOrCharacters) {
  const std::string japanese = write("ja", "犬が公園を走っている。\n私は学校で日本語を勉強しています。\n");
  const Result r = successful({"evaluate", japanese, japanese});
  if (evaluate::missing_for("ja-mecab").empty()) {
    EXPECT_THAT(r.out, AllOf(HasSubstr("|tok:ja-mecab-"), HasSubstr("-IPA|")));
  } else {
    EXPECT_THAT(r.out, HasSubstr("|tok:char|"));
    EXPECT_THAT(r.err, HasSubstr("mecab-ipadic-utf8"));
    EXPECT_EQ(run_command({"evaluate", japanese, japanese, "--tokenize", "ja-mecab"}).code, 2);
  }
}

TEST_F(NoBlanksCommand, QuantizeMeasuresByTheScript) {
  const std::string source = write("src", "we run in the park .\na dog likes us .\n");
  const Result r = successful({"quantize", "-m", model, "-o", at("q"), "--valid-sets", source, references, "-b", "1"});
  EXPECT_THAT(r.err, AllOf(HasSubstr("the references are Chinese"), HasSubstr("|tok:zh|")));
  const std::vector<std::string> plain{"quantize",     "-m",   model,  "-o", at("q"),
                                       "--valid-sets", source, source, "-b", "1"};
  EXPECT_THAT(successful(plain).err, AllOf(HasSubstr("|tok:13a|"), Not(HasSubstr("the references are"))));
  EXPECT_THAT(successful(plain + std::vector<std::string>{"--tokenize", "char"}).err, HasSubstr("|tok:char|"));
  EXPECT_EQ(run_command(plain + std::vector<std::string>{"--tokenize", "x"}).code, 2);
}

TEST_F(NoBlanksCommand, ScoreTellsWhatItCounts) {
  const std::string x = write("x", "我们 run。\n"), y = write("y", "a 公园，ok\n");
  const json j = json::parse(successful({"score", "-m", model, x, y, "--json", "--alignment", "soft"}).out);
  EXPECT_THAT(j["source_words"], ElementsAre("我", "们", "run", "。"));
  EXPECT_THAT(j["target_words"], ElementsAre("a", "公", "园", "，", "ok"));
  EXPECT_THAT(j["words"], SizeIs(6)) << "with </s>";
  const std::string soft = j["alignment"];
  EXPECT_EQ(std::count(soft.begin(), soft.end(), ' '), 5) << "a group for each, and for </s>";
  EXPECT_EQ(std::count(soft.begin(), soft.end(), ','), 6 * 4);
  const json by_blanks = json::parse(
      successful({"score", "-m", model, x, y, "--json", "--alignment", "soft", "--alignment-units", "blanks"}).out);
  EXPECT_THAT(by_blanks["source_words"], ElementsAre("我们", "run。"));
}

TEST_F(NoBlanksCommand, TranslateTellsWhatItCounts) {
  const std::vector<std::string> command{"translate",      "-m", model, "--alignment", "hard", "--json",
                                         "--extra-length", "4"};
  const json j = json::parse(successful(command, "我们 run。\n").out);
  EXPECT_THAT(j["source_words"], ElementsAre("我", "们", "run", "。"));
  EXPECT_TRUE(j["translations"][0].contains("target_words"));
  const json pieces =
      json::parse(successful(command + std::vector<std::string>{"--alignment-units", "pieces"}, "我们\n").out);
  EXPECT_FALSE(pieces.contains("source_words"));
}

TEST_F(NoBlanksCommand, DataCountsCharacters) {
  std::ofstream(at("v.spm"), std::ios::binary)
      << text::Vocabulary::train({"我们去北京。我们在公园跑。", "we run in the park ."}, {.size = 40}).bytes();
  const std::string a = write("a", "we run in the park .\n"), b = write("b", "我们在公园跑。\n");
  const json j = json::parse(successful({"data", a, b, "--vocab", at("v.spm"), "--json"}).out);
  EXPECT_EQ(j["vocabulary"]["source"]["words"], 6);
  EXPECT_EQ(j["vocabulary"]["target"]["words"], 7);
}

}  // namespace
}  // namespace hexapla::cli
