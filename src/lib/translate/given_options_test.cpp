// Given, recorded and default values of options are distinct; options without effect are refused by
// name.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "hexapla/hexapla.h"
#include "lib/options.h"
#include "lib/test_models.h"
#include "lib/translate/translator_options.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using testing::HasSubstr;

class GivenOptions : public TestFolder {
 protected:
  // The test model with recorded search defaults.
  std::string recorded(const std::map<std::string, std::string>& values) {
    const std::string file = at(std::to_string(++files_));
    test::save_recorded(file, values);
    return file;
  }
  std::string quantized() {
    Model::load(test::model_file()).save_quantized(at("q"));
    return at("q");
  }

 private:
  int files_ = 0;
};

// A value other than the default that is valid with the other defaults.
std::string other_value(const OptionRow& row) {
  const std::string name = row.name, usual = row.in_one_line();
  if (const Choices* all = row.choices()) return all->back() == usual ? all->front() : all->back();
  if (std::holds_alternative<double*>(row.field)) return "0.25";
  return name == "max-length" || name.starts_with("batch") ? "17" : "3";
}

std::map<std::string, std::string> words_of(TranslatorOptions options) {
  std::map<std::string, std::string> words;
  for (const PublicOption& option : public_rows(options))
    if (const auto value = option.value(); value && !value->words().empty())
      words[option.name] = value->words().front();
  return words;
}

TEST_F(GivenOptions, EachIsGivenRecordedOrUsual) {
  decode::DecodingOptions usual;
  int options = 0;
  for (const OptionRow& row :
       without(usual.rows_of_search(), {"precision"})) {  // an option of a translator, not a call
    const std::string name = row.name;
    if (row.is_list()) {
      EXPECT_EQ(name, "protect-pattern") << "no model records it";
      continue;
    }
    const std::string other = other_value(row), word = row.in_one_line();
    const Translator plain(test::model_file()), with_record(recorded({{name, other}}));
    const auto value = [&](const Translator& t, const TranslatorOptions& o) {
      return words_of(t.complete(o)).at(name);
    };
    EXPECT_EQ(value(plain, {}), word) << name << ": usual";
    EXPECT_EQ(value(with_record, {}), other) << name << ": recorded";
    EXPECT_EQ(value(with_record, TranslatorOptions::from({{name, word}})), word) << name << ": given, although usual";
    EXPECT_EQ(value(plain, TranslatorOptions::from({{name, other}})), other) << name << ": given";
    const Translator of_server(recorded({{name, other}}), {.search = {{name, word}}});
    EXPECT_EQ(value(of_server, {}), word) << name << ": a program's own, before what is recorded";
    ++options;
  }
  EXPECT_GT(options, 15);
}

TEST_F(GivenOptions, OfTheUsualBeamSearchesWithIt) {
  const Translator greedy(recorded({{"beam-size", "1"}})), plain(test::model_file());
  const std::vector<std::string> lines = made_up_lines(8, 3);
  TranslatorOptions four;
  four.beam_size = 4, four.extra_length = 5;
  EXPECT_EQ(greedy.translate(lines, four), plain.translate(lines, four));
  TranslatorOptions several = four;
  several.n_best = 3;
  EXPECT_EQ(greedy.translate_n_best(lines, several)[0].size(), 3u);
  EXPECT_EQ(greedy.submit(lines, several).get()[0].size(), 3u);
  TranslatorOptions without;
  without.extra_length = 5;
  TranslatorOptions one = without;
  one.beam_size = 1;
  EXPECT_EQ(greedy.translate(lines, without), plain.translate(lines, one)) << "what is not given is as recorded";
  const Translator wide(recorded({{"beam-size", "6"}}));
  EXPECT_EQ(wide.translate_n_best({"a dog"}, TranslatorOptions::from({{"n_best", 6}, {"extra_length", 5}}))[0].size(),
            6u);
}

