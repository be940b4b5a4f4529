// hexapla import, and other commands on its models.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class ImportCommand : public CommandFolder {
 protected:
  static std::string peer_model(const std::string& name) { return source_path("src/plugins/convert/fixtures/" + name); }
  std::string imported(const std::string& name) const {
    const Result r = run_command({"import", peer_model(name), "-o", at(name)});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr("2+2 layers, 16 wide"));
    return at(name);
  }
};

TEST_F(ImportCommand, TranslatesAsTheModelsOwnerKnowsIt) {
  const std::string model = imported("hf_marian_joint");
  const nlohmann::json all = nlohmann::json::parse(read_file(peer_model("hf_marian_joint") + "/golden.json"));
  const nlohmann::json& line = all.front();
  const std::string text = line["text"].get<std::string>() + "\n";
  const auto ids = [&](const std::vector<std::string>& more) {
    const Result r = run_command(std::vector<std::string>{"translate", "-q", "--json", "-m", model} + more, text);
    EXPECT_EQ(r.code, 0) << r.err;
    return nlohmann::json::parse(r.out)["translations"][0]["ids"];
  };
  EXPECT_EQ(ids({}), line["best"]) << "with the defaults of its own configuration";
  EXPECT_EQ(ids({"--beam-size", "1"}), line["greedy"]);
  EXPECT_THAT(run_command({"info", "-m", model}).out,
              AllOf(HasSubstr("Hugging Face Marian"), HasSubstr("sinusoidal-halves")));
}

// Languages are recorded by import and can be overridden by translate or by a line.
TEST_F(ImportCommand, LanguagesAreRecordedAndMayBeChanged) {
  const std::string folder = peer_model("hf_m2m"), model = at("m2m");
  ASSERT_EQ(
      run_command({"import", "-q", folder, "--source-language", "en", "--target-language", "de", "-o", model}).code, 0);
  const auto ids = [&](const std::string& text, const std::vector<std::string>& more) {
    const Result r = run_command(
        std::vector<std::string>{"translate", "-q", "--json", "--protect", "none", "-m", model} + more, text + "\n");
    EXPECT_EQ(r.code, 0) << r.err;
    return nlohmann::json::parse(r.out)["translations"][0]["ids"];
  };
  int other = 0;
  for (const auto& line : nlohmann::json::parse(read_file(folder + "/golden.json"))) {
    const std::string text = line["text"], language = line["language"];
    other += language != "de";
    EXPECT_EQ(ids(text, {"--target-language", language}), line["best"]) << text;
    EXPECT_EQ(ids(">>" + language + "<<" + text, {"--target-language", "zu"}), line["best"]) << text;
    if (language == "de") {
      EXPECT_EQ(ids(text, {}), line["best"]) << text;
    }
  }
  EXPECT_GT(other, 0);
  EXPECT_NE(ids("bh hk", {"--source-language", "fr"}), nullptr);
  const Result unknown = run_command({"translate", "-q", "-m", model, "--target-language", "xx"}, "a\n");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, AllOf(HasSubstr("--target-language 'xx'"), HasSubstr("af, am,")));
  const std::string marian = imported("marian");  // only takes the target language, before the source
  EXPECT_EQ(run_command({"translate", "-q", "-m", marian, "--target-language", "de"}, "abc def\n").out,
            run_command({"translate", "-q", "-m", marian}, ">>de<<abc def\n").out);
  const Result none = run_command({"translate", "-q", "-m", marian, "--source-language", "de"}, "a\n");
  EXPECT_EQ(none.code, 2);
  EXPECT_THAT(none.err, HasSubstr("not told languages"));
  const Result sampled = run_command({"translate", "-q", "-m", model, "--sample", "--longest", "9"}, "bh hk\n");
  EXPECT_EQ(sampled.code, 0) << sampled.err;
  const Result score = run_command({"score", "-m", model, write("x", "bh hk\n"), write("y", "jff\n")});
  EXPECT_EQ(score.code, 0) << score.err;
}

TEST_F(ImportCommand, ItsModelsAreQuantized) {
  const std::string model = imported("marian");
  EXPECT_EQ(run_command({"quantize", "-q", "-m", model, "-o", at("q")}).code, 0);
  const Result r = run_command({"translate", "-q", "-m", at("q")}, "abc def\n");
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(ImportCommand, SaysWhatIsWrong) {
  const auto refused = [&](const std::vector<std::string>& arguments, int code, const std::string& why) {
    const Result r = run_command(std::vector<std::string>{"import"} + arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(why));
  };
  refused({at("none"), "-o", at("out")}, 3, "there is no such file or folder");
  refused({folder(), "-o", at("out")}, 2, "name another file");
  refused({peer_model(""), "-o", at("out")}, 3, "known are hf-marian");
  refused({peer_model("marian"), "--from", "x", "-o", at("out")}, 2, "--from is 'x', but must be one of: hf-marian");
  refused({peer_model("marian"), "--from", "hf-marian", "-o", at("out")}, 3, "config.json");
}

// A model's files may name others, in any folder, that belong to it.
TEST_F(ImportCommand, ReplacesNothingButModelsOfOurs) {
  const std::string folder = at("m"), model = folder + "/model.npz";
  std::filesystem::copy(peer_model("marian"), folder, std::filesystem::copy_options::recursive);
  const std::string list = write("v.txt", "a list of words\n");
  for (const std::string& output : {folder + "/source.spm", folder + "/vocab.yml", list, model}) {
    const std::string before = read_file(output);
    const Result r = run_command({"import", "-q", model, "-o", output});
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_THAT(r.err, HasSubstr(output + " "));
    EXPECT_EQ(read_file(output), before);
  }
  write("empty", "");
  for (const std::string& output : {at("own"), at("own"), at("empty")})
    EXPECT_EQ(run_command({"import", "-q", model, "-o", output}).code, 0) << output;
}

}  // namespace
}  // namespace hexapla::cli
