#include "serve/look/look.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "lib/test_models.h"
#include "serve/look/request.h"

namespace hexapla::serve {
namespace {

using api::test::model_file;
using nlohmann::json;
using testing::HasSubstr;

const Inspector& usual_inspector() {
  static const Inspector one(model_file());
  return one;
}

std::string refusal(const json& request) {
  return what_of<UsageError>([&] { inspect(usual_inspector(), request); });
}

TEST(LookInspect, GivesTheNumbersOfAnInspection) {
  const Inspection seen = usual_inspector().inspect("a dog runs", "two cats");
  const Answer answer =
      inspect(usual_inspector(), {{"q", "a dog runs"}, {"t", "two cats"}, {"tensors", {"*.weights", "*.output"}}});
  EXPECT_EQ(answer["source_tokens"], seen.source_tokens);
  EXPECT_EQ(answer["target_tokens"], seen.target_tokens);
  EXPECT_EQ(answer["predicted"].back(), "</s>");
  EXPECT_EQ(answer["log_probabilities"].size(), answer["predicted"].size());
  EXPECT_EQ(answer["names"].size(), seen.tensors.size());
  int tensors = 0;
  for (const auto& [name, array] : seen.tensors) {
    if (!name.ends_with(".weights") && !name.ends_with(".output")) continue;
    ++tensors;
    const Answer& given = answer["tensors"][name];
    EXPECT_EQ(given["shape"], array.shape);
    ASSERT_EQ(given["values"].size(), array.values.size()) << name;
    for (std::size_t i = 0; i < array.values.size(); ++i)
      EXPECT_EQ(static_cast<float>(given["values"][i].get<double>()), static_cast<float>(array.values[i])) << name;
  }
  EXPECT_EQ(answer["tensors"].size(), static_cast<std::size_t>(tensors));
  EXPECT_GE(tensors, 8);
}

// The tokens of the letters of "cats" apart, which the word's own tokens are not.
std::vector<std::string> other_tokens() {
  const Inspection seen = usual_inspector().inspect("a dog", "c a t s");
  return {seen.target_tokens.begin() + 1, seen.target_tokens.end()};
}

TEST(LookInspect, ReadsATranslationByItsTokens) {
  const Inspection seen = usual_inspector().inspect("a dog runs", "two cats");
  const std::vector<std::string> own(seen.target_tokens.begin() + 1, seen.target_tokens.end());
  EXPECT_EQ(inspect(usual_inspector(), {{"q", "a dog runs"}, {"tokens", own}}),
            inspect(usual_inspector(), {{"q", "a dog runs"}, {"t", "two cats"}}));
  const Answer others = inspect(usual_inspector(), {{"q", "a dog runs"}, {"tokens", other_tokens()}});
  std::vector<std::string> predicted = other_tokens();
  predicted.push_back("</s>");
  EXPECT_EQ(others["predicted"], Answer(predicted));
  EXPECT_EQ(inspect(usual_inspector(), {{"q", "a dog"}, {"tokens", json::array()}})["predicted"], Answer({"</s>"}));
}

TEST(LookInspect, GivesTheMostProbableTokensOfEachPosition) {
  const Answer answer = inspect(
      usual_inspector(),
      {{"q", "a dog"}, {"t", "two"}, {"top", 3}, {"tensors", {"generator.log_probabilities", "generator.logits"}}});
  const std::vector<double> all = answer["tensors"]["generator.log_probabilities"]["values"];
  const std::vector<double> logits = answer["tensors"]["generator.logits"]["values"];
  ASSERT_EQ(answer["top"].size(), answer["predicted"].size());
  const std::size_t columns = all.size() / answer["top"].size();
  for (std::size_t row = 0; row < answer["top"].size(); ++row) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(row * columns);
    std::vector<double> sorted(begin, begin + static_cast<std::ptrdiff_t>(columns));
    std::sort(sorted.rbegin(), sorted.rend());
    ASSERT_EQ(answer["top"][row].size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      const Answer& token = answer["top"][row][i];
      EXPECT_EQ(token["log_probability"], sorted[i]);
      EXPECT_EQ(token["logit"], logits[row * columns + token["id"].get<std::size_t>()]);
      if (token["token"] == answer["predicted"][row]) {
        EXPECT_EQ(token["log_probability"], answer["log_probabilities"][row]);
      }
    }
  }
  EXPECT_FALSE(inspect(usual_inspector(), {{"q", "a"}, {"t", "two"}}).contains("top"));
}

std::ptrdiff_t significant_digits(const std::string& number) {
  const std::string digits = number.substr(0, number.find('e'));
  const auto first = std::find_if(digits.begin(), digits.end(), [](char c) { return c >= '1' && c <= '9'; });
  return std::count_if(first, digits.end(), [](char c) { return c != '.'; });
}

TEST(LookInspect, NumbersAreShortAndMinusInfinityIsNull) {
  const std::string mask = json_text(
      inspect(usual_inspector(),
              {{"q", "a"}, {"t", "two"}, {"tensors", {"decoder.layers.0.self_attention.scores"}}})["tensors"]);
  EXPECT_THAT(mask, HasSubstr(",null,"));
  const Answer answer = inspect(usual_inspector(), {{"q", "a dog"}, {"t", "two"}, {"tensors", {"*.weights"}}});
  const Answer& values = answer["tensors"]["encoder.layers.0.self_attention.weights"]["values"];
  std::ptrdiff_t digits = 0;
  for (const Answer& v : values) digits += significant_digits(json_text(v));
  EXPECT_LE(digits, 10 * std::ssize(values)) << "nine, but for a few that JSON writes longer";
}

TEST(LookInspect, NamesComeWithFormulasAndWithoutNumbers) {
  const Answer answer = inspect(usual_inspector(), {{"q", "a dog"}});
  EXPECT_TRUE(answer["tensors"].is_object() && answer["tensors"].empty());
  EXPECT_FALSE(answer["target_tokens"].empty()) << "translated first";
  for (const Answer& name : answer["names"]) EXPECT_NE(name["formula"], "") << name["name"];
}

TEST(LookInspect, RefusesWhatIsWrongAndNamesIt) {
  EXPECT_THAT(refusal(json::array()), HasSubstr("JSON object"));
  EXPECT_THAT(refusal({{"t", "a"}}), HasSubstr("\"q\" is missing"));
  EXPECT_THAT(refusal({{"q", 3}}), HasSubstr("\"q\" must be a text, not number"));
  EXPECT_THAT(refusal({{"q", " "}}), HasSubstr("the source is empty"));
  EXPECT_THAT(refusal({{"q", "a"}, {"tensors", "x"}}), HasSubstr("\"tensors\" must be a list"));
  EXPECT_THAT(refusal({{"q", "a"}, {"tensors", {"nothing"}}}), HasSubstr("names no tensor"));
  EXPECT_THAT(refusal({{"q", "a"}, {"tensors", std::vector<std::string>(101, "*")}}), HasSubstr("at most 100"));
  EXPECT_THAT(refusal({{"q", "a"}, {"tokens", {"\u0e44\x1b"}}}), HasSubstr("has no token"));
  EXPECT_THAT(refusal({{"q", "a"}, {"t", "a"}, {"tokens", {"a"}}}), HasSubstr("not both"));
  EXPECT_THAT(refusal({{"q", "a"}, {"tokens", std::vector<std::string>(129, "a")}}), HasSubstr("at most 128"));
  for (const json& top : {json(-1), json(51), json(1.5), json("3")})
    EXPECT_THAT(refusal({{"q", "a"}, {"top", top}}), HasSubstr("\"top\" must be a whole number from 0 to 50"));
  std::string longest;
  for (int i = 0; i < 200; ++i) longest += "dog ";
  EXPECT_THAT(refusal({{"q", longest}}), HasSubstr("at most 128"));
}

TEST(LookTrace, GivesTheStepsOfASearch) {
  TranslatorOptions options;
  options.beam_size = options.n_best = 3;
  options.extra_length = 5;
  const SearchTrace found = usual_inspector().trace("a dog runs", options);
  const Answer answer = trace(
      usual_inspector(), {{"q", "a dog runs"}, {"options", {{"beam_size", 3}, {"n-best", 3}, {"extra_length", 5}}}});
  ASSERT_EQ(answer["steps"].size(), found.steps.size());
  EXPECT_EQ(answer["ending"], found.ending);
  EXPECT_EQ(answer["source_tokens"], found.source_tokens);
  EXPECT_EQ(answer["finished"].size(), 3u);
  EXPECT_EQ(answer["finished"][0]["text"], found.finished[0].text);
  for (std::size_t i = 0; i < found.steps.size(); ++i) {
    const Answer& step = answer["steps"][i];
    ASSERT_EQ(step["candidates"].size(), found.steps[i].candidates.size());
    EXPECT_EQ(step["beams"].size(), found.steps[i].beams.size());
    for (std::size_t c = 0; c < found.steps[i].candidates.size(); ++c) {
      const SearchCandidate& candidate = found.steps[i].candidates[c];
      EXPECT_EQ(step["candidates"][c]["token"], candidate.token);
      EXPECT_EQ(step["candidates"][c]["from"], candidate.beam);
      EXPECT_EQ(step["candidates"][c]["score"], candidate.score);
      EXPECT_EQ(step["candidates"][c]["kept"], candidate.fate == "goes on" || candidate.fate == "finished");
    }
  }
}

TEST(LookTrace, EndsWhateverLengthIsAskedFor) {
  const Answer answer = trace(
      usual_inspector(), {{"q", "a"}, {"options", {{"beam_size", 1}, {"extra_length", 100000}, {"longest", 100000}}}});
  EXPECT_EQ(answer["steps"].size(), static_cast<std::size_t>(kLongestSide) + 1);  // the last step is </s>
  EXPECT_EQ(answer["ending"], "longest");
}

TEST(LookTrace, RefusesWhatItCannotShow) {
  const auto traced = [](const json& options) {
    return what_of<UsageError>([&] { trace(usual_inspector(), {{"q", "a"}, {"options", options}}); });
  };
  EXPECT_THAT(traced({{"beam_size", 17}}), HasSubstr("at most 16"));
  EXPECT_THAT(traced({{"beam_size", "many"}}), HasSubstr("beam_size"));
  EXPECT_THAT(traced({{"beam_sise", 2}}), HasSubstr("beam_size")) << "the nearest";
  EXPECT_THAT(traced({{"sample", true}}), HasSubstr("plain beam search"));
  EXPECT_THAT(traced(json::array({1})), HasSubstr("must be an object"));
  EXPECT_THAT(traced({{"beam_size", json::array({1})}}), HasSubstr("must be a number"));
}

TEST(LookRequest, OptionsAreThoseOfATranslator) {
  const TranslatorOptions options = options_member(
      json{{"options", {{"beam_size", 7}, {"length-penalty", 0.25}, {"unk", "copy"}, {"alignment", "words"}}}});
  EXPECT_EQ(options.beam_size, 7);
  EXPECT_EQ(options.length_penalty, 0.25);
  EXPECT_EQ(options.unk, "copy");
  EXPECT_EQ(options.alignment, "words");
  EXPECT_FALSE(options_member(json::object()).beam_size) << "not given";
  EXPECT_FALSE(options_member(json{{"options", nullptr}}).beam_size);
}

}  // namespace
}  // namespace hexapla::serve
