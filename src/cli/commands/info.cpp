// hexapla info: shows the contents of a model file.
#include <fmt/format.h>

#include <iostream>
#include <map>

#include "base/compute/parallel.h"
#include "base/json.h"
#include "cli/any_model.h"
#include "cli/command.h"
#include "cli/terminal/terminal.h"
#include "decode/opened/open_model.h"
#include "inspect/report/run_report.h"
#include "text/utf8.h"

namespace hexapla::cli {
namespace {

// The part of the model: "encoder.layers.0.self_attention.qkv.weight" -> "encoder".
std::string part_of(const std::string& name) { return name.substr(0, name.find('.')); }

struct Info {
  std::string model;
  bool json = false;

  int run() const {
    use_threads(1);
    const decode::OpenModel m = open_any_model(model);
    std::map<std::string, int64_t> parts;
    int64_t total = 0;
    model::for_each<model::Parameter>(*m.file.net, [&](const std::string& name, model::Parameter& p) {
      parts[part_of(name)] += p.shape.size();
      total += p.shape.size();
    });
    if (json)
      write_json(m, parts, total);
    else
      write_text(m, parts, total);
    return 0;
  }

  static int64_t stored(const decode::OpenModel& m, DType type) { return decode::numbers_stored(m.file, type); }

  static std::string normalization(const text::Vocabulary& v) {
    return v.normalization().empty() ? "not named" : v.normalization();
  }

  static nlohmann::ordered_json config_of(const decode::OpenModel& m) {
    return parse_json<nlohmann::ordered_json>(m.file.config.to_json(), "a configuration");
  }

  // The usage record, with the vocabularies' entries.
  static nlohmann::ordered_json usage_of(const decode::OpenModel& m) {
    auto usage = parse_json<nlohmann::ordered_json>(m.file.usage.to_json(), "a record");
    const auto begins = [&](const char* side, const text::Vocabulary& v) {
      if (v.opening() < 0) return;
      usage[cat(side, "-opening")] = v.piece(v.opening());
      usage[cat(side, "-languages")] = v.languages();
    };
    begins("source", m.source);
    begins("target", m.target);
    usage["source-end"] = m.source.open_ended() ? "none" : m.source.piece(m.source.eos());
    usage["target-start"] = m.target.piece(m.target.bos());
    return usage;
  }

  // A list becomes one line, even a hundred languages.
  static std::string words_of(const nlohmann::ordered_json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (!value.is_array()) return json_text(value);
    std::string all;
    for (const auto& one : value) all += (all.empty() ? "" : " ") + words_of(one);
    return all;
  }

  void write_json(const decode::OpenModel& m, const std::map<std::string, int64_t>& parts, int64_t total) const {
    nlohmann::ordered_json j;
    j["config"] = config_of(m);
    j["parameters"] = parts;
    j["parameters"]["total"] = total;
    j["integers"] = stored(m, DType::i8);
    j["stored"] = {{"f16", stored(m, DType::f16)}, {"bf16", stored(m, DType::bf16)}};
    j["vocabulary"] = {{"source", m.source.size()}, {"target", m.target.size()}};
    j["vocabulary"]["joint"] = text::same_pieces(m.source, m.target);
    j["vocabulary"]["normalization"] = {{"source", m.source.normalization()}, {"target", m.target.normalization()}};
    j["usage"] = usage_of(m);
    j["history"] = m.file.history;
    std::cout << text::printable(json_text(j, 1)) << "\n";
  }

  void write_text(const decode::OpenModel& m, const std::map<std::string, int64_t>& parts, int64_t total) const {
    auto line = [](const std::string& key, const std::string& value) {
      std::cout << fmt::format("  {} {}\n", text::padded(text::printable(key, ""), 20), text::printable(value));
    };
    std::cout << "model\n";
    const auto config = config_of(m);  // named: items() refers to it
    for (const auto& [key, value] : config.items())
      line(key, value.is_string() ? value.get<std::string>() : json_text(value));
    std::cout << "parameters\n";
    for (const auto& [part, count] : parts) line(part, text::grouped(count));
    line("total", text::grouped(total));
    const std::pair<const char*, DType> kinds[] = {
        {"in 8-bit integers", DType::i8}, {"in float16", DType::f16}, {"in bfloat16", DType::bf16}};
    for (const auto& [what, type] : kinds)
      if (const int64_t n = stored(m, type); n > 0) line(what, text::grouped(n));
    std::cout << "vocabulary\n";
    const bool joint = text::same_pieces(m.source, m.target);
    line(joint ? "joint" : "source", text::grouped(m.source.size()) + " pieces");
    if (!joint) line("target", text::grouped(m.target.size()) + " pieces");
    line("source normalization", normalization(m.source));
    line("target normalization", normalization(m.target));
    std::cout << "usage\n";
    const auto usage = usage_of(m);
    for (const auto& [key, value] : usage.items()) {
      if (!value.is_object()) line(key, words_of(value));
      if (value.is_object())
        for (const auto& [name, of_search] : value.items()) line(cat(key, " ", name), words_of(of_search));
    }
    std::cout << "training\n";
    for (const auto& [key, value] : inspect::history_rows(m.file.history)) line(key, value);
  }
};

}  // namespace

void add_info(Command& app, Action& chosen) {
  auto info = std::make_shared<Info>();
  Command* c = app.add_command("info", "configuration, parameters, vocabulary and history of a model");
  c->add_option("-m,--model", info->model, "model file, training folder, or a model of another system")
      ->type_name("MODEL")
      ->required();
  c->add_flag("--json", info->json, "as JSON");
  c->footer(
      "A model of another system is shown as it would be imported without options.\n"
      "Examples:\n  hexapla info -m run/model.safetensors\n  hexapla info -m opus-mt-en-de");
  c->callback([info, &chosen] { chosen = [info] { return info->run(); }; });
}

}  // namespace hexapla::cli
