// Tests of what `hexapla translate` takes from the public library besides translations: the attention that aligns
// words, the text of alignments, shortlists and traces.
#include <gmock/gmock.h>

#include "base/files/test_folder.h"
#include "decode/steps/shortlist.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using test::made_up_lines;
using test::model_file;
using testing::HasSubstr;

TranslatorOptions alignment_options() {
  TranslatorOptions options;
  options.extra_length = 5;
  return options;
}

template <class F>
std::string refusal_of(F&& call) {
  try {
    call();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "";
}

TEST(WordAlignment, IsOfTheAttentionThatTheModelWasOpenedWith) {
  const auto opened = [](const std::string& layer, const std::string& head) {
    ModelOptions options;
    options.alignment_layer = layer, options.alignment_head = head;
    return Translator(model_file(), options);
  };
  const auto weights = [](const Translator& t) { return t.align({"a dog runs"}, {"two cats"})[0].weights.values; };
  const auto usual = weights(Translator(model_file()));
  EXPECT_EQ(weights(opened("0", "")), usual) << "it has one layer, and no guided head";
  EXPECT_EQ(weights(opened("0", "mean")), usual);
  const auto first = weights(opened("", "0")), second = weights(opened("0", "1"));
  EXPECT_NE(first, usual);
  EXPECT_NE(first, second);
  EXPECT_THAT(refusal_of([&] { opened("x", ""); }), HasSubstr("alignment_layer is 'x'"));
  EXPECT_THAT(refusal_of([&] { opened("", "-1"); }), HasSubstr("heads count from 0"));
  EXPECT_NE(refusal_of([&] { opened("7", ""); }), "");
}

TEST(WordAlignment, HasAText) {
  Alignment a;
  a.links = {{1, 0}, {0, 1}};
  a.weights = {3, 3, {0.25, 0.5, 0.25, 0.75, 0.25, 0, 0, 0, 1}};
  EXPECT_EQ(a.text(), "1-0 0-1");
  EXPECT_EQ(a.text("soft"), "0.25,0.5,0.25 0.75,0.25,0 0,0,1");
  EXPECT_EQ(a.text("0.25"), "0-0 1-0 0-1 1-1");
  EXPECT_EQ(a.text("1"), "");
  for (const char* const wrong : {"", "0", "1.5", "harder"})
    EXPECT_THAT(refusal_of([&] { a.text(wrong); }), HasSubstr("must be hard, soft"));
}

using Shortlists = TestFolder;

TEST_F(Shortlists, LimitThePiecesOfTranslations) {
  const text::Vocabulary v = test::small_vocabulary();
  decode::LexicalCounts counts;
  for (int32_t id = 4; id < v.size(); ++id) counts[id][id] = 1;
  decode::make_shortlist(counts, v.size(), 0, 1).write(at("lex"));
  ModelOptions how;
  how.shortlist = at("lex");
  const Translator limited(model_file(), how), free(model_file());
  const std::vector<std::string> lines = made_up_lines(20, 8);
  const auto found = limited.translate_n_best(lines, alignment_options());
  EXPECT_NE(limited.translate(lines, alignment_options()), free.translate(lines, alignment_options()));
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string> allowed = limited.tokens(lines[i]);
    for (const std::string& token : found[i][0].tokens) EXPECT_THAT(allowed, testing::Contains(token));
  }
  EXPECT_THAT(refusal_of([&] { limited.submit(lines); }), HasSubstr("shortlist is for translate()"));
  EXPECT_THAT(refusal_of([&] { limited.translate({"a"}, {}, {{"a", {}, {}}}); }), HasSubstr("shortlist leaves out"));
  EXPECT_THAT(refusal_of([&] { limited.translate({"a"}, {}, {{"", {"a"}, {}}}); }), HasSubstr("shortlist leaves out"));
  EXPECT_EQ(limited.translate(std::vector<std::string>{"a"}, alignment_options(), {{"", {}, {"dog"}}}).size(), 1u);
  TranslatorOptions terms;
  terms.glossary = Glossary({{"dog", "cat"}});
  EXPECT_THAT(refusal_of([&] { limited.translate({"a"}, terms); }), HasSubstr("shortlist leaves out"));
  EXPECT_THAT(refusal_of([&] { limited.trace("a dog"); }), HasSubstr("leave out shortlist"));
  EXPECT_THAT(refusal_of([&] {
                Translator({model_file(), model_file()}, how);
              }),
              HasSubstr("shortlist is for one model"));
  how.target_language = "de";
  EXPECT_THAT(refusal_of([&] { Translator(model_file(), how); }), HasSubstr("knows no languages"));
  how.target_language = "", how.shortlist = at("none");
  EXPECT_THROW(Translator(model_file(), how), DataError);
}

TEST(Traces, AreOfTheTranslatorsSearch) {
  const Translator translator(model_file());
  TranslatorOptions options = alignment_options();
  options.n_best = 2, options.beam_size = 3;
  const std::string line = "a big dog sleeps";
  const SearchTrace trace = translator.trace(line, options);
  const auto found = translator.translate_n_best({line}, options)[0];
  ASSERT_GE(trace.finished.size(), found.size());
  for (size_t i = 0; i < found.size(); ++i) EXPECT_EQ(trace.finished[i].tokens, found[i].tokens);
  EXPECT_THAT(trace.picture, testing::StartsWith("<svg"));
  EXPECT_THAT(trace.table, HasSubstr("</s>"));
  EXPECT_EQ(trace.table, Inspector(model_file()).trace(line, options).table);
  options.coverage_penalty = 0.2;
  EXPECT_THAT(refusal_of([&] { translator.trace(line, options); }), HasSubstr("coverage_penalty"));
  EXPECT_LE(translator.translate_n_best({line}, options)[0][0].coverage, 0);
  EXPECT_THAT(refusal_of([&] { Translator({model_file(), model_file()}).trace(line); }), HasSubstr("one model"));
  EXPECT_NE(refusal_of([&] { translator.trace(""); }), "");
}

}  // namespace
}  // namespace hexapla::api
