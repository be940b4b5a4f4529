// Imported CTranslate2 models (scripts/golden/foreign_ctranslate2.py) score as CTranslate2 does.
#include <gmock/gmock.h>

#include <filesystem>

#include "backend/reference/reference.h"
#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/kinds/test_imported.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using testing::HasSubstr;

struct Variant {
  std::string name;
  double within;
};
std::ostream& operator<<(std::ostream& out, const Variant& v) { return out << v.name; }

class CTranslate2Import : public TestFolder, public testing::WithParamInterface<Variant> {};
INSTANTIATE_TEST_SUITE_P(Variants, CTranslate2Import,
                         testing::Values(Variant{"built_in", 1e-4}, Variant{"post_norm", 1e-4},
                                         Variant{"learned", 1e-4}, Variant{"own_scale", 1e-4}, Variant{"int8", 1e-4},
                                         Variant{"float16", 1e-4}),
                         [](const auto& one) { return one.param.name; });

std::string joined(const nlohmann::json& tokens) {
  std::string line;
  for (const auto& token : tokens) line += (line.empty() ? "" : " ") + token.get<std::string>();
  return line;
}

nlohmann::json first_of(const nlohmann::json& tokens, size_t n) {
  return nlohmann::json(tokens.begin(), tokens.begin() + static_cast<ptrdiff_t>(n));
}

// The log probability of each token of a target and of </s>.
std::vector<float> scores(ImportedModel& m, const text::Vocabulary& from, const text::Vocabulary& to,
                          const nlohmann::json& source, const nlohmann::json& target) {
  text::Ids s = from.encode(joined(source)), out = to.encode(joined(target)), in{to.bos()};
  in.insert(in.end(), out.begin(), out.end());
  s.push_back(from.eos());
  out.push_back(to.eos());
  const std::vector<int32_t> source_rows{0, static_cast<int32_t>(s.size())},
      target_rows{0, static_cast<int32_t>(out.size())};
  const auto all = m.log_probabilities(*make_reference_backend(), {s, in, out, source_rows, target_rows});
  std::vector<float> of_target;
  const size_t width = all.size() / out.size();
  for (size_t i = 0; i < out.size(); ++i) of_target.push_back(all[i * width + static_cast<size_t>(out[i])]);
  return of_target;
}

TEST_P(CTranslate2Import, ScoresAreTheSame) {
  const std::string folder = source_path("tests/fixtures/foreign/ctranslate2_" + GetParam().name);
  const auto expected = nlohmann::json::parse(read_file(folder + "/expected.json"));
  ImportedModel m(folder, at("m.safetensors"), {});
  EXPECT_EQ(m.import().origin, "CTranslate2");
  const auto from = text::Vocabulary::parse(m.file().source_vocabulary, "source"),
             to = text::Vocabulary::parse(m.file().target_vocabulary, "target");
  for (size_t i = 0; i < expected["sources"].size(); ++i) {
    const auto got = scores(m, from, to, expected["sources"][i], expected["targets"][i]);
    EXPECT_LT(largest_difference(got, expected["log_probabilities"][i].get<std::vector<float>>()), GetParam().within)
        << i;
  }
}

// Lines are already split into tokens. At the maximum length we write </s>, CTranslate2 does not.
TEST_P(CTranslate2Import, TranslationsAreTheSame) {
  const std::string folder = source_path("tests/fixtures/foreign/ctranslate2_" + GetParam().name);
  const auto expected = nlohmann::json::parse(read_file(folder + "/expected.json"));
  import_model(folder, at("m.safetensors"), {}, [](double) {});
  const decode::OpenModel m = decode::open_model(at("m.safetensors"));
  std::vector<std::string> lines;
  for (const auto& source : expected["sources"]) lines.push_back(joined(source));
  decode::DecodingOptions options;
  const auto not_given = [](const std::string&) { return false; };
  decode::take_search_defaults(m.file.usage, not_given, options);
  options.longest = 40;
  options.length_penalty = 0;
  size_t compared = 0;
  for (const auto& [name, beam] : {std::pair{"greedy", 1}, {"beam", 4}}) {
    options.beam_size = beam;
    const auto found = m.translator().translate(lines, options.translate_options());
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto& wanted = expected[name][i];
      if (wanted.size() < 40) {
        EXPECT_EQ(found[i].front().text, joined(wanted)) << name << " of " << lines[i];
      } else if (beam == 1) {
        EXPECT_THAT(found[i].front().text, testing::StartsWith(joined(first_of(wanted, 38)))) << lines[i];
      }
      compared += wanted.size() < 40 || beam == 1;
    }
  }
  EXPECT_GT(compared, lines.size() * 5 / 4);
}

class CTranslate2Folder : public TestFolder {
 protected:
  CTranslate2Folder() {
    std::filesystem::copy(source_path("tests/fixtures/foreign/ctranslate2_built_in"), folder_of_model());
  }
  std::string folder_of_model() const { return at("model"); }
  std::string refusal() const {
    return what_of<DataError>([&] { import_model(folder_of_model(), at("m"), {}, [](double) {}); });
  }
  void set(const std::string& name, const std::string& content) const {
    write_file_atomically(folder_of_model() + "/" + name, content);
  }
};

TEST_F(CTranslate2Folder, RefusesWhatDoesNotBelongTogether) {
  set("shared_vocabulary.json", R"(["<unk>", "<s>", "</s>"])");
  EXPECT_THAT(refusal(), HasSubstr("it has 3 tokens, but the model's table 19 rows"));
  std::filesystem::remove(folder_of_model() + "/shared_vocabulary.json");
  EXPECT_THAT(refusal(), HasSubstr("there is neither shared_vocabulary.json nor"));
}

TEST_F(CTranslate2Folder, RefusesWhatItCannotCompute) {
  set("config.json", R"({"add_source_eos": true, "decoder_start_token": null})");
  EXPECT_THAT(refusal(), HasSubstr("its caller gives the token that a translation starts with"));
  set("config.json", R"({"decoder_start_token": "<s>", "beam_alpha": 1})");
  EXPECT_THAT(refusal(), HasSubstr("config.json: the key 'beam_alpha' is unknown"));
  set("config.json", R"({"decoder_start_token": "<s>", "quantization_type": 1})");
  EXPECT_THAT(refusal(), HasSubstr("'quantization_type' is 1"));
  set("config.json", R"({"decoder_start_token": "w99", "add_source_eos": true})");
  EXPECT_THAT(refusal(), HasSubstr("there is no token 'w99'"));
  set("model.bin", "\6");
  EXPECT_THAT(refusal(), HasSubstr("model.bin"));
}

TEST_F(CTranslate2Folder, SourcesMayBeginWithAToken) {
  set("config.json", R"({"add_source_bos": true, "add_source_eos": true, "decoder_start_token": "<s>"})");
  import_model(folder_of_model(), at("m"), {}, [](double) {});
  const decode::OpenModel m = decode::open_model(at("m"));
  text::Ids ids = m.source.encode("w5 w6");
  m.source.end_source(ids);
  EXPECT_EQ(ids, (text::Ids{1, 5, 6, 2}));
  EXPECT_EQ(m.target.opening(), -1);
}

}  // namespace
}  // namespace hexapla::convert
