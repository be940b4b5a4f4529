// Tests quantize, average and info from the command line.
#include <gmock/gmock.h>

#include <filesystem>
#include <tuple>

#include "base/files/file.h"
#include "base/files/test_toy_corpus.h"
#include "base/json.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class ModelCommands : public CommandFolder {
 protected:
  ModelCommands() {
    save_untrained_model(model, text::Vocabulary::train({"ein hund rennt .", "a dog runs ."}, {.size = 30}));
  }
  void expect_error(const std::vector<std::string>& arguments, int code, const testing::Matcher<std::string>& message) {
    const std::string before = read_file(model);
    const Result r = run_command(arguments);
    EXPECT_EQ(r.code, code);
    EXPECT_THAT(r.err, message);
    EXPECT_EQ(read_file(model), before);
  }
  const std::string model = at("model.safetensors");
};

TEST_F(ModelCommands, WhatIsReadIsNotOverwritten) {
  expect_error({"quantize", "-m", model, "-o", model}, 2,
               HasSubstr("is one of the input files (" + model + ") and would be overwritten"));
  expect_error({"quantize", "-m", folder(), "-o", model}, 2, HasSubstr("name another file"));
  expect_error({"average", model, folder(), "-o", model}, 2, HasSubstr("would be overwritten"));
  const std::string other = folder() + "/./model.safetensors";
  expect_error({"average", model, "-o", other}, 2, HasSubstr("would be overwritten"));
  expect_error({"inspect", "-m", folder(), "--src", "a", "--out", other}, 2, HasSubstr("--out " + other));
  expect_error({"bench", "translate", "-m", model, "--text", model, "-o", other}, 2, HasSubstr("would be overwritten"));
  write_file_atomically(at("text"), "a\n");
  expect_error({"quantize", "-m", model, "--valid-sets", at("text"), at("text"), "-o", folder() + "/./text"}, 2,
               HasSubstr("would be overwritten"));
  EXPECT_EQ(read_file(at("text")), "a\n");
  expect_error({"train", "--train-sets", at("text"), at("text"), "--init-from", model, "--model", folder() + "/."}, 2,
               HasSubstr("--model " + folder() + "/./model.safetensors is one of the input files"));
  std::filesystem::create_directory(at("run"));
  const std::string config = write("run/valid.jsonl", "dropout: 0.1\n");
  expect_error({"train", "--model", at("run"), "-c", config, "--train-sets", at("text"), at("text")}, 2,
               HasSubstr("would be overwritten"));
}

TEST_F(ModelCommands, QuantizedModelsAreToldApart) {
  const std::string integers = at("integers.safetensors");
  ASSERT_EQ(run_command({"quantize", "-m", model, "-o", integers}).code, 0);
  EXPECT_THAT(run_command({"info", "-m", integers}).out, HasSubstr("in 8-bit integers"));
  EXPECT_THAT(run_command({"info", "-m", model}).out, Not(HasSubstr("8-bit")));
  EXPECT_GT(nlohmann::json::parse(run_command({"info", "-m", integers, "--json"}).out)["integers"].get<int64_t>(), 500);
  expect_error({"quantize", "-m", integers, "-o", at("again")}, 3, HasSubstr("is already quantized"));
  expect_error({"average", model, integers, "-o", at("mean")}, 3,
               AllOf(HasSubstr(integers), HasSubstr("is quantized;")));
}

TEST_F(ModelCommands, PartsThatStayAreChecked) {
  expect_error({"quantize", "-m", model, "-o", at("q"), "--keep", "encoder.layers.7"}, 2,
               AllOf(HasSubstr("--keep encoder.layers.7"), HasSubstr("decoder.layers.1.")));
  EXPECT_EQ(run_command({"quantize", "-m", model, "-o", at("q"), "--keep", "encoder.layers.0"}).code, 0);
  expect_error({"quantize", "-m", model, "-o", at("q"), "--max-bleu-drop", "0.1"}, 2, HasSubstr("give --valid-sets"));
}

