#pragma once
// For tests: another system's computations and translations (golden.safetensors, golden.json), and
// the imported model's. OpenModel: decode::OpenModel, which is in a layer above.
#include <gmock/gmock.h>

#include <optional>
#include <string>
#include <vector>

#include "backend/context.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "decode/options/named/search_defaults.h"
#include "model/transformer.h"
#include "tensor/safetensors.h"

namespace hexapla::convert {

inline std::vector<int32_t> golden_ids(const SafetensorsFile& file, const std::string& name) {
  std::vector<int32_t> ids(static_cast<size_t>(file.get(name).shape.size()));
  file.read(file.get(name), ids.data());
  return ids;
}

inline nlohmann::json golden_lines(const std::string& folder) {
  return nlohmann::json::parse(read_file(folder + "/golden.json"));
}

// [T, V] of one pair.
template <class OpenModel>
std::vector<float> logits_of_pair(const OpenModel& m, const std::vector<int32_t>& source,
                                  const std::vector<int32_t>& target) {
  Arena arena(size_t{1} << 24);
  Context cx{*m.backend, arena, DType::f32};
  const std::vector<int32_t> of_source{0, static_cast<int32_t>(source.size())},
      of_target{0, static_cast<int32_t>(target.size())};
  model::Transformer::Saved saved;
  const Tensor memory = m.file.net->encode(cx, source, of_source, saved);
  const Tensor x = m.file.net->decode(cx, {memory, of_source}, target, of_target, saved);
  const Tensor all = m.file.net->logits(cx, x);
  const auto values = all.values<float>();
  return {values.begin(), values.end()};
}

// Calls f(expected, found) for the pairs 0 to pairs - 1 of golden.safetensors.
template <class OpenModel, class F>
void for_each_golden_pair(const OpenModel& m, const std::string& folder, int pairs, F&& f) {
  const auto golden = SafetensorsFile::open(folder + "/golden.safetensors");
  for (int i = 0; i < pairs; ++i) {
    SCOPED_TRACE(cat("pair ", i));
    const TensorEntry& entry = golden.get(cat("logits.", i));
    std::vector<float> expected(static_cast<size_t>(entry.shape.size()));
    golden.read(entry, expected.data());
    f(expected, logits_of_pair(m, golden_ids(golden, cat("source.", i)), golden_ids(golden, cat("target.", i))));
  }
}

template <class OpenModel>
void expect_golden_logits(const OpenModel& m, const std::string& folder, int pairs) {
  for_each_golden_pair(m, folder, pairs, [](const std::vector<float>& expected, const std::vector<float>& found) {
    EXPECT_THAT(found, testing::Pointwise(testing::FloatNear(1e-4F), expected));
  });
}

template <class OpenModel>
void expect_golden_sources(const OpenModel& m, const nlohmann::json& lines) {
  for (const auto& line : lines) {
    auto ids = m.source.encode(line["text"].template get<std::string>());
    m.source.end_source(ids);
    EXPECT_EQ(ids, line["source"].template get<decltype(ids)>()) << line["text"];
  }
}

// The model's default search; beam: with this beam size.
template <class OpenModel>
decode::DecodingOptions search_of(const OpenModel& m, std::optional<int> beam = {}) {
  decode::DecodingOptions options;
  if (beam) options.beam_size = *beam;
  decode::take_search_defaults(
      m.file.usage, [&](const std::string& name) { return beam && name == "beam-size"; }, options);
  options.protect = "none";  // the other systems translate the whole line
  return options;
}

// Numbers of the lines whose translation's ids differ from the line's `name` ("best", "greedy").
// Calls f(translation, line) for all other lines.
template <class OpenModel, class F>
std::vector<size_t> golden_differences(const OpenModel& m, const nlohmann::json& lines, const std::string& name,
                                       const decode::DecodingOptions& options, const std::vector<std::string>& texts,
                                       F&& f) {
  const auto found = m.translator().translate(texts, options.translate_options());
  std::vector<size_t> other;
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto& first = found[i].front();
    if (first.ids == lines[i][name].template get<std::vector<int32_t>>())
      f(first, lines[i]);
    else
      other.push_back(i);
  }
  return other;
}

inline std::vector<std::string> golden_texts(const nlohmann::json& lines) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line["text"]);
  return texts;
}

}  // namespace hexapla::convert
