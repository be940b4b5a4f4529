// quantize, average and info as users meet them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/test_command.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ModelCommands : public CommandFolder {
 protected:
  ModelCommands() {
    save_untrained_model(model, Vocabulary::train({"ein hund rennt .", "a dog runs ."}, {.size = 30}));
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
  expect_error({"quantize", "-m", model, "-o", model}, 2, HasSubstr("is a model that is read, and would be lost"));
  expect_error({"quantize", "-m", folder(), "-o", model}, 2, HasSubstr("name another file"));
  expect_error({"average", model, folder(), "-o", model}, 2, HasSubstr("would be lost"));
}

TEST_F(ModelCommands, QuantisedModelsAreToldApart) {
  const std::string integers = at("integers.safetensors");
  ASSERT_EQ(run_command({"quantize", "-m", model, "-o", integers}).code, 0);
  EXPECT_THAT(run_command({"info", "-m", integers}).out, HasSubstr("in 8-bit integers"));
  EXPECT_THAT(run_command({"info", "-m", model}).out, Not(HasSubstr("8-bit")));
  EXPECT_GT(nlohmann::json::parse(run_command({"info", "-m", integers, "--json"}).out)["integers"].get<int64_t>(), 500);
  expect_error({"quantize", "-m", integers, "-o", at("again")}, 3, HasSubstr("is quantised already"));
  expect_error({"average", model, integers, "-o", at("mean")}, 3,
               AllOf(HasSubstr(integers), HasSubstr("is quantised;")));
}

TEST_F(ModelCommands, PartsThatStayAreChecked) {
  expect_error({"quantize", "-m", model, "-o", at("q"), "--keep", "encoder.layers.7"}, 2,
               AllOf(HasSubstr("--keep encoder.layers.7"), HasSubstr("decoder.layers.1.")));
  EXPECT_EQ(run_command({"quantize", "-m", model, "-o", at("q"), "--keep", "encoder.layers.0"}).code, 0);
  expect_error({"quantize", "-m", model, "-o", at("q"), "--max-bleu-drop", "0.1"}, 2, HasSubstr("give --valid-sets"));
}

TEST_F(ModelCommands, AMeanNeedsOneConfiguration) {
  const Vocabulary v = Vocabulary::train({"ein hund rennt .", "a dog runs ."}, {.size = 30});
  const auto save = [&](const std::string& name, auto&& change) {
    Config c;
    c.source_vocab = c.target_vocab = v.size();
    c.enc_layers = 1, c.dec_layers = 2, c.d_model = 12, c.d_ff = 16, c.heads = 3;
    change(c);
    c.resolve();
    Transformer net(c);
    const Parameters parameters(net, DType::f32, Parameters::Use::inference);
    initialise(net, 4);
    save_model(at(name), net, {v.bytes(), v.bytes()}, {});
    return at(name);
  };
  const std::string other = save("other", [](Config& c) { c.dropout = 0.3; });
  const std::string wide = save("wide", [](Config& c) { c.d_ff = 24; });
  EXPECT_EQ(run_command({"average", model, other, "-o", at("mean")}).code, 0) << "dropout is of training alone";
  expect_error({"average", model, wide, "-o", at("mean")}, 3,
               AllOf(HasSubstr(wide), HasSubstr("is 24, but that of"), HasSubstr("is 16")));
}

}  // namespace
}  // namespace hexapla::cli
