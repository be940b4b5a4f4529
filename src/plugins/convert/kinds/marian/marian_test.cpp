// A model in Marian's format (scripts/golden/marian_npz.py) translates as in Marian after import.
#include "convert/kinds/marian/marian.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "convert/texts/plain_yaml.h"
#include "decode/opened/open_model.h"
#include "decode/steps/shortlist.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class MarianModel : public TestFolder {
 protected:
  MarianModel() { fs::copy(source_path("src/plugins/convert/fixtures/marian"), at("m")); }
  void import() const {
    import_model(at("m"), at("out"), {}, [](double) {});
  }
  // The error after replacing a text in one of the folder's files.
  std::string refusal(const std::string& name, const std::string& before, const std::string& after) const {
    const std::string file = at("m/" + name), content = read_file(file);
    const size_t found = content.find(before);
    EXPECT_NE(found, content.npos) << before;
    std::ofstream(file) << std::string(content).replace(found, before.size(), after);
    const std::string what = what_of<DataError>([&] { import(); });
    EXPECT_FALSE(fs::exists(at("out"))) << what;
    std::ofstream(file) << content;
    return what;
  }
};

void expect_marian_translations(const decode::OpenModel& m, const nlohmann::json& lines, const std::string& name,
                                const decode::DecodingOptions& options) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line["text"]);
  const auto found = m.translator().translate(texts, options.translate_options());
  for (size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::string> pieces;
    for (const int32_t id : found[i].front().ids) pieces.push_back(m.target.piece(id));
    EXPECT_EQ(pieces, lines[i][name].get<std::vector<std::string>>()) << name << " of " << texts[i];
  }
}

TEST_F(MarianModel, TranslatesAsMarianDoes) {
  import();
  const decode::OpenModel m = decode::open_model(at("out"));
  EXPECT_EQ(m.file.config.positions.text(), "timing-signal");
  const nlohmann::json lines = nlohmann::json::parse(read_file(at("m/golden.json")));
  ASSERT_GE(lines.size(), 15u);
  decode::DecodingOptions options = search_of(m);
  EXPECT_EQ(options.beam_size, 4);
  EXPECT_EQ(options.stop_when.text(), "shrinking");
  options.extra_length = 200;
  expect_marian_translations(m, lines, "best", options);
  options.beam_size = 1;
  expect_marian_translations(m, lines, "greedy", options);
}

// 8-bit weights in Marian's own container, an SSRU, a shortlist (scripts/golden/marian_ssru.py).
class FirefoxModel : public MarianModel {
 protected:
  FirefoxModel() { fs::copy(source_path("src/plugins/convert/fixtures/marian_ssru"), at("f")); }
  void import_firefox() const {
    import_model(at("f"), at("out"), {}, [](double) {});
  }
  std::string firefox_refusal(const std::string& before, const std::string& after) const {
    const std::string file = at("f/model.intgemm.alphas.bin"), content = read_file(file);
    const size_t found = content.find(before);
    EXPECT_NE(found, content.npos) << before;
    std::ofstream(file) << std::string(content).replace(found, before.size(), after);
    const std::string what = what_of<DataError>([&] { import_firefox(); });
    std::ofstream(file) << content;
    return what;
  }
};

TEST_F(FirefoxModel, TranslatesAsMarianDoes) {
  import_firefox();
  const decode::OpenModel m = decode::open_model(at("out"));
  EXPECT_EQ(m.file.config.decoder_mixing.text(), "ssru");
  const nlohmann::json lines = nlohmann::json::parse(read_file(at("f/golden.json")));
  ASSERT_GE(lines.size(), 40u);
  EXPECT_EQ(search_of(m).beam_size, 1);
  for (const auto& [name, beam] : {std::pair{"greedy", 1}, {"best", 4}}) {
    decode::DecodingOptions options = search_of(m, beam);
    options.extra_length = 200;
    expect_marian_translations(m, lines, name, options);
  }
}

bool all_listed(const decode::Shortlist& list, const decode::OpenModel& m, const nlohmann::json& line) {
  const text::Ids allowed = list.allowed(m.source.encode(line["text"].get<std::string>()));
  std::set<std::string> pieces;
  for (const int32_t id : allowed) pieces.insert(m.target.piece(id));
  return std::ranges::all_of(line["listed"], [&](const auto& piece) { return pieces.contains(piece); });
}

TEST_F(FirefoxModel, TranslatesWithItsShortlistAsMarianDoes) {
  import_firefox();
  const decode::OpenModel m = decode::open_model(at("out"));
  const std::string file = at("f/lex.s2t.bin");
  const decode::Shortlist list(decode::ShortlistTable::read(file), m.source, m.target, file);
  const nlohmann::json lines = nlohmann::json::parse(read_file(at("f/golden.json")));
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line["text"]);
  decode::TranslateOptions options;
  options.search.beam_size = 1;
  options.search.longest_ratio = 2.5;
  options.search.extra_length = 200;
  options.search.shortlist = &list;
  const auto found = m.translator().translate(texts, options);
  size_t others = 0, compared = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!all_listed(list, m, lines[i])) continue;  // Marian pads its lists to a multiple of eight pieces
    ++compared;
    std::vector<std::string> pieces;
    for (const int32_t id : found[i].front().ids) pieces.push_back(m.target.piece(id));
    EXPECT_EQ(pieces, lines[i]["listed"].get<std::vector<std::string>>()) << texts[i];
    others += lines[i]["listed"] != lines[i]["greedy"];
  }
  EXPECT_GT(others, 0u);  // the list has an effect
  EXPECT_GT(compared, 40u);
}

