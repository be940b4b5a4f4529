// Files written by the systems themselves (scripts/fixtures/make_containers_fixture.py).
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/containers/ctranslate2_file.h"
#include "convert/containers/npz_file.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/torch_file.h"

namespace hexapla::convert {
namespace {

std::string fixture_path(const std::string& name) { return source_path("tests/fixtures/containers/" + name); }

const nlohmann::json& expected() {
  static const auto all = nlohmann::json::parse(read_file(fixture_path("expected.json")));
  return all;
}

std::unique_ptr<ForeignTensors> open_by_name(const std::string& name) {
  if (name.ends_with(".pt")) return std::make_unique<TorchFile>(fixture_path(name));
  if (name.ends_with(".npz")) return std::make_unique<NpzFile>(fixture_path(name));
  if (name.ends_with(".bin")) return std::make_unique<CTranslate2File>(fixture_path(name));
  return std::make_unique<SafetensorsModel>(fixture_path(name));
}

class Fixtures : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(OfPeers, Fixtures,
                         testing::Values("state.pt", "state_protocol_4.pt", "state_legacy.pt", "checkpoint.pt",
                                         "arrays.npz", "compressed.npz", "ctranslate2_float32.bin",
                                         "ctranslate2_float16.bin", "ctranslate2_bfloat16.bin", "ctranslate2_int16.bin",
                                         "ctranslate2_int8.bin", "ctranslate2_int8_float16.bin",
                                         "model.safetensors.index.json"),
                         [](const auto& fixture) {
                           std::string name = fixture.param;
                           for (char& c : name)
                             if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                           return name;
                         });

TEST_P(Fixtures, HaveTheTensorsThatWereWritten) {
  const auto& wanted = expected()[GetParam()];
  const auto file = open_by_name(GetParam());
  EXPECT_EQ(file->list().size(), wanted.size());
  for (const auto& [name, tensor] : wanted.items()) {
    const ForeignTensor& found = file->get(name);
    EXPECT_EQ(name_of(found.type), tensor["type"].get<std::string>()) << name;
    EXPECT_EQ(found.shape, tensor["shape"].get<std::vector<size_t>>()) << name;
    EXPECT_EQ(file->read(found), tensor["numbers"].get<std::vector<float>>()) << name;
  }
}

TEST_P(Fixtures, AreReadInParts) {
  const auto file = open_by_name(GetParam());
  for (const ForeignTensor& tensor : file->list()) {
    const std::vector<float> all = file->read(tensor);
    for (size_t first = 0; first < all.size(); first += 1 + all.size() / 5) {
      const size_t count = std::min<size_t>(3, all.size() - first);
      const auto at = all.begin() + static_cast<std::ptrdiff_t>(first);
      EXPECT_EQ(file->read_part(tensor, first, count), std::vector<float>(at, at + static_cast<std::ptrdiff_t>(count)))
          << tensor.text() << " from " << first;
    }
  }
}

TEST(Fixtures, ACheckpointHasMoreThanWeights) {
  const TorchFile file(fixture_path("checkpoint.pt"));
  const Pickle& values = file.values();
  const PickleValue& root = values[values.root()];
  EXPECT_EQ(values.find(root, "epoch")->integer, 7);
  EXPECT_EQ(values.find(root, "args")->kind, PickleValue::Kind::none);
  const PickleValue* options = values.find(*values.find(root, "cfg"), "model");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->kind, PickleValue::Kind::object);
  EXPECT_EQ(values.find(*options, "arch")->text, "transformer");
  EXPECT_EQ(values.find(*options, "dropout")->real, 0.1);
  EXPECT_EQ(values[values.find(root, "vocab")->items.at(1)].text, "ein");
}

}  // namespace
}  // namespace hexapla::convert
