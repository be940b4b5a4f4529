// Tests hexapla inspect from the command line.
#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>

#include "base/files/file.h"
#include "base/json.h"
#include "cli/test_command.h"
#include "model/weights/model_file.h"
#include "tensor/safetensors.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class InspectCommand : public CommandFolder {
 protected:
  InspectCommand()
      : vocabulary_(text::Vocabulary::train({"ein hund rennt .", "a dog runs .", "<&> \"x\""}, {.size = 32})) {
    save_untrained_model(at("model.safetensors"), vocabulary_);
  }
  Result inspect(const std::vector<std::string>& more) const {
    return run_command(std::vector<std::string>{"inspect", "-m", folder()} + more);
  }
  void expect_usage_error(const std::vector<std::string>& more, const std::string& message) const {
    const Result r = inspect(more);
    EXPECT_EQ(r.code, 2) << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
    EXPECT_EQ(r.out, "");
  }
  text::Vocabulary vocabulary_;
};

TEST_F(InspectCommand, shows_tokens_and_the_last_cross_attention) {
  const Result r = inspect({"--src", "a dog runs .", "--tgt", "ein hund"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("source: a dog runs ."), HasSubstr("target: ein hund"), HasSubstr("</s> 2"),
                           HasSubstr("decoder.layers.1.cross_attention, mean of 3 heads"), HasSubstr("<s>│"),
                           HasSubstr("weight: 0 │"), Not(HasSubstr("\033["))));
}

TEST_F(InspectCommand, translates_where_there_is_no_target) {
  EXPECT_THAT(inspect({"--src", "a dog"}).out, HasSubstr("log-probability -"));
}

TEST_F(InspectCommand, draws_the_chosen_heads) {
  EXPECT_THAT(inspect({"--src", "a", "--tgt", "a", "--attention", "encoder", "--layer", "0", "--head", "all"}).out,
              AllOf(HasSubstr("encoder.layers.0.self_attention, head 0"), HasSubstr("head 1"), HasSubstr("head 2"),
                    Not(HasSubstr("head 3"))));
  EXPECT_THAT(inspect({"--src", "a", "--tgt", "a", "--attention", "decoder", "--layer", "0", "--head", "2"}).out,
              AllOf(HasSubstr("decoder.layers.0.self_attention, head 2"), Not(HasSubstr("head 1"))));
}

TEST_F(InspectCommand, colors_on_demand) {
  EXPECT_THAT(inspect({"--src", "a", "--tgt", "a", "--color", "always"}).out, HasSubstr("\033[48;5;"));
}

TEST_F(InspectCommand, ids_are_taken_as_given) {
  EXPECT_EQ(inspect({"--src-ids", "4, 5 6", "--tgt-ids", "7 8", "--out", at("x.json")}).code, 0);
  const auto json = nlohmann::json::parse(read_file(at("x.json")));
  EXPECT_EQ(json["source"]["ids"], nlohmann::json({4, 5, 6}));
  EXPECT_EQ(json["target"]["ids"], nlohmann::json({1, 7, 8}));
  EXPECT_EQ(json["source"]["pieces"][0], vocabulary_.piece(4));
}

TEST_F(InspectCommand, an_empty_target_is_a_target) {
  EXPECT_EQ(inspect({"--src", "a", "--tgt", "", "--out", at("x.safetensors")}).code, 0);
  EXPECT_EQ(SafetensorsFile::open(at("x.safetensors")).get("decoder.layers.1.cross_attention.weights").shape[1], 1);
}

TEST_F(InspectCommand, an_image_has_every_head_unless_told_otherwise) {
  const auto image = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"--src", "a <&>", "--tgt", "a", "--out", at("x.svg")});
    EXPECT_EQ(inspect(more).code, 0);
    return read_file(at("x.svg"));
  };
  EXPECT_THAT(image({}), AllOf(HasSubstr(">head 0<"), HasSubstr(">head 2<"), HasSubstr("Cross-attention")));
  EXPECT_THAT(image({"--head", "1"}), AllOf(HasSubstr(">head 1<"), Not(HasSubstr(">head 0<"))));
  EXPECT_THAT(image({"--head", "mean"}), AllOf(HasSubstr(">mean of 3 heads<"), Not(HasSubstr(">head 0<"))));
}

TEST_F(InspectCommand, says_what_is_wrong) {
  expect_usage_error({}, "give --src TEXT or --src-ids IDS");
  expect_usage_error({"--src", "a", "--src-ids", "4"}, "--src and --src-ids");
  expect_usage_error({"--src", "a", "--tgt", "a", "--tgt-ids", "4"}, "--tgt and --tgt-ids");
  expect_usage_error({"--src", "  "}, "--src is empty");
  expect_usage_error({"--src-ids", " "}, "--src-ids is empty");
  expect_usage_error({"--src-ids", "4 99"}, "'99' is not an id of the vocabulary; give numbers from 0 to");
  expect_usage_error({"--src", "a", "--tgt-ids", "-1"}, "'-1' is not an id");
  expect_usage_error({"--src-ids", "4x"}, "'4x' is not an id");
  expect_usage_error({"--src", "a", "--layer", "2"}, "the decoder has the layers 0 to 1");
  expect_usage_error({"--src", "a", "--attention", "encoder", "--layer", "-1"}, "the encoder has the layers 0 to 0");
  expect_usage_error({"--src", "a", "--head", "3"}, "the heads 0 to 2");
  expect_usage_error({"--src", "a", "--attention", "self"}, "none of encoder, decoder, cross");
  expect_usage_error({"--src", "a", "--out", at("x.png")}, "end in .safetensors, .json or .svg");
  std::string many;
  for (int i = 0; i < 513; ++i) many += "4 ";
  expect_usage_error({"--src-ids", many}, "the source has 513 tokens; give at most 512");
}