TEST_F(ModelCommands, AMeanNeedsOneConfiguration) {
  const text::Vocabulary v = text::Vocabulary::train({"ein hund rennt .", "a dog runs ."}, {.size = 30});
  const auto save = [&](const std::string& name, auto&& change) {
    model::Config c;
    c.source_vocab = c.target_vocab = v.size();
    c.enc_layers = 1, c.dec_layers = 2, c.d_model = 12, c.d_ff = 16, c.heads = 3;
    change(c);
    c.resolve();
    model::Transformer net(c);
    const model::Parameters parameters(net, DType::f32, model::Parameters::Use::inference);
    model::initialize(net, 4);
    model::save_model(at(name), net, {v.bytes(), v.bytes()}, {});
    return at(name);
  };
  const std::string other = save("other", [](model::Config& c) { c.dropout = 0.3; });
  const std::string wide = save("wide", [](model::Config& c) { c.d_ff = 24; });
  EXPECT_EQ(run_command({"average", model, other, "-o", at("mean")}).code, 0) << "dropout is of training alone";
  expect_error({"average", model, wide, "-o", at("mean")}, 3,
               AllOf(HasSubstr(wide), HasSubstr("is 24, but that of"), HasSubstr("is 16")));
}

class Means : public CommandFolder {
 protected:
  Means() {
    write_toy_corpus(at("a"), at("b"), 60);
    const Result r = run_command({"train",
                                  "--train-sets",
                                  at("a"),
                                  at("b"),
                                  "--valid-sets",
                                  at("a"),
                                  at("b"),
                                  "--model",
                                  run,
                                  "--vocab-size",
                                  "60",
                                  "--layers",
                                  "1",
                                  "--dim-model",
                                  "32",
                                  "--dim-ff",
                                  "64",
                                  "--heads",
                                  "2",
                                  "--batch-tokens",
                                  "64",
                                  "--lr",
                                  "3e-3",
                                  "--warmup",
                                  "5",
                                  "--max-updates",
                                  "20",
                                  "--save-every",
                                  "5",
                                  "--valid-every",
                                  "5",
                                  "--best-by",
                                  "loss",
                                  "--keep",
                                  "4",
                                  "--average-last",
                                  "2",
                                  "--threads",
                                  "1",
                                  "--precision",
                                  "f32",
                                  "--ema",
                                  "0.9",
                                  "--final-model",
                                  "mean"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.err, ContainsRegex("model: [^\n]*, the mean of the last 2 checkpoints \\(validation loss [0-9.]+\\)\n"
                                     "[^\n]*not taken: the best single model \\(update [0-9]+\\) "
                                     "\\(validation loss [0-9.]+\\)"));
  }
  static std::vector<float> numbers(const std::string& file) {
    const model::LoadedModel m = model::load_model(file);
    const auto values = m.parameters->values().values<float>();
    return {values.begin(), values.end()};
  }
  const std::string run = at("run"), out = at("mean.safetensors");
};

TEST_F(Means, TheLastOfARunAreItsOwnMean) {
  for (const std::string& folder : {run, run + "/", run + "/checkpoints"}) {
    const Result r = run_command({"average", folder, "--last", "2", "-o", out});
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_THAT(r.err, HasSubstr("checkpoints/update-00000020"));
    EXPECT_EQ(numbers(out), numbers(run + "/model.safetensors"));
  }
  const std::string checkpoint = run + "/checkpoints/update-000000";
  ASSERT_EQ(run_command({"average", checkpoint + "15", checkpoint + "20", "-o", out}).code, 0);
  EXPECT_EQ(numbers(out), numbers(run + "/model.safetensors"));
  EXPECT_EQ(run_command({"info", "-m", out}).code, 0);
}

TEST_F(Means, TheBestOfARunIsItsBestModel) {
  ASSERT_EQ(run_command({"average", run, "--best", "1", "-o", out}).code, 0);
  EXPECT_EQ(numbers(out), numbers(run + "/best.safetensors"));
}

TEST_F(Means, WhatIsNotThereIsTold) {
  const auto fails = [&](const std::vector<std::string>& more, int code, const std::string& what) {
    const Result r = run_command(std::vector<std::string>{"average", "-o", out} + more);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_THAT(r.err, HasSubstr(what));
  };
  fails({run, "--last", "5"}, 3, "holds 4 checkpoints, fewer than --last 5");
  fails({run, "--best", "5"}, 3, "holds 4 validated models, fewer than --best 5");
  fails({run, "--best", "2", "--last", "2"}, 2, "--best");
  fails({run + "/model.safetensors", "--last", "2"}, 2, "is not the folder of a training");
  fails({at("a"), "--last", "0"}, 2, "--last");
}

}  // namespace
}  // namespace hexapla::cli
