// hexapla compare and hexapla info, for models of any format.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class CompareCommand : public CommandFolder {
 protected:
  static std::string marian() { return source_path("src/plugins/convert/fixtures/hf_marian_joint"); }
  static std::string of_own() { return source_path("tests/fixtures/run_of_0.1.0/model.safetensors"); }
  nlohmann::json compared(const std::vector<std::string>& arguments) const {
    const Result r = run_command(std::vector<std::string>{"compare", "--json"} + arguments);
    EXPECT_EQ(r.code, 0) << r.err;
    return nlohmann::json::parse(r.out);
  }
  std::string text(const std::string& key) const {
    std::string lines;
    for (const auto& line : nlohmann::json::parse(read_file(marian() + "/golden.json")))
      lines += line[key].get<std::string>() + "\n";
    return write(key == "text" ? "text" : "references", lines);
  }
};

TEST_F(CompareCommand, AModelOfAnotherSystemIsTheSameAsItsImport) {
  ASSERT_EQ(run_command({"import", "-q", marian(), "-o", at("m")}).code, 0);
  const nlohmann::json j = compared({marian(), at("m"), "--text", text("text"), "--references", text("best text")});
  EXPECT_EQ(j["equal_translations"], j["lines"]);
  EXPECT_EQ(j["largest_difference"]["logits"]["difference"], 0.0);
  EXPECT_GE(j["forced_lines"], 20);
  EXPECT_EQ(j["bleu"]["scores"][0], j["bleu"]["scores"][1]);
  EXPECT_GT(j["bleu"]["scores"][0], 90) << "the references are what its own system gives";
  EXPECT_TRUE(j["different"].empty());
}

TEST_F(CompareCommand, OtherWeightsAreSeen) {
  const std::string text = source_path("tests/fixtures/run_of_0.1.0/valid.a");
  ASSERT_EQ(run_command({"quantize", "-q", "-m", of_own(), "-o", at("q")}).code, 0);
  const nlohmann::json j = compared({of_own(), at("q"), "--text", text});
  EXPECT_GT(j["largest_difference"]["log_probabilities"]["difference"], 0.0);
  EXPECT_LT(j["largest_difference"]["log_probabilities"]["difference"], 5.0);
  EXPECT_EQ(j["lines"].get<size_t>() - j["equal_translations"].get<size_t>(), j["different"].size());
}

TEST_F(CompareCommand, NeedsNoText) {
  const std::vector<std::string> made_up{of_own(), of_own(), "--lines", "7"};
  const nlohmann::json j = compared(made_up);
  EXPECT_EQ(j["lines"], 7);
  EXPECT_EQ(j["equal_translations"], 7);
  EXPECT_EQ(run_command({"compare", of_own(), marian(), "--lines", "9", "--seed", "2"}).out,
            run_command({"compare", of_own(), marian(), "--lines", "9", "--seed", "2"}).out);
}

TEST_F(CompareCommand, NumbersOfOtherPiecesAreNotCompared) {
  const Result r = run_command({"compare", of_own(), marian(), "--text", text("text"), "-b", "1"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("not comparable"), HasSubstr("equal translations"), HasSubstr(marian())));
}

TEST_F(CompareCommand, SaysWhatIsWrong) {
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& why) {
    const Result r = run_command(std::vector<std::string>{"compare"} + arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(why));
    EXPECT_EQ(r.out, "");
  };
  refused({of_own(), at("none")}, 3, at("none"));
  refused({of_own(), of_own(), "--references", text("text")}, 2, "give it, too");
  refused({of_own(), of_own(), "--text", text("text"), "--references", write("r", "one\n")}, 3, "has 1");
  refused({of_own(), of_own(), "--text", write("empty", "")}, 3, "is empty");
  refused({of_own(), source_path("tests/fixtures/foreign/annotated.pt")}, 2, "heads");
}

TEST_F(CompareCommand, InfoReadsModelsOfOtherSystems) {
  const Result r = run_command({"info", "-m", marian(), "--json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const nlohmann::json j = nlohmann::json::parse(r.out);
  EXPECT_EQ(j["history"]["origin"], "Hugging Face Marian");
  EXPECT_EQ(j["integers"], 0);
  EXPECT_EQ(run_command({"info", "-m", source_path("tests/fixtures/foreign/ctranslate2_built_in")}).code, 0);
  const Result damaged = run_command({"info", "-m", write("damaged", "no model at all")});
  EXPECT_EQ(damaged.code, 3);
  EXPECT_THAT(damaged.err, HasSubstr(at("damaged")));
}

}  // namespace
}  // namespace hexapla::cli
