#pragma once
// The models of interfaces_test.cpp: small ones with random weights, and fixtures of imported ones.
#include <algorithm>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "cli/test_command.h"
#include "convert/import.h"
#include "decode/opened/open_model.h"
#include "decode/test_models.h"

namespace hexapla::interfaces {

// A model, or an ensemble of several, and words in its vocabulary.
struct Subject {
  std::string name;
  std::vector<std::string> paths;
  std::vector<std::string> words;
  std::vector<std::string> languages{};  // for lines that choose one: ">>de<< ..."
};

inline const std::vector<std::string>& latin_lines() {
  static const std::vector<std::string> lines{"a dog runs fast .", "two big cats sleep here", "Ein Hund rennt schnell.",
                                              "zwei große Katzen schlafen hier", "a red bird sings , and two dogs run"};
  return lines;
}
inline const std::vector<std::string>& mixed_lines() {
  static const std::vector<std::string> lines{"一个男人在跑步。", "สุนัขวิ่งเร็ว",     "كلب يركض بسرعة", "כלב רץ מהר",
                                              "कुत्ता दौड़ता है",     "a dog 😀 runs", "Ein Hund rennt."};
  return lines;
}

inline std::vector<std::string> words_of(const std::vector<std::string>& lines) {
  std::vector<std::string> all;
  for (const std::string& line : lines)
    for (const std::string_view word : text::words(line, text::WordEnds::at_blanks)) all.emplace_back(word);
  return all;
}

class Models {
 public:
  explicit Models(const std::string& folder) : folder_(folder) {
    const auto vocabulary = [](std::vector<std::string> lines, text::VocabularyOptions options) {
      const std::vector<std::string> once = lines;
      for (int i = 0; i < 20; ++i) lines.insert(lines.end(), once.begin(), once.end());
      return text::Vocabulary::train(lines, options);
    };
    const text::Vocabulary latin = vocabulary(latin_lines(), {.size = 60}),
                           mixed = vocabulary(mixed_lines(), {.size = 110, .character_coverage = 1}),
                           bytes = vocabulary(latin_lines(), {.size = 330, .byte_fallback = true}),
                           letters = vocabulary(mixed_lines(), {.type = "bpe", .size = 90, .character_coverage = 1});
    for (const char* variant : {"paper", "learned_positions", "pre_norm", "ssru", "experts", "sigmoid", "gru"})
      add_random(variant, latin, latin, latin_lines());
    add_random("paper", mixed, mixed, mixed_lines(), "mixed");
    add_random("paper", latin, letters, latin_lines(), "to letters");
    add_random("gated", letters, latin, mixed_lines(), "from letters");
    add_random("paper", bytes, bytes, latin_lines(), "with bytes");
    add_random("paper", latin, latin, latin_lines(), "other weights", 8);
    subjects_.push_back({"ensemble", {subjects_.front().paths[0], subjects_.back().paths[0]}, words_of(latin_lines())});
    const std::string quantized = folder_ + "/quantized.safetensors";
    const cli::Result r = cli::run_command({"quantize", "-m", subjects_.front().paths[0], "-o", quantized});
    EXPECT_EQ(r.code, 0) << r.err;
    subjects_.push_back({"quantized", {quantized}, words_of(latin_lines())});
    for (const char* fixture : {"hf_marian_separate", "hf_marian_joint", "hf_bart_bytes", "hf_m2m", "hf_mbart",
                                "hf_nllb", "marian_ssru", "opennmt_py/model_step_400.pt", "joeynmt_pre", "fairseq_pre"})
      add_imported(fixture);
  }
  const std::vector<Subject>& all() const { return subjects_; }

 private:
  void add_random(const std::string& variant, const text::Vocabulary& source, const text::Vocabulary& target,
                  const std::vector<std::string>& lines, const std::string& more = "", uint64_t seed = 7) {
    const auto all = decode::test::variants();
    model::Config c = std::find_if(all.begin(), all.end(), [&](const auto& v) { return v.name == variant; })->config;
    c.source_vocab = source.size();
    c.target_vocab = target.size();
    decode::test::TestModel m(c, DType::f32, seed);
    const std::string name = variant + (more.empty() ? "" : " " + more);
    const std::string path = cat(folder_, "/", subjects_.size(), ".safetensors");
    model::save_model(path, m.model, {source.bytes(), target.bytes()}, {});
    subjects_.push_back({name, {path}, words_of(lines)});
  }
  void add_imported(const std::string& fixture) {
    const std::string from = source_path("src/plugins/convert/fixtures/" + fixture);
    const std::string path = cat(folder_, "/", subjects_.size(), ".safetensors");
    const cli::Result r = cli::run_command({"import", from, "-o", path});
    EXPECT_EQ(r.code, 0) << fixture << ": " << r.err;
    std::vector<std::string> lines;
    for (const auto& line : nlohmann::json::parse(read_file(
             (std::filesystem::is_directory(from) ? from : from.substr(0, from.rfind('/'))) + "/golden.json")))
      if (line.is_object() && line.contains("text") && line["text"].is_string()) lines.push_back(line["text"]);
    const text::Vocabulary target = decode::open_model(path).target;
    subjects_.push_back({fixture,
                         {path},
                         words_of(lines.empty() ? latin_lines() : lines),
                         target.opening() < 0 ? std::vector<std::string>() : target.languages()});
  }

  std::string folder_;
  std::vector<Subject> subjects_;
};

}  // namespace hexapla::interfaces
