#include "lib/files/info.h"

#include <fmt/format.h>

#include <map>

#include "base/json.h"
#include "decode/lines/model_vocabularies.h"
#include "inspect/report/run_report.h"
#include "lib/files/any_model.h"
#include "model/weights/stored_model.h"
#include "text/quantities.h"
#include "text/utf8.h"

namespace hexapla::api {
namespace {

// A model without its numbers.
struct Shown {
  model::LoadedModel file;
  text::Vocabulary source, target;
};

using Parts = std::map<std::string, int64_t>;  // number of parameters per part

// The part of the model: "encoder.layers.0.self_attention.qkv.weight" -> "encoder".
std::string part_of(const std::string& name) { return name.substr(0, name.find('.')); }

int64_t stored(const Shown& m, DType type) { return decode::numbers_stored(m.file, type); }

std::string normalization(const text::Vocabulary& v) {
  return v.normalization().empty() ? "not named" : v.normalization();
}

nlohmann::ordered_json config_of(const Shown& m) {
  return parse_json<nlohmann::ordered_json>(m.file.config.to_json(), "a configuration");
}

// The usage record, with the vocabularies' entries.
nlohmann::ordered_json usage_of(const Shown& m) {
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

// Puts a list on one line, even a hundred languages.
std::string words_of(const nlohmann::ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return json_text(value);
  std::string all;
  for (const auto& one : value) all += cat(all.empty() ? "" : " ", words_of(one));
  return all;
}

std::string json_of_model(const Shown& m, const Parts& parts, int64_t total) {
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
  return text::printable(json_text(j, 1)) + "\n";
}

std::string as_text(const Shown& m, const Parts& parts, int64_t total) {
  std::string text;
  const auto line = [&](const std::string& key, const std::string& value) {
    text += fmt::format("  {} {}\n", text::padded(text::printable(key, ""), 20), text::printable(value));
  };
  text += "model\n";
  const auto config = config_of(m);  // a variable, because items() refers to it
  for (const auto& [key, value] : config.items())
    line(key, value.is_string() ? value.get<std::string>() : json_text(value));
  text += "parameters\n";
  for (const auto& [part, count] : parts) line(part, text::grouped(count));
  line("total", text::grouped(total));
  const std::pair<const char*, DType> kinds[] = {
      {"in 8-bit integers", DType::i8}, {"in float16", DType::f16}, {"in bfloat16", DType::bf16}};
  for (const auto& [what, type] : kinds)
    if (const int64_t n = stored(m, type); n > 0) line(what, text::grouped(n));
  text += "vocabulary\n";
  const bool joint = text::same_pieces(m.source, m.target);
  line(joint ? "joint" : "source", text::grouped(m.source.size()) + " pieces");
  if (!joint) line("target", text::grouped(m.target.size()) + " pieces");
  line("source normalization", normalization(m.source));
  line("target normalization", normalization(m.target));
  text += "usage\n";
  const auto usage = usage_of(m);
  for (const auto& [key, value] : usage.items()) {
    if (!value.is_object()) line(key, words_of(value));
    if (value.is_object())
      for (const auto& [name, of_search] : value.items()) line(cat(key, " ", name), words_of(of_search));
  }
  text += "training\n";
  for (const auto& [key, value] : inspect::history_rows(m.file.history)) line(key, value);
  return text;
}

}  // namespace

std::string describe_model(const std::string& path, bool json) {
  const Shown m = with_any_model(path, [](const std::string& file) {
    model::StoredModel stored(file);
    stored.check();
    text::VocabularyPair text = decode::vocabularies_of(stored.model(), file);
    return Shown{std::move(stored.model()), std::move(text.source), std::move(text.target)};
  });
  Parts parts;
  int64_t total = 0;
  model::for_each<model::Parameter>(*m.file.net, [&](const std::string& name, model::Parameter& p) {
    parts[part_of(name)] += p.shape.size();
    total += p.shape.size();
  });
  return json ? json_of_model(m, parts, total) : as_text(m, parts, total);
}

}  // namespace hexapla::api