TEST_F(InspectCommand, what_the_mask_hides_does_not_look_like_a_zero) {
  const std::vector<std::string> pair{"--src", "a dog", "--tgt", "ein hund"};
  const std::string decoder = inspect(pair + std::vector<std::string>{"--attention", "decoder"}).out;
  EXPECT_THAT(decoder, AllOf(HasSubstr("··│\n"), HasSubstr("   ·· masked\n")));
  EXPECT_THAT(inspect(pair + std::vector<std::string>{"--attention", "encoder"}).out, Not(HasSubstr("masked")));
  ASSERT_EQ(inspect(pair + std::vector<std::string>{"--attention", "decoder", "--out", at("x.svg")}).code, 0);
  EXPECT_THAT(read_file(at("x.svg")), AllOf(HasSubstr("fill=\"url(#masked)\""), HasSubstr(">masked<")));
}

TEST_F(InspectCommand, writes_weights_and_gradients_where_it_is_asked_to) {
  const std::vector<std::string> pair{"--src", "a dog", "--tgt", "ein hund", "--out", at("x.safetensors")};
  ASSERT_EQ(inspect(pair).code, 0);
  const auto has = [&](const char* name) { return SafetensorsFile::open(at("x.safetensors")).find(name) != nullptr; };
  EXPECT_TRUE(has("encoder.layers.0.self_attention.unscaled"));
  EXPECT_FALSE(has("encoder.layers.0.self_attention.query.weight"));
  EXPECT_FALSE(has("loss"));
  ASSERT_EQ(inspect(pair + std::vector<std::string>{"--weights", "--gradients"}).code, 0);
  EXPECT_TRUE(has("encoder.layers.0.self_attention.query.weight"));
  EXPECT_TRUE(has("gradient.encoder.layers.0.self_attention.query.weight"));
  EXPECT_TRUE(has("gradient.decoder.positions"));
  EXPECT_TRUE(has("loss"));
  expect_usage_error({"--src", "a", "--weights"}, "--weights has nowhere to go; give a file that holds numbers");
  expect_usage_error({"--src", "a", "--gradients", "--out", at("x.svg")}, "--gradients has nowhere to go");
}

TEST_F(InspectCommand, shows_two_sources_as_a_padded_batch) {
  const Result r = inspect({"--src", "a dog runs .", "--tgt", "ein", "--beside", "a dog"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("padded to "), HasSubstr("<pad> 0"), HasSubstr("    0 -inf"),
                           HasSubstr("padded.encoder.layers.0.self_attention, source 2, mean of 3 heads"),
                           HasSubstr("<pad>│"), HasSubstr("·· masked")));
  expect_usage_error({"--src", "a", "--tgt", "a", "--beside", " "}, "--beside is empty; give a sentence");
}

TEST_F(InspectCommand, says_where_the_encoder_has_no_attention) {
  save_untrained_model(at("model.safetensors"), vocabulary_, "gru");
  expect_usage_error({"--src", "a", "--attention", "encoder"},
                     "the encoder of this model has no attention, but a gru; give decoder or cross");
  const Result r =
      inspect({"--src", "a dog runs .", "--tgt", "ein", "--beside", "a dog", "--out", at("x.safetensors")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out,
              AllOf(HasSubstr("padded to "), HasSubstr("no picture: the encoder of this model has no attention")));
  const auto file = SafetensorsFile::open(at("x.safetensors"));
  EXPECT_TRUE(file.find("encoder.layers.0.recurrence.onward.update"));
  EXPECT_FALSE(file.find("encoder.layers.0.self_attention.weights"));
}

TEST_F(InspectCommand, lists_a_vocabulary) {
  const Result r = inspect({"--vocabulary", "source"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(testing::StartsWith("0\t<pad>\n1\t<s>\n2\t</s>\n"),
                           HasSubstr(cat("\n4\t", vocabulary_.piece(4), "\n"))));
  EXPECT_EQ(std::count(r.out.begin(), r.out.end(), '\n'), vocabulary_.size());
  EXPECT_EQ(inspect({"--vocabulary", "both"}).code, 2);
}

TEST_F(InspectCommand, a_folder_that_is_missing_is_an_error_of_the_machine) {
  const Result r = inspect({"--src", "a", "--out", at("no/x.svg")});
  EXPECT_EQ(r.code, 1);
  EXPECT_THAT(r.err, HasSubstr("no/x.svg"));
}

}  // namespace
}  // namespace hexapla::cli