TEST_F(GivenOptions, ThatACallHasNoUseForAreRefusedByName) {
  const Translator t(test::model_file());
  const auto refused = [](const char* option, const std::function<void()>& call) {
    try {
      call();
      ADD_FAILURE() << option << " was ignored";
    } catch (const UsageError& e) {
      EXPECT_EQ(e.option(), option) << e.what();
      EXPECT_THAT(e.what(), HasSubstr(option));
    }
  };
  const auto with = [](const char* name, const OptionValue& value) { return TranslatorOptions::from({{name, value}}); };
  refused("n_best", [&] { t.translate("a", with("n_best", 2)); });
  refused("n_best", [&] { t.translate(std::vector<std::string>{"a"}, with("n_best", 2)); });
  refused("alignment", [&] { t.translate("a", with("alignment", "words")); });
  refused("alignment", [&] { t.score({"a"}, {"a"}, with("alignment", "words")); });
  for (const char* name : {"batch_sentences", "batch_tokens"}) refused(name, [&] { t.submit({"a"}, with(name, 3)); });
  for (const char* name : {"beam_size", "n_best", "min_length", "extra_length"}) {
    refused(name, [&] { t.score({"a"}, {"a"}, with(name, 2)); });
    refused(name, [&] { t.score_tokens({"a"}, {"a"}, with(name, 2)); });
    refused(name, [&] { t.align({"a"}, {"a"}, with(name, 2)); });
  }
  refused("length_penalty", [&] { t.align({"a"}, {"a"}, with("length_penalty", 1.0)); });
  refused("temperature", [&] {
    TranslatorOptions o;
    o.temperature = 0.5;
    t.translate("a", o);
  });
  EXPECT_NO_THROW(t.translate("a", TranslatorOptions::from({{"n_best", 1}, {"alignment", ""}, {"extra_length", 2}})));
  EXPECT_NO_THROW(t.score({"a"}, {"a"}, with("length_penalty", 1.0)));
}

// Whatever set of options it is for: shortened, or with a wrong letter.
TEST_F(GivenOptions, ThatAreUnknownGetTheNearestName) {
  const auto suggested = [](const OptionDescription& known, const auto& call) {
    const size_t end = known.name.find('_');
    std::string wrong = known.name;
    wrong.back() = wrong.back() == 'x' ? 'y' : 'x';
    EXPECT_THAT(what_of<UsageError>([&] { call({{wrong, "1"}}); }), HasSubstr("did you mean '")) << wrong;
    return end != known.name.npos && what_of<UsageError>([&] {
                                       call({{known.name.substr(0, end), "1"}});
                                     }).find("'" + known.name + "'") != std::string::npos;
  };
  const auto all = [&](const std::vector<OptionDescription>& known, const std::function<void(Options)>& call) {
    int found = 0;
    for (const OptionDescription& option : known)
      if (option.name.size() > 4) found += suggested(option, call);
    return found;
  };
  EXPECT_GT(all(search_options(), [](const Options& o) { TranslatorOptions::from(o); }), 5) << "beam: beam_size";
  EXPECT_GT(all(training_options(), [](const Options& o) { const Trainer t(o); }), 5);
  all(import_options(), [&](const Options& o) { import_model(at("none"), at("m"), o); });
  all(export_options(), [&](const Options& o) { export_model(test::model_file(), at("e"), "marian", o); });
}

TEST_F(GivenOptions, APrecisionDoesNothingToIntegers) {
  const std::string file = quantized();
  for (const char* precision : {"f32", "bf16"}) {
    try {
      const Translator t(file, {.precision = precision});
      ADD_FAILURE() << precision << " was ignored";
    } catch (const UsageError& e) {
      EXPECT_EQ(e.option(), "precision") << e.what();  // or the processor has no bf16
    }
  }
  EXPECT_NO_THROW(Translator{file});
  EXPECT_NO_THROW(Translator(test::model_file(), {.precision = "f32"}));
}

TEST_F(GivenOptions, OneModelHasNoUseForThoseOfAnEnsemble) {
  EXPECT_THAT(what_of<UsageError>([] { const Translator t(test::model_file(), {.weights = {1}}); }),
              HasSubstr("weights is for several models"));
  EXPECT_THAT(what_of<UsageError>([] { const Translator t(test::model_file(), {.ensemble = "log-linear"}); }),
              HasSubstr("ensemble is for several models"));
}

TEST_F(GivenOptions, AListIsNoSingleValue) {
  for (const OptionValue& list : {OptionValue({"2", "9"}), OptionValue{"4"}, OptionValue(std::vector<double>{3})})
    EXPECT_THAT(what_of<UsageError>([&] { TranslatorOptions::from({{"beam_size", list}}); }), HasSubstr("is a list"));
  EXPECT_THAT(what_of<UsageError>([&] {
                TranslatorOptions::from({{"alignment", OptionValue({"words", "pieces"})}});
              }),
              HasSubstr("is a list"));
  EXPECT_THAT(what_of<UsageError>([&] {
                Trainer(Options{{"lr", OptionValue({"1", "2"})}, {"model", "run"}});
              }),
              HasSubstr("lr is a list (1 2), but takes a single value"));
}

}  // namespace
}  // namespace hexapla::api
