#include "inspect/files/inspection_file.h"

#include <gmock/gmock.h>

#include "backend/cpu/cpu.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "inspect/padded.h"
#include "inspect/test_small.h"
#include "tensor/safetensors.h"

namespace hexapla::inspect {
namespace {

struct SavedModel : SmallModel {
  explicit SavedModel(const model::Config& c) : SmallModel(c, make_cpu_backend()) {}
};

const std::vector<std::string> kVocabulary{"<pad>", "<s>", "</s>", "▁a"};

Legend legend_of(const SavedModel& small, const Inspection& seen) {
  return {small.model.config,
          {kPair.source, {"▁a", "\"", "\\", "</s>"}},
          {seen.target_in, {"<s>", "b", "\xFF"}},
          {seen.target_out, {"b", "c", "</s>"}},
          kVocabulary,
          kVocabulary};
}

using InspectionFile = TestFolder;

TEST_F(InspectionFile, HoldsTheNumbersBitForBit) {
  const SavedModel small(small_config());
  const Inspection seen = small.inspect(kPair);
  write_tensors(at("all.safetensors"), seen.seen, legend_of(small, seen));
  const SafetensorsFile file = SafetensorsFile::open(at("all.safetensors"));
  EXPECT_EQ(file.tensors().size(), seen.seen.tensors().size() + 3);
  std::vector<int32_t> labels(3);
  file.copy(file.get("target.labels"), Tensor::of(labels.data(), {3}));
  EXPECT_EQ(labels, seen.target_out);
  const Recorded& q = seen.seen.get("encoder.layers.0.self_attention.q");
  std::vector<float> values(q.values.size());
  file.copy(file.get("encoder.layers.0.self_attention.q"), Tensor::of(values.data(), q.shape));
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()), q.values);
  EXPECT_EQ(file.get("encoder.layers.0.self_attention.weights").shape, (Shape{kHeads, 4, 4}));
}

TEST_F(InspectionFile, SaysWhatItsNumbersAre) {
  const SavedModel small(small_config());
  Inspection seen = small.inspect(kPair);
  add_padded(seen, *small.backend, small.model, kPair.source, {4, 2}, 0);
  write_tensors(at("all.safetensors"), seen.seen, legend_of(small, seen));
  const SafetensorsFile file = SafetensorsFile::open(at("all.safetensors"));
  const auto said = [&](const char* key) { return nlohmann::json::parse(file.metadata().at(key)); };
  EXPECT_EQ(said("config")["dim-model"], 8);
  EXPECT_EQ(said("target.vocabulary"), nlohmann::json(kVocabulary));
  EXPECT_EQ(said("source.pieces")[1], "\"");
  EXPECT_EQ(said("labels.pieces")[2], "</s>");
  EXPECT_EQ(said("formulas")["*_attention.scores"], "unscaled / sqrt(3); decoder.*.self_attention: + decoder.mask");
  std::vector<int32_t> ids(8);
  file.copy(file.get("padded.ids"), Tensor::of(ids.data(), {2, 4}));
  EXPECT_EQ(ids, (std::vector<int32_t>{4, 7, 5, 2, 4, 2, 0, 0}));
}

TEST(InspectionJson, IsJson) {
  const SavedModel small(small_config());
  const Inspection seen = small.inspect(kPair);
  const auto json = nlohmann::json::parse(tensors_as_json(seen.seen, legend_of(small, seen)));
  EXPECT_EQ(json["source"]["ids"], nlohmann::json(kPair.source));
  EXPECT_EQ(json["source"]["pieces"][1], "\"");
  EXPECT_EQ(json["target"]["ids"][0], kBos);
  EXPECT_EQ(json["labels"]["ids"], nlohmann::json(seen.target_out));
  EXPECT_EQ(json["vocabulary"]["source"][3], "▁a");
  EXPECT_EQ(json["formulas"]["*.embedded"], "tokens + positions");
  EXPECT_EQ(json["tensors"].size(), seen.seen.tensors().size());
  const auto& scores = json["tensors"]["decoder.layers.0.self_attention.scores"];
  EXPECT_EQ(scores["shape"], nlohmann::json({2, 3, 3}));
  EXPECT_TRUE(scores["values"][1].is_null());  // the first token does not see the second
  EXPECT_EQ(scores["values"][0].get<double>(), seen.seen.get("decoder.layers.0.self_attention.scores").values[0]);
  EXPECT_EQ(json["tensors"]["encoder.embedded"]["values"][9].get<float>(),
            static_cast<float>(seen.seen.get("encoder.embedded").values[9]));
}

}  // namespace
}  // namespace hexapla::inspect
