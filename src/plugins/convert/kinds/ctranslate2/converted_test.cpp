// Models written by CTranslate2's converters, and one of its first version
// (scripts/golden/ctranslate2_converted.py): they translate as CTranslate2 does with the tokens
// that its callers add.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <sstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "decode/opened/open_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::string ct2_folder(const std::string& name) { return source_path("src/plugins/convert/fixtures/ct2_" + name); }

ImportOptions options_of(const std::string& name) {
  ImportOptions options;
  if (name == "m2m") options.source_language = "en", options.target_language = "de";
  if (name == "mbart") options.source_language = "en_XX", options.target_language = "de_DE";
  if (name == "nllb") options.source_language = "eng_Latn", options.target_language = "deu_Latn";
  return options;
}

// Whole words contain SentencePiece's mark here.
std::string joined_pieces(const decode::OpenModel& m, const text::Ids& ids, bool words) {
  std::string line;
  for (const int32_t id : ids) {
    const std::string piece = m.target.piece(id);
    if (id == m.target.opening()) continue;
    line += (line.empty() ? "" : " ") + (words && piece.starts_with("\u2581") ? piece.substr(3) : piece);
  }
  return line;
}

std::vector<float> log_softmax_rows(std::vector<float> logits, int32_t width) {
  const auto columns = static_cast<size_t>(width);
  for (size_t row = 0; row < logits.size(); row += columns) {
    double sum = 0;
    for (size_t i = 0; i < columns; ++i) sum += std::exp(double(logits[row + i]));
    for (size_t i = 0; i < columns; ++i) logits[row + i] -= static_cast<float>(std::log(sum));
  }
  return logits;
}

class Converted : public TestFolder, public testing::WithParamInterface<const char*> {
 protected:
  Converted() {
    import_model(ct2_folder(GetParam()), at("m"), options_of(GetParam()), [](double) {});
  }
  bool words() const { return std::string(GetParam()) == "first"; }
};
INSTANTIATE_TEST_SUITE_P(Models, Converted, testing::Values("argos", "bart", "first", "mbart", "opus", "m2m", "nllb"),
                         [](const auto& p) { return std::string(p.param); });

TEST_P(Converted, TranslatesAsCTranslate2Does) {
  const decode::OpenModel m = decode::open_model(at("m"));
  const nlohmann::json lines = golden_lines(ct2_folder(GetParam()));
  ASSERT_EQ(lines.size(), 200u);
  decode::DecodingOptions options = search_of(m);
  EXPECT_EQ(options.length_normalization.text(), "power");
  options.sentences = "keep", options.letter_case = "keep";  // its callers give it the whole line
  options.longest = 60, options.length_penalty = 1, options.min_length = m.target.opening() >= 0 ? 1 : 0;
  for (const auto& [name, beam] : {std::pair{"greedy", 1}, {"beam", 4}}) {
    options.beam_size = beam;
    const auto found = m.translator().translate(golden_texts(lines), options.translate_options());
    for (size_t i = 0; i < lines.size(); ++i)
      EXPECT_EQ(joined_pieces(m, found[i].front().ids, words()), lines[i][name].get<std::string>())
          << name << " of " << lines[i]["text"];
  }
}

TEST_P(Converted, LogProbabilitiesAreTheSame) {
  const decode::OpenModel m = decode::open_model(at("m"));
  std::map<std::string, int32_t> ids;
  for (int32_t id = 0; id < m.target.size(); ++id) ids[joined_pieces(m, {id}, words())] = id;
  size_t compared = 0;
  for (const auto& line : golden_lines(ct2_folder(GetParam()))) {
    if (!line.contains("scores")) continue;
    text::Ids source = m.source.encode(line["text"].get<std::string>()), in{m.target.bos()};
    m.source.end_source(source);
    if (m.target.opening() >= 0) in.push_back(m.target.opening());
    const size_t before = in.size();
    std::istringstream pieces(line["beam"].get<std::string>());
    for (std::string piece; pieces >> piece;) in.push_back(ids.at(piece));
    const std::vector<float> all = log_softmax_rows(logits_of_pair(m, source, in), m.target.size());
    const auto expected = line["scores"].get<std::vector<float>>();
    ASSERT_EQ(expected.size(), in.size() - before + 1);
    for (size_t t = 0; t < expected.size(); ++t) {
      const int32_t next = t + before < in.size() ? in[t + before] : m.target.eos();
      const size_t row = t + before - 1;
      EXPECT_NEAR(all[row * static_cast<size_t>(m.target.size()) + static_cast<size_t>(next)], expected[t], 1e-4)
          << line["text"] << " " << t;
    }
    compared += expected.size();
  }
  EXPECT_GT(compared, 200u);
}

