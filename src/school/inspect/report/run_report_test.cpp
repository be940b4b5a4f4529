// report.html is well-formed, complete, and safe for any text in a corpus.
#include "inspect/report/run_report.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "decode/opened/open_model.h"
#include "model/weights/model_file.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::inspect {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class RunReport : public TestFolder {
 protected:
  void write(const std::string& name, const std::string& text) const { std::ofstream(at(name)) << text; }
  void write_logs() const {
    write("train.jsonl",
          "{\"update\": 50, \"loss\": 4.5, \"learning_rate\": 0.001, \"gradient_norm\": 1, \"target_tokens\": 9000, "
          "\"tokens_per_second\": 100}\n"
          "cut short by a cra\n"
          "{\"update\": 100, \"loss\": 2.25, \"learning_rate\": 0.002, \"gradient_norm\": 2, \"target_tokens\": 18000, "
          "\"tokens_per_second\": 100}\n");
    write("valid.jsonl",
          "{\"update\": 50, \"epoch\": 1, \"loss\": 4, \"perplexity\": 9, \"bleu\": 7.5, \"chrf\": 20}\n"
          "{\"update\": 100, \"epoch\": 2, \"loss\": 3, \"perplexity\": 8, \"bleu\": 6.5, \"chrf\": 21, \"samples\": "
          "[[\"a <b> & c\", \"</td><script>alert(1)</script>\", \"b a\"], [\"broken\"]]}\n");
  }
  void write_model(const std::map<std::string, std::string>& history, int64_t learned_positions = 0) const {
    const text::Vocabulary v = text::Vocabulary::train({"a b c d e f g", "g f e d c b a"}, {.size = 14});
    model::Config c;
    c.source_vocab = c.target_vocab = v.size();
    c.enc_layers = c.dec_layers = 1;
    c.d_model = c.d_ff = 4;
    c.heads = 2;
    if (learned_positions > 0) c.positions = "learned", c.max_positions = learned_positions;
    c.resolve();
    model::Transformer net(c);
    model::Parameters memory(net, DType::f32, model::Parameters::Use::inference);
    model::initialize(net, 1);
    model::save_model(at("model.safetensors"), net, {v.bytes(), v.bytes()}, history);
  }
  void expect_well_formed(const std::string& page) const {
    write("page.html", page);
    if (std::system("python3 -c 'import xml.etree.ElementTree' >/dev/null 2>&1") != 0) return;
    EXPECT_EQ(std::system(cat("python3 -c 'import sys, xml.etree.ElementTree as e; e.parse(sys.argv[1])' '",
                              at("page.html"), "'")
                              .c_str()),
              0);
  }
};

TEST_F(RunReport, ShowsTheWholeRunAndNeedsNothingFromElsewhere) {
  write_logs();
  write_model({{"updates", "100"}, {"options", "{\"lr\": 0.5}"}, {"data", "[{\"hash\": \"abc\"}]"}});
  const RunRecord run = read_run(folder(), 1);
  EXPECT_EQ(run.reports.size(), 2u);
  const std::string page = draw_report(run);
  EXPECT_THAT(page, AllOf(HasSubstr("100 updates, 18,000 target tokens, loss 2.2500, best BLEU 7.50 at update 50"),
                          HasSubstr("BLEU and chrF"), HasSubstr("Learning rate"), HasSubstr("Cross-attention"),
                          HasSubstr("<th>options lr</th><td>0.5</td>"), HasSubstr("abc"),
                          HasSubstr("<th>dim-model</th><td>4</td>")));
  EXPECT_THAT(page, AllOf(Not(HasSubstr("src=")), Not(HasSubstr("href=")), Not(HasSubstr("@import")),
                          HasSubstr("prefers-color-scheme: dark")));
  expect_well_formed(page);
}

TEST_F(RunReport, ALineBeyondLearnedPositionsCostsItsPictureAlone) {
  write("valid.jsonl", "{\"update\": 50, \"samples\": [[\"a b c\", \"c b a\", \"c b a\"]]}\n");
  for (const int64_t positions : {5, 6}) {
    write_model({}, positions);
    const text::Vocabulary v = text::Vocabulary::parse(decode::open_model(folder()).file.source_vocabulary, "model");
    ASSERT_EQ(v.encode("a b c").size(), 5u);
    const std::string page = draw_report(read_run(folder(), 1));
    EXPECT_THAT(page, HasSubstr("<td dir=\"auto\">c b a</td>"));
    EXPECT_EQ(page.find("Cross-attention") != std::string::npos, positions == 6) << "with </s> it has 6 tokens";
  }
}

TEST_F(RunReport, TextOfTheCorpusIsNeverMarkup) {
  write_logs();
  const std::string page = draw_report(read_run(folder(), 1));
  EXPECT_THAT(page, AllOf(HasSubstr("a &lt;b&gt; &amp; c"), Not(HasSubstr("<script")), Not(HasSubstr("broken"))));
  expect_well_formed(page);
}

TEST_F(RunReport, SetsAndScriptHaveTheirNumbers) {
  write_logs();
  write(
      "valid.jsonl",
      "{\"update\": 50, \"epoch\": 1, \"loss\": 4, \"bleu\": 7.5, \"chrf\": 20}\n"
      "{\"update\": 100, \"epoch\": 2, \"loss\": 3, \"perplexity\": 8, \"bleu\": 6.5, \"chrf\": 21, \"script\": -0.25, "
      "\"sets\": {\"a<b>.de\": {\"loss\": 2.5, \"bleu\": 11.25}, \"b.de\": {\"loss\": 3.5, \"bleu\": 3.75}, \"c\": 1, "
      "\"d\": {\"bleu\": 1}}, \"signature\": \"BLEU|tok:zh|x\"}\n");
  const std::string page = draw_report(read_run(folder(), 1));
  EXPECT_THAT(page,
              AllOf(HasSubstr("BLEU|tok:zh|x"), HasSubstr("of these a&lt;b&gt;.de"), HasSubstr("11.25"),
                    HasSubstr("of these b.de"), HasSubstr("3.75"), HasSubstr("BLEU by set"), HasSubstr("-0.2500")));
  expect_well_formed(page);
}

TEST_F(RunReport, AFolderWithNothingStillGivesAPage) {
  const std::string page = draw_report(read_run(folder(), 1));
  EXPECT_THAT(page, AllOf(HasSubstr("nothing has been reported yet"), HasSubstr("nothing was recorded")));
  expect_well_formed(page);
}

TEST_F(RunReport, AFinishedRunThatWasTooShortForAReportIsNoRunOfNothing) {
  write_model({{"updates", "30"}});
  const std::string page = draw_report(read_run(folder(), 1));
  EXPECT_THAT(page, AllOf(HasSubstr("a model after 30 updates, fewer than there are between two reports"),
                          Not(HasSubstr("nothing has been reported"))));
  expect_well_formed(page);
}

TEST_F(RunReport, IsWrittenIntoTheFolder) {
  write_logs();
  write_report(folder(), 1);
  EXPECT_THAT(read_file(at("report.html")), HasSubstr("</html>"));
  EXPECT_THAT(what_of<RunError>([&] { write_report(at("none"), 1); }), HasSubstr(at("none/report.html")));
}

}  // namespace
}  // namespace hexapla::inspect
