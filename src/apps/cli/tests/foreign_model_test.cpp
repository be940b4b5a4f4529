// Models from others, some malicious, are refused with one message or are harmless.
#include <gmock/gmock.h>

#include <algorithm>

#include "base/files/file.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "cli/test_command.h"
#include "model/weights/model_file.h"
#include "model/weights/quantize.h"
#include "model/weights/test_change_number.h"
#include "text/utf8.h"
#include "text/vocabulary/test_tokenizers.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ForeignModel : public CommandFolder {
 protected:
  ForeignModel() : tokenizers_(text::honest_tokenizers()), net_(config()) {
    parameters_.emplace(net_, DType::f32, model::Parameters::Use::inference);
    model::initialize(net_, 3);
  }
  model::Config config() const {
    model::Config c;
    c.source_vocab = c.target_vocab = text::Vocabulary::parse(tokenizers_[0], "x").size();
    c.enc_layers = c.dec_layers = 1;
    c.d_model = 8, c.d_ff = 8, c.heads = 2;
    c.resolve();
    return c;
  }
  std::string save(const std::string& tokenizer, const std::map<std::string, std::string>& history = {}) {
    model::save_model(model_, net_, {tokenizer, tokenizer}, history);
    return model_;
  }
  // The first tokenizer with another text in one of its pieces.
  std::string with_piece(int32_t id, const std::string& text) const {
    text::PieceModel m = text::PieceModel::parse(tokenizers_[0], "x");
    m.pieces[id].text = text;
    return m.serialized();
  }
  std::vector<Result> every_reader(const std::string& text) const {
    return {
        run_command({"translate", "-m", model_, "--threads", "1", "--longest", "4", "--beam-size", "2"}, text + "\n"),
        run_command({"info", "-m", model_}),
        run_command({"inspect", "-m", model_, "--threads", "1", "--src", "ka " + text, "--tgt", text})};
  }
  static void expect_no_commands(const std::string& out) { EXPECT_EQ(text::printable(out), out); }

  std::vector<std::string> tokenizers_;
  model::Transformer net_;
  std::optional<model::Parameters> parameters_;
  const std::string model_ = at("model.safetensors");
};

// Each tests a share of the mutations, so that several can run at a time.
class TamperedModel : public ForeignModel, public testing::WithParamInterface<uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Share, TamperedModel, testing::Range<uint64_t>(0, 4));

TEST_P(TamperedModel, IsRefusedOrHarmless) {
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 5'000 : 10, first = GetParam() * count;
  const std::vector<std::string>& texts = text::texts_of_all_kinds();
  for (uint64_t i = first; i < first + count; ++i) {
    const std::string bytes = text::TokenizerMutator(8, i).mutated(tokenizers_[0]);
    save(bytes);
    for (const Result& r : every_reader(texts[i % (texts.size() - 2)])) {
      EXPECT_TRUE(r.code == 0 || r.code == 3) << "mutation " << i << ": " << r.code << " " << r.err;
      EXPECT_EQ(r.code == 3, r.err.find("hexapla: error: " + model_) != std::string::npos) << i << ": " << r.err;
      EXPECT_THAT(r.err, Not(HasSubstr("bug in hexapla"))) << "mutation " << i;
    }
  }
}

TEST_F(ForeignModel, AnotherNumberOfPiecesIsABadFile) {
  text::PieceModel m = text::PieceModel::parse(tokenizers_[0], "x");
  m.pieces.pop_back();
  save(m.serialized());
  const int64_t n = config().source_vocab;
  for (const Result& r : every_reader("ka")) {
    EXPECT_EQ(r.code, 3);
    EXPECT_THAT(r.err, AllOf(HasSubstr(cat(model_, ": its source vocabulary has ", n - 1, " pieces, but its ",
                                           "configuration says ", n, "; ")),
                             HasSubstr("get it again"), Not(HasSubstr("bug in hexapla"))));
  }
  EXPECT_EQ(run_command({"train", "--model", at("run"), "--init-from", model_, "--train-sets", write("a", "ka\n"),
                         write("b", "lo\n")})
                .code,
            3);
}