class ConvertedFolder : public TestFolder {
 protected:
  decode::OpenModel imported(const std::string& name) {
    notes_ = import_model(ct2_folder(name), at(name), options_of(name), [](double) {}).notes;
    return decode::open_model(at(name));
  }
  std::vector<std::string> notes_;
};

TEST_F(ConvertedFolder, SourcesEndAsTheFilesSay) {
  EXPECT_TRUE(imported("argos").source.open_ended());
  EXPECT_THAT(notes_, Contains(HasSubstr("sources do not end with </s>")));
  EXPECT_FALSE(imported("opus").source.open_ended());
  EXPECT_THAT(notes_, Contains(HasSubstr("which the tokenizer of transformers adds")));
}

TEST_F(ConvertedFolder, APackageIsSearchedAsArgosTranslateDoes) {
  const decode::OpenModel m = imported("argos");
  EXPECT_EQ(m.file.usage.search.at("length-penalty"), "0.2");
  EXPECT_EQ(m.file.usage.search.at("beam-size"), "4");
  import_model(ct2_folder("argos") + "/model", at("inner"), {}, [](double) {});
  EXPECT_EQ(read_file(at("inner")), read_file(at("argos"))) << "the package's files are found from inside, too";
}

// In most files the first head of the last layer is only a default; Marian's models train it.
TEST_F(ConvertedFolder, WordsAreAlignedAsWhereTheModelIsFrom) {
  EXPECT_FALSE(imported("argos").file.usage.alignment_layer.has_value());
  const decode::OpenModel opus = imported("opus");
  EXPECT_EQ(opus.file.usage.alignment_layer, opus.file.config.dec_layers - 1);
  EXPECT_EQ(opus.file.usage.alignment_head, 0);
}

TEST_F(ConvertedFolder, ZerosBeginTranslationsOfMarian) {
  const decode::OpenModel m = imported("opus");
  EXPECT_EQ(m.target.piece(m.target.bos()), "<start>");
  const auto table = m.file.net->target_embedding().table.value.values<float>();
  EXPECT_THAT(std::vector<float>(table.end() - m.file.config.d_model, table.end()), testing::Each(0.F));
}

TEST_F(ConvertedFolder, LanguagesAreRecognized) {
  const decode::OpenModel m = imported("m2m");
  EXPECT_THAT(m.target.languages(), Contains("de"));
  EXPECT_EQ(m.target.piece(m.target.opening()), ">>de<<");
  EXPECT_EQ(m.source.piece(m.source.opening()), ">>en<<");
  EXPECT_THAT(
      what_of<UsageError>([&] { import_model(ct2_folder("m2m"), at("no"), {.target_language = "xx"}, [](double) {}); }),
      HasSubstr("`target-language` 'xx' is none of the model's languages"));
  EXPECT_THAT(what_of<UsageError>(
                  [&] { import_model(ct2_folder("opus"), at("no"), {.target_language = "de"}, [](double) {}); }),
              HasSubstr("this model's vocabulary has no languages"));
  EXPECT_THAT(import_model(ct2_folder("nllb"), at("n"), {}, [](double) {}).notes,
              Contains(HasSubstr("does not say into which language it translates, so that is eng_Latn")));
}

}  // namespace
}  // namespace hexapla::convert
