// One side's feed-forward networks are narrower than the other's: every reader fills them with zeros.
#include "convert/foreign/feed_forwards.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/json.h"
#include "base/test_paths.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/torch_file.h"
#include "convert/import.h"
#include "convert/test_narrow.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DifferentWidths : public TestFolder {
 protected:
  // The parameters of the model at `narrow` are those of `whole`, with zeros from the width on.
  void expect_filled(const std::string& whole, const std::string& narrow, int64_t width) const {
    const model::LoadedModel a = model::load_model(at(whole)), b = model::load_model(at(narrow));
    EXPECT_EQ(a.config.to_json(), b.config.to_json());
    const auto of_b = leaves_of(*b.net).parameters;
    auto other = of_b.begin();
    for (const auto& [name, parameter] : leaves_of(*a.net).parameters) {
      const auto x = parameter->value.values<float>(), y = (other++)->leaf->value.values<float>();
      const bool own = name.starts_with("decoder.") && name.find("feed_forward.") != std::string::npos;
      const bool inner = name.find("inner") != std::string::npos, outer = name.ends_with("outer.weight");
      ASSERT_EQ(x.size(), y.size());
      for (int64_t i = 0; i < std::ssize(x); ++i) {
        const int64_t unit = outer ? i / a.config.d_model : i % a.config.d_ff;
        const bool zero = own && (inner || outer) && unit >= width;
        ASSERT_EQ(y[i], zero ? 0 : x[i]) << name << " " << i;
      }
    }
  }
};

TEST_F(DifferentWidths, OfHuggingFaceAreFilled) {
  fs::copy(source_path("src/plugins/convert/fixtures/hf_m2m"), at("narrow"));
  const SafetensorsModel whole(source_path("src/plugins/convert/fixtures/hf_m2m/model.safetensors"));
  write_narrow(whole, "decoder", "fc1", "fc2", 10, at("narrow/model.safetensors"));
  auto config = nlohmann::json::parse(read_file(at("narrow/config.json")));
  ASSERT_GT(config["encoder_ffn_dim"], 10);
  config["decoder_ffn_dim"] = 10;
  write_file_atomically(at("narrow/config.json"), json_text(config));
  import_model(source_path("src/plugins/convert/fixtures/hf_m2m"), at("a"), {}, [](double) {});
  EXPECT_THAT(import_model(at("narrow"), at("b"), {}, [](double) {}).notes,
              testing::Contains(HasSubstr("filled with zeros")));
  expect_filled("a", "b", 10);
  config["decoder_ffn_dim"] = 11;
  write_file_atomically(at("narrow/config.json"), json_text(config));
  EXPECT_THAT(what_of<DataError>([&] { import_model(at("narrow"), at("c"), {}, [](double) {}); }), HasSubstr("11"));
}

TEST_F(DifferentWidths, OfPyTorchAreFilled) {
  const auto foreign = [](const char* name) { return source_path(cat("tests/fixtures/foreign/", name)); };
  ImportOptions o;
  o.heads = 2;
  o.source_vocab = foreign("tokens_23.txt"), o.target_vocab = foreign("tokens_19.txt");
  for (const auto& [file, inner, outer] :
       {std::tuple{"torch_post_norm.pt", "linear1", "linear2"}, {"annotated.pt", "w_1", "w_2"}}) {
    const bool torch = file == std::string("torch_post_norm.pt");
    o.activation = torch ? "relu" : "", o.norm_eps = torch ? 1e-5 : 0;
    write_narrow(TorchFile(foreign(file)), "decoder", inner, outer, 7, at("narrow.safetensors"));
    import_model(foreign(file), at("a"), o, [](double) {});
    EXPECT_THAT(import_model(at("narrow.safetensors"), at("b"), o, [](double) {}).notes,
                testing::Contains(HasSubstr("filled with zeros")));
    expect_filled("a", "b", 7);
  }
}

TEST_F(DifferentWidths, WhatCannotBeReadAgainIsNotWhole) {
  fs::copy(source_path("src/plugins/convert/fixtures/hf_m2m"), at("m"));
  EXPECT_NO_THROW(check_readable(at("m"), "hf-multilingual"));
  auto config = nlohmann::json::parse(read_file(at("m/config.json")));
  config["decoder_ffn_dim"] = 10;
  write_file_atomically(at("m/config.json"), json_text(config));
  EXPECT_THROW(check_readable(at("m"), "hf-multilingual"), RunError);
}

}  // namespace
}  // namespace hexapla::convert
