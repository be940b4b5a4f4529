// A table of wrong calls: each throws the right exception, naming the option and its value if there
// is one, and the library remains usable.
#include <gmock/gmock.h>

#include <fstream>
#include <limits>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "hexapla/hexapla.h"
#include "lib/test_models.h"

namespace hexapla::api {
namespace {

using test::model_file;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInfinity = std::numeric_limits<double>::infinity();

enum class Kind { usage, data, run };

struct WrongCall {
  const char* name;
  Kind kind;
  const char* option;  // empty: no single option
  std::function<void()> call;
};

// The kind of error and its option: "usage beam_size".
std::string outcome(const std::function<void()>& call) {
  try {
    call();
  } catch (const UsageError& e) {
    return "usage " + e.option();
  } catch (const DataError&) {
    return "data ";
  } catch (const OutOfMemory&) {
    return "out of memory";
  } catch (const RunError&) {
    return "run ";
  } catch (const std::exception& e) {
    return std::string("another: ") + e.what();
  }
  return "nothing";
}

std::string expected(const WrongCall& wrong) {
  const char* const kinds[] = {"usage ", "data ", "run "};
  return std::string(kinds[static_cast<int>(wrong.kind)]) + wrong.option;
}

struct BadInput : TestFolder {
  const Translator translator{model_file()};

  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(at(name)) << bytes;
    return at(name);
  }
  // A search option, given by name.
  WrongCall search(const char* name, const OptionValue& value) const {
    return {name, Kind::usage, name, [this, name, value] {
              translator.translate("a dog", TranslatorOptions::from({{name, value}}));
            }};
  }
  static WrongCall training(const char* name, const OptionValue& value) {
    return {name, Kind::usage, name, [name, value] { Trainer({{name, value}}); }};
  }
  void check(const std::vector<WrongCall>& table) const {
    for (const WrongCall& wrong : table) EXPECT_EQ(outcome(wrong.call), expected(wrong)) << wrong.name;
    EXPECT_EQ(outcome([&] { translator.translate("a dog"); }), "nothing") << "it goes on";
  }
};

TEST_F(BadInput, OfOptionsOfASearch) {
  check({search("beam_size", 0),
         search("beam_size", 1001),
         search("beam_size", "four"),
         search("beam_size", true),
         search("beam_size", 2.5),
         search("beam_size", ""),
         search("n_best", -1),
         search("length_penalty", kNan),
         search("length_penalty", kInfinity),
         search("length_penalty", "1e999"),
         search("length_normalization", "mean"),
         search("extra_length", -1),
         search("max_length", 1),
         search("batch_sentences", 0),
         search("batch_tokens", 0),
         search("word_penalty", kNan),
         search("coverage_penalty", -0.1),
         search("longest", -3),
         search("longest_ratio", kNan),
         search("min_length", 1'000'001),
         search("repetition_penalty", 0),
         search("no_repeat_ngram", -1),
         search("max_repetition", -1),
         search("unk", "drop"),
         search("long_input", "ignore"),
         search("sample", "maybe"),
         search("sample", 2),
         search("beam", 4),
         search("precision", "f32"),
         search("top_k", 3),
         search("beam_size", std::vector<std::string>{})});
}

TEST_F(BadInput, OfFieldsOfASearch) {
  const auto field = [&](const char* name, const std::function<void(TranslatorOptions&)>& change) {
    return WrongCall{name, Kind::usage, name, [this, change] {
                       TranslatorOptions o;
                       change(o);
                       translator.translate("a dog", o);
                     }};
  };
  check({field("beam_size", [](auto& o) { o.beam_size = 0; }), field("top_p", [](auto& o) { o.top_p = kNan; }),
         field("temperature", [](auto& o) { o.temperature = 0; }), field("unk", [](auto& o) { o.unk = ""; }),
         field("alignment", [](auto& o) { o.alignment = "letters"; })});
}

TEST_F(BadInput, OfArguments) {
  const std::vector<Constraints> one(1), blank{{"", {" "}, {}}};
  check({{"constraints", Kind::usage, "constraints",
          [&] {
            translator.translate({"a", "b"}, {}, one);
          }},
         {"a blank phrase", Kind::data, "", [&] { translator.translate(std::vector<std::string>{"a"}, {}, blank); }},
         {"score", Kind::usage, "", [&] { translator.score({"a"}, {}); }},
         {"align", Kind::usage, "units", [&] { translator.align({"a"}, {"b"}, {}, ""); }},
         {"submit", Kind::usage, "beam_size",
          [&] {
            TranslatorOptions o;
            o.beam_size = -1;
            translator.submit({"a"}, o);
          }},
         {"more than a request may have", Kind::usage, "",
          [&] {
            TranslatorOptions o;
            o.beam_size = 500;
            translator.submit({"a"}, o);
          }},
         {"threads", Kind::usage, "threads", [] { hexapla::set_threads(-1); }}});
}

// The source is repaired with a warning, so that a damaged line of a file is translated, too; a constraint cannot be
// met.
TEST_F(BadInput, OfTextThatIsNotUtf8) {
  const std::string bad = "caf\xE9 a", line = "a dog";
  std::vector<WrongCall> table;
  const std::vector<std::pair<const char*, Constraints>> asked{
      {"prefix", {bad, {}, {}}},       {"prefix", {"\x80", {}, {}}}, {"require", {"", {"a", bad}, {}}},
      {"require", {"", {"\xFF"}, {}}}, {"forbid", {"", {}, {bad}}},  {"forbid", {"", {}, {"\xC3"}}}};
  for (const auto& [name, constraints] : asked) {
    const std::vector<Constraints> all{{}, constraints};
    table.push_back({name, Kind::usage, name, [&, all] { translator.translate({line, line}, {}, all); }});
    table.push_back({name, Kind::usage, name, [&, all] { translator.translate_n_best({line, line}, {}, all); }});
    table.push_back({name, Kind::usage, name, [&, all] { translator.translate_tokens({{}, {}}, {}, all); }});
    table.push_back({name, Kind::usage, name, [&, all] {
                       RequestOptions request;
                       request.constraints = all;
                       translator.submit({line, line}, {}, request);
                     }});
  }
  table.push_back({"glossary", Kind::usage, "glossary", [&] { const Glossary g({{bad, "Hund"}}); }});
  table.push_back({"glossary", Kind::usage, "glossary", [&] { const Glossary g({{"dog", bad}}); }});
  check(table);
  std::vector<std::size_t> warned;
  TranslatorOptions options;
  options.warn = [&](std::size_t at, const std::string&) { warned.push_back(at); };
  translator.translate({line, bad}, options);
  translator.score({line, bad}, {line, line}, options);
  translator.score({line, line}, {line, bad}, options);
  translator.align({line, bad}, {line, line}, options);
  translator.align({line, line}, {line, bad}, options);
  EXPECT_EQ(warned, std::vector<std::size_t>(5, 2));
}

TEST_F(BadInput, OfFiles) {
  const std::string whole = read_file(model_file());
  const std::string cut = file("cut", whole.substr(0, whole.size() / 2)), junk = file("junk", "junk");
  std::string bytes = whole;
  bytes[bytes.size() - 100] ^= 1;
  const std::string damaged = file("damaged", bytes);
  const std::string deleted = file("deleted", whole);
  std::filesystem::remove(deleted);
  for (const std::string& path : {cut, junk, damaged, deleted, folder(), std::string("/dev/null")})
    check({{path.c_str(), Kind::data, "", [&] { const Translator t(path); }},
           {path.c_str(), Kind::data, "", [&] { Model::load(path); }},
           {path.c_str(), Kind::data, "", [&] { const Inspector i(path); }}});
  check({{"no model", Kind::usage, "", [] { const Translator t(""); }},
         {"no models", Kind::usage, "", [] { const Translator t(std::vector<std::string>{}); }},
         {"precision", Kind::usage, "precision",
          [] {
            const Translator t(model_file(), {"f16", "linear", {}});
          }},
         {"device", Kind::usage, "device", [] { const Translator t(model_file(), {.device = "gpu"}); }},
         {"ensemble", Kind::usage, "ensemble",
          [] {
            const Translator t(model_file(), {"f32", "mean", {}});
          }},
         {"weights", Kind::usage, "weights",
          [] {
            const Translator t(model_file(), {"f32", "linear", {kNan}});
          }},
         {"two weights", Kind::usage, "weights", [] {
            const Translator t(model_file(), {"f32", "linear", {1, 2}});
          }}});
}

TEST_F(BadInput, OfATraining) {
  check({training("batch_tokens", -1), training("dropout", kNan), training("lr", kInfinity), training("preset", "huge"),
         training("heads", 0), training("trainsets", "a"), training("gated", "perhaps"), training("norm", "group"),
         training("vocab_size", 1e30), training("max_updates", "9999999999999999999999")});
  const auto fail = [&](const Options& more) {
    Options o{{"model", at("run")}, {"preset", "tiny"}, {"max_updates", 1}};
    o.insert(more.begin(), more.end());
    Trainer(o).train();
  };
  const std::string empty = file("empty", ""), latin = file("latin", "caf\xE9\n"), text = file("text", "a\nb\n"),
                    longer = file("longer", "a\nb\nc\n");
  const auto sets = [](const std::string& x, const std::string& y) { return OptionValue({x.c_str(), y.c_str()}); };
  check({{"no sets", Kind::usage, "train_sets", [&] { fail({}); }},
         {"one file", Kind::usage, "",
          [&] {
            fail({{"train_sets", text}});
          }},
         {"no file", Kind::data, "",
          [&] {
            fail({{"train_sets", sets(text, at("nowhere"))}});
          }},
         {"empty", Kind::data, "",
          [&] {
            fail({{"train_sets", sets(text, empty)}});
          }},
         {"Latin-1", Kind::data, "",
          [&] {
            fail({{"train_sets", sets(text, latin)}});
          }},
         {"lengths", Kind::data, "",
          [&] {
            fail({{"train_sets", sets(text, longer)}});
          }},
         {"no folder", Kind::run, "", [&] {
            Trainer({{"model", "/proc/none/run"}, {"train_sets", sets(text, text)}}).train();
          }}});
}

}  // namespace
}  // namespace hexapla::api
