#pragma once
// Calls as users would naturally write them, in C++17 with only the public headers. They must
// compile; tests/install_test.cmake compiles this file on its own, too.
#include <hexapla/hexapla.h>
#include <hexapla/nn.h>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::api::test {

using Words = std::vector<std::string>;

// The words of values given in every possible way, which must be equal within each group.
inline std::vector<Words> words_of_values() {
  const std::string text = "a";
  const std::string_view view = text;
  const std::filesystem::path path = text;
  const char* const pointer = "a";
  const Options single{{"0", "a"}, {"1", text}, {"2", view}, {"3", path}, {"4", pointer}, {"5", {"a"}}};
  const Options lists{{"0", {"a", "a"}},
                      {"1", {text, text}},
                      {"2", {view, view}},
                      {"3", {path, path}},
                      {"4", {pointer, text}},
                      {"5", Words{"a", "a"}},
                      {"6", std::vector<std::string_view>{view, view}},
                      {"7", std::vector<std::filesystem::path>{path, path}},
                      {"8", std::vector<const char*>{"a", "a"}}};
  const Options numbers{
      {"0", {1, 2}}, {"1", std::vector<int>{1, 2}}, {"2", {1L, 2U}}, {"3", {1., 2.}}, {"4", std::vector<double>{1, 2}}};
  const Options zeros{{"0", {0, 0}}, {"1", std::vector<std::int64_t>{0, 0}}};
  const Options switches{{"0", {true, false}}, {"1", std::vector<bool>{true, false}}};
  std::vector<Words> all;
  for (const Options& some : {single, lists, numbers, zeros, switches})
    for (const auto& named : some) all.push_back(named.second.words());
  return all;
}

// The options of trainers for the folder "run", constructed in every way.
inline Words options_of_trainers(const std::string& config) {
  const std::filesystem::path folder = "run";
  const Options options{{"preset", "tiny"}, {"model", folder}};
  return {Trainer({{"preset", "tiny"}, {"model", "run"}}).options(),
          Trainer{{"preset", "tiny"}, {"model", "run"}}.options(),
          Trainer({{"preset", "tiny"}, {"model", std::string("run")}}).options(),
          Trainer({{"preset", std::string_view("tiny")}, {"model", folder}}).options(),
          Trainer(options).options(),
          Trainer(config, {{"model", "run"}}).options(),
          Trainer(config, {{"preset", "tiny"}, {"model", "run"}}).options()};
}

// Translations of "a" and "a dog" by every kind of call.
inline std::vector<Words> translations_of_two(const std::string& model) {
  const std::filesystem::path path = model;
  const char* const name = model.c_str();
  const std::string one = "a", other = "a dog";
  const Translator translator(model), by_path(path), by_pointer(name), braced{model}, pair({name, name}),
      strings({model, model}), paths({path, path}), both{name, name};
  std::vector<Words> all{translator.translate({"a", "a dog"}), translator.translate({one, other}),
                         translator.translate({"a", other}), translator.translate({one.c_str(), other.c_str()}),
                         translator.translate({"a", "a dog"}, TranslatorOptions::from({{"beam_size", "4"}}))};
  for (const Translator* each : {&by_path, &by_pointer, &braced, &pair, &strings, &paths, &both})
    all.push_back({each->translate("a"), each->translate({"a dog"}).front()});
  const Words lines{one, other};
  LineSource to_next = [&, i = std::size_t{0}](std::string& line) mutable {
    return i < lines.size() && (line = lines[i++], true);
  };
  for (LineSource source : {LineSource({"a", "a dog"}), LineSource({one, other}), LineSource({"a", other}),
                            LineSource({one.c_str(), other.c_str()}), LineSource(lines), std::move(to_next)}) {
    Words& found = all.emplace_back();
    for (const auto& line : translator.stream(std::move(source))) found.push_back(line.front().text);
  }
  return all;
}

// Other calls, which only have to compile.
inline void other_calls(const std::string& model) {
  const char* const name = model.c_str();
  const Translator translator(model);
  translator.translate_n_best({"a", "b"});
  translator.score({"a", "b"}, {"c", "d"});
  translator.align({"a", "b"}, {"c", "d"});
  translator.submit({"a", "b"}).get();
  for (const auto& line : translator.stream({"a", "b"}, TranslatorOptions::from({{"beam_size", 2}})))
    static_cast<void>(line.front());
  TranslatorOptions::from({{"beam_size", "4"}, {"alignment", "words"}});
  const Glossary one({{"dog", "Hund"}}), braced{{"dog", "Hund"}}, two({{"dog", "Hund"}, {"cat", "Katze"}}), none({});
  if (one.size() != 1 || braced.size() != 1 || two.size() != 2 || none.size() != 0)
    throw std::logic_error("a glossary has other terms than those in its braces");
  Evaluator().score({"a", "b"}, {{"c", "d"}});
  Evaluator().compare({"a", "b"}, {"a", "c"}, {{"c", "d"}, {"e", "f"}});
  Model::average({name, name});
  nn::Encoder({{"dim_model", "4"}, {"heads", "1"}});
  nn::Encoder({{"dim_model", 4}, {"heads", 1}, {"enc_layers", 1}});
  nn::Embedding(4, {{"dim_model", "4"}, {"heads", "1"}});
}

}  // namespace hexapla::api::test