TEST_F(FirefoxModel, NeedsNoSettingsWhereItsFilesAreNamedAsFirefoxHasThem) {
  fs::remove(at("f/config.intgemm8bitalpha.yml"));
  import_firefox();
  EXPECT_EQ(decode::open_model(at("out")).file.config.dec_layers, 2);
  fs::remove(at("f/vocab.spm"));
  EXPECT_THAT(what_of<DataError>([&] { import_firefox(); }), HasSubstr("no vocab*.spm"));
}

// Marian counts layers from 1, and always uses the first head.
TEST_F(FirefoxModel, AlignsWordsByTheLayerThatItsSettingsName) {
  import_firefox();
  model::Usage usage = model::load_model(at("out")).usage;
  EXPECT_EQ(usage.alignment_layer, 1);  // the last
  EXPECT_EQ(usage.alignment_head, 0);
  const std::string file = at("f/model.intgemm.alphas.bin");
  std::string content = read_file(file);
  const std::string key = "transformer-guided-alignment-layer: ";
  content.replace(content.find(key), key.size() + 4, key + "1   ");
  std::ofstream(file) << content;
  import_firefox();
  usage = model::load_model(at("out")).usage;
  EXPECT_EQ(usage.alignment_layer, 0);
  EXPECT_THAT(firefox_refusal(key + "1", key + "3"), HasSubstr("'transformer-guided-alignment-layer' is '3'"));
  content.replace(content.find(key), key.size(), "transformer-guided-alignment-layex: ");
  std::ofstream(file) << content;
  EXPECT_THAT(what_of<DataError>([&] { import_firefox(); }),
              HasSubstr("the key 'transformer-guided-alignment-layex' is unknown"));
}

TEST_F(FirefoxModel, NamesItsShortlist) {
  EXPECT_THAT(import_model(at("f"), at("out"), {}, [](double) {}).notes,
              testing::Contains(HasSubstr("the shortlist lex.s2t.bin")));
}

TEST_F(FirefoxModel, OtherCellsAreRefusedByName) {
  EXPECT_THAT(firefox_refusal("dec-cell: ssru", "dec-cell: gru "), HasSubstr("'dec-cell' is 'gru'"));
  EXPECT_THAT(firefox_refusal("autoreg: rnn", "autoreg: aan"), HasSubstr("'transformer-decoder-autoreg' is 'aan'"));
  EXPECT_THAT(firefox_refusal("decoder_l1_rnn_Wf", "decoder_l1_rnn_Wx"), HasSubstr("decoder_l1_rnn_W"));
}

TEST_F(MarianModel, WhatIsDamagedOrOfAnotherKindIsRefused) {
  EXPECT_THAT(refusal("decoder.yml", "models:\n  - model.npz", "models: [a.npz, b.npz]"), HasSubstr("names 2 files"));
  EXPECT_THAT(refusal("decoder.yml", "vocabs:\n  - vocab.yml", "vocabs:"), HasSubstr("'vocabs' is 'vocab.yml'"));
  EXPECT_THAT(refusal("decoder.yml", "beam-size: 4", "beam-size: x"), HasSubstr("'beam-size' is 'x'"));
  EXPECT_THAT(refusal("decoder.yml", "beam-size: 4", "beam-size:\n  deep: 4"), HasSubstr("decoder.yml:8"));
  EXPECT_THAT(refusal("decoder.yml", "beam-size: 4", "beam-syze: 4"), HasSubstr("the key 'beam-syze' is unknown"));
  EXPECT_THAT(refusal("decoder.yml", "beam-size: 4", "allow-special: true"), HasSubstr("'allow-special' is 'true'"));
  EXPECT_THAT(refusal("vocab.yml", "\"</s>\": 0", "\"</s>\": 1"), HasSubstr("the id 1 has two pieces"));
  EXPECT_THAT(refusal("vocab.yml", "\"</s>\": 0", "\"</s>\": 1000"), HasSubstr("the id is 1000"));
  EXPECT_THAT(refusal("vocab.yml", "\"</s>\": 0", "nothing"), HasSubstr("vocab.yml:1"));
  EXPECT_THAT(refusal("vocab.yml", "\"</s>\"", "\"<end>\""), HasSubstr("has no piece </s>"));
  fs::remove(at("m/source.spm"));
  EXPECT_THAT(what_of<DataError>([&] { import(); }), HasSubstr("source.spm"));
}

TEST_F(MarianModel, OnlyFilesOfItsFolderAreOpened) {
  EXPECT_THAT(refusal("decoder.yml", "- vocab.yml", "- /etc/passwd"),
              AllOf(HasSubstr(at("m/passwd")), testing::Not(HasSubstr("/etc/"))));
}

TEST(PlainYaml, ReadsWhatMarianWrites) {
  const PlainYaml yaml("---\na: 1\nb: \"x \\\"y\\\"\"\nlist:\n  - 'it''s'\n  - 2\nshort: [u, v]\nempty:\n  []\n", "y");
  EXPECT_EQ(yaml.whole("a", {0, 5}), 1);
  EXPECT_EQ(yaml.word("b", ""), "x \"y\"");
  EXPECT_EQ(yaml.list("list"), (std::vector<std::string>{"it's", "2"}));
  EXPECT_EQ(yaml.list("short"), (std::vector<std::string>{"u", "v"}));
  EXPECT_TRUE(yaml.list("empty").empty());
}

}  // namespace
}  // namespace hexapla::convert