TEST_F(ForeignModel, NothingOfItCommandsTheTerminal) {
  const std::string evil = "\x1b]0;owned\x07\u009b31m\x7f\u202e";
  save(with_piece(9, "ka" + evil), {{"updates" + evil, "7" + evil}, {"trained_on", evil + "\n" + evil}});
  for (const Result& r : every_reader("ka" + evil)) {
    EXPECT_EQ(r.code, 0) << r.err;
    expect_no_commands(r.err);
  }
  for (const std::vector<std::string>& command : {std::vector<std::string>{"info", "-m", model_},
                                                  {"info", "-m", model_, "--json"},
                                                  {"inspect", "-m", model_, "--src", "ka" + evil, "--tgt", evil},
                                                  {"inspect", "-m", model_, "--src-ids", "9 2", "--tgt-ids", "9 9"},
                                                  {"info", "-m", at("no" + evil)},
                                                  {"translate", "--" + evil},
                                                  {evil}}) {
    const Result r = run_command(command);
    expect_no_commands(r.out);
    expect_no_commands(r.err);
    if (command[0] == "inspect" && command[3] == "--src") continue;  // its characters are unknown
    EXPECT_THAT(r.out + r.err, HasSubstr("\\u001b]0;owned")) << command[0];
  }
  const auto info = nlohmann::json::parse(run_command({"info", "-m", model_, "--json"}).out);
  EXPECT_EQ(info["history"]["updates" + evil], "7" + evil);
}

TEST_F(ForeignModel, LinesOfDataDoNotCommandTheTerminal) {
  const std::string evil = "\x1b[2J\u009b1A\u202e", a = write("a" + evil, "one" + evil + "\ntwo\n"),
                    b = write("b" + evil, "uno" + evil + "\n\xE9" + evil + "\n");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"data", a, b},
                                                  {"data", a, b, "--json"},
                                                  {"evaluate", a, b, "--worst", "1"},
                                                  {"evaluate", a, "--compare", b, b},
                                                  {"evaluate", a, b, "--worst", "1", "--json"}}) {
    const Result r = run_command(command);
    EXPECT_EQ(r.out + r.err, text::printable(r.out + r.err)) << command[0];
  }
}

TEST_F(ForeignModel, ScalesBeyondAnyTrainingAreRefused) {
  for (const float bad : {3e38F, -1.0F}) {
    model::for_each<model::Parameter>(net_, [&](const std::string& name, model::Parameter& p) {
      if (!model::quantizable(name, p)) return;
      static std::vector<std::vector<int8_t>> integers;
      static std::vector<std::vector<float>> scales;
      const auto n = static_cast<size_t>(p.shape[*model::quantizable(name, p) == model::ScaleOf::columns ? 1 : 0]);
      p.integers = Tensor::of(integers.emplace_back(static_cast<size_t>(p.shape.size()), 1).data(), p.shape);
      p.scales = Tensor::of(scales.emplace_back(n, 1).data(), {static_cast<int64_t>(n)});
    });
    save(tokenizers_[0]);
    model::change_number(model_, "embeddings.0.table.scales", 0, bad);
    for (const Result& r : every_reader("ka lo")) {
      EXPECT_EQ(r.code, 3);
      EXPECT_THAT(r.err, AllOf(HasSubstr(".scales"), HasSubstr("allowed are 0 to 1e+09")));
      EXPECT_EQ(r.out, "");
    }
  }
}

// Every weight is finite; the products of queries and keys are not.
TEST_F(ForeignModel, OutputThatIsNotFiniteIsAnErrorWithoutData) {
  model::Config wide = config();
  wide.d_model = 32;
  model::Transformer net(wide);
  model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
  model::for_each<model::Parameter>(
      net, [](const std::string&, model::Parameter& p) { std::fill_n(p.value.data<float>(), p.shape.size(), 1e9F); });
  model::save_model(model_, net, {tokenizers_[0], tokenizers_[0]}, {});
  const std::string source = write("source", "ka lo\n"), target = write("target", "lo ka\n");
  for (const std::vector<std::string>& command : {std::vector<std::string>{"translate", "-m", model_},
                                                  {"translate", "-m", model_, "--beam-size", "1"},
                                                  {"translate", "-m", model_, "--sample"},
                                                  {"score", "-m", model_, source, target}}) {
    const Result r = run_command(command, "ka lo\n");
    EXPECT_EQ(r.code, 1) << r.err;
    EXPECT_THAT(r.err, HasSubstr("the model's output is not finite"));
    EXPECT_EQ(r.out, "");
  }
}

}  // namespace
}  // namespace hexapla::cli
