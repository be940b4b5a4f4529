// Whatever locale the program sets: what the library writes, reads and computes stays the same.
#include <gmock/gmock.h>

#include <clocale>
#include <filesystem>
#include <fstream>
#include <locale>
#include <stdexcept>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

struct GermanNumbers : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
  std::string do_truename() const override { return "wahr"; }
  std::string do_falsename() const override { return "falsch"; }
};

// "": a C++ locale, which need not be installed.
std::locale locale_named(const std::string& name) {
  return name.empty() ? std::locale(std::locale::classic(), new GermanNumbers) : std::locale(name);
}

// Sets the global locales of C++ and C until destruction.
class WithLocale {
 public:
  explicit WithLocale(const std::locale& locale) : c_(std::setlocale(LC_ALL, nullptr)), before_(std::locale()) {
    std::locale::global(locale);
  }
  ~WithLocale() {
    std::locale::global(before_);
    std::setlocale(LC_ALL, c_.c_str());
  }
  WithLocale(const WithLocale&) = delete;
  WithLocale& operator=(const WithLocale&) = delete;

 private:
  std::string c_;
  std::locale before_;
};

struct Locales : TestFolder, testing::WithParamInterface<const char*> {
  // Numbers with fractions and with more than three digits.
  Options options(const std::string& run) const {
    return {{"model", at(run)},
            {"train_sets", OptionValue{at("x").c_str(), at("y").c_str()}},
            {"valid_sets", OptionValue{at("x").c_str(), at("y").c_str()}},
            {"preset", "tiny"},
            {"enc_layers", 1},
            {"dec_layers", 1},
            {"dim_model", 16},
            {"dim_ff", 1024},
            {"heads", 2},
            {"vocab_size", 45},
            {"character_coverage", 0.9995},
            {"max_updates", 1010},
            {"max_epochs", 4},
            {"batch_tokens", 1100},
            {"save_every", 2},
            {"report_every", 1},
            {"valid_every", 1},
            {"best_by", "loss"},
            {"schedule", "plateau"},
            {"plateau_patience", 1},
            {"plateau_factor", 0.875},
            {"warmup", 2},
            {"lr", 1.5e-3},
            {"dropout", 0.25},
            {"average_best", 2},
            {"seed", 1234567}};
  }
  // Stops a run after its third update and resumes it, then uses the model in every way.
  std::string trained_and_used() const {
    Trainer first(options("run"));
    TrainingCallbacks on;
    on.on_report = [&](const TrainingReport& r) {
      if (r.update == 3) first.stop();
    };
    first.train(on);
    Trainer(options("run")).train();
    const Translator translator(at("run"));
    TranslatorOptions search;
    search.beam_size = 3;
    search.length_penalty = 0.75;
    std::string all;
    for (const auto& line : translator.translate_n_best({"a dog runs", "two big cat"}, search))
      for (const Translation& t : line)
        all += t.text + " " + std::to_string(static_cast<int64_t>(t.score * 1e6)) + "\n";
    all += Model::load(at("run")).configuration();
    for (const char* file : {"model.safetensors", "best.safetensors"}) all += read_file(at("run/") + file);
    for (const char* log : {"run/train.jsonl", "run/valid.jsonl"}) all += without_clock(read_file(at(log)));
    return all;
  }
  static std::string without_clock(const std::string& log) {
    std::string kept;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      auto object = nlohmann::json::parse(line);
      for (const char* key : {"time", "tokens_per_second", "seconds"}) object.erase(key);
      kept += object.dump() + "\n";
    }
    return kept;
  }
};

TEST_P(Locales, ChangeNoByteOfARunAndNoTranslation) {
  std::locale locale;
  try {
    locale = locale_named(GetParam());
  } catch (const std::runtime_error&) {
    GTEST_SKIP() << "this system has no locale " << GetParam() << ": scripts/install_dependencies.sh --checks";
  }
  std::ofstream x(at("x")), y(at("y"));
  for (const std::string& line : test::made_up_lines(300, 1)) x << line << '\n';
  for (const std::string& line : test::made_up_lines(300, 2)) y << line << '\n';
  x.close(), y.close();
  const auto under = [&](const std::locale& one) {
    const WithLocale set(one);
    std::filesystem::remove_all(at("run"));
    return trained_and_used();
  };
  const std::string expected = under(std::locale::classic()), found = under(locale);
  EXPECT_EQ(found.size(), expected.size());
  const auto differ = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
  const auto at = std::max<std::ptrdiff_t>(differ.first - found.begin() - 80, 0);
  EXPECT_TRUE(found == expected) << "first in: " << found.substr(static_cast<size_t>(at), 160)
                                 << "\ninstead of: " << expected.substr(static_cast<size_t>(at), 160);
}

INSTANTIATE_TEST_SUITE_P(Of, Locales, testing::Values("", "de_DE.UTF-8"));

}  // namespace
}  // namespace hexapla::api
