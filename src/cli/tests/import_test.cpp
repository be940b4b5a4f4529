// hexapla import, and what the other commands make of the result.
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
  static std::string peer_model(const std::string& name) { return source_path("src/convert/fixtures/" + name); }
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
  refused({peer_model("marian"), "--from", "x", "-o", at("out")}, 2, "--from 'x' is unknown");
  refused({peer_model("marian"), "--from", "hf-marian", "-o", at("out")}, 3, "config.json");
}

}  // namespace
}  // namespace hexapla::cli
