// Random configurations of transformers' models (scripts/golden/random_configurations.py) translate
// the same after import, or an unsupported setting is rejected by name. Nothing differs silently.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/options/environment.h"
#include "base/test_paths.h"
#include "convert/import.h"
#include "convert/kinds/test_golden.h"
#include "decode/opened/open_model.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;

class RandomConfigurations : public TestFolder {
 protected:
  // Writes the folder as the script made it.
  void write(const nlohmann::json& one) const {
    fs::remove_all(at("m"));
    fs::copy(source_path(cat("src/plugins/convert/fixtures/", one["model"].get<std::string>())), at("m"));
    nlohmann::json config = nlohmann::json::parse(read_file(at("m/config.json"))),
                   generation = nlohmann::json::parse(read_file(at("m/generation_config.json")));
    config.update(one["config"]);
    generation.update(one["generation"]);
    if (one["alone"].get<bool>()) {
      generation.erase("_from_model_config");
      config.update(generation);
      fs::remove(at("m/generation_config.json"));
    } else {
      std::ofstream(at("m/generation_config.json")) << generation;
    }
    std::ofstream(at("m/config.json")) << config;
  }
  // Why the import fails; "": it succeeded, to at("out").
  std::string refusal() const {
    try {
      import_model(at("m"), at("out"), {}, [](double) {});
      return "";
    } catch (const DataError& e) {
      return e.what();
    }
  }
  static bool names_what_was_changed(const nlohmann::json& one, const std::string& why) {
    for (const char* file : {"config", "generation"})
      for (const auto& [key, value] : one[file].items())
        if (why.find(key) != why.npos) return true;
    // A size that disagrees with the tensors is reported for the first such tensor.
    return why.find("configuration does not belong") != why.npos || why.find("is no part of the model") != why.npos ||
           why.find("there is no tensor") != why.npos || why.find("has no tensor") != why.npos ||
           why.find("no tensor ") != why.npos;
  }
  // Returns the number of lines compared.
  int expect_same_translations(const nlohmann::json& one) const {
    const decode::OpenModel m = decode::open_model(at("out"));
    const auto options = search_of(m).translate_options();
    int compared = 0;
    for (const nlohmann::json& line : one["lines"]) {
      const std::vector<std::string> text{line["text"]};
      const auto found = m.translator().translate(text, options)[0];
      EXPECT_EQ(found.empty() ? text::Ids{-1} : found[0].ids, line["ids"].get<text::Ids>()) << text[0];
      ++compared;
    }
    return compared;
  }
};

TEST_F(RandomConfigurations, TranslateTheSameOrAreRefusedByName) {
  const char* own = environment("HEXAPLA_HF_CONFIGURATIONS");
  const std::string path = own ? own : source_path("src/plugins/convert/fixtures/hf_random/cases.json");
  const nlohmann::json cases = nlohmann::json::parse(read_file(path));
  ASSERT_GE(cases.size(), 30u);
  size_t same = 0, refused = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const nlohmann::json& one = cases[i];
    SCOPED_TRACE(cat("case ", i, ": ", json_text(one)));
    write(one);
    if (const std::string why = refusal(); !why.empty()) {
      ++refused;
      EXPECT_TRUE(names_what_was_changed(one, why)) << why;
    } else if (one.contains("lines")) {
      same += expect_same_translations(one) > 0;
    }
  }
  EXPECT_GE(same, cases.size() / 5);
  EXPECT_GE(refused, cases.size() / 5);
}

}  // namespace
}  // namespace hexapla::convert
