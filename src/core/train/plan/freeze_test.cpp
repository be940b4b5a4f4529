#include "train/plan/freeze.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

model::Transformer small_model() {
  model::Config c;
  c.source_vocab = c.target_vocab = 8;
  c.enc_layers = c.dec_layers = 2;
  c.d_model = c.d_ff = 8;
  c.heads = 2;
  c.resolve();
  return model::Transformer(c);
}

TEST(Freeze, PartsAreBeginningsOfNames) {
  model::Transformer model = small_model();
  EXPECT_THAT(frozen_parameters(model, ""), IsEmpty());
  const auto encoder = frozen_parameters(model, "encoder");
  EXPECT_THAT(encoder, AllOf(Not(IsEmpty()), Each(StartsWith("encoder."))));
  const auto first = frozen_parameters(model, "encoder.layers.0");
  EXPECT_EQ(2 * first.size(), encoder.size());
  EXPECT_THAT(first, Each(StartsWith("encoder.layers.0.")));
  EXPECT_EQ(frozen_parameters(model, "encoder,embeddings").size(), encoder.size() + 1);
  EXPECT_THAT(frozen_parameters(model, "embeddings.0.table"), SizeIs(1));
}

TEST(Freeze, StatisticsAreFrozenWithTheirNorm) {
  model::Config c;
  c.source_vocab = c.target_vocab = 8;
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 8;
  c.heads = 2;
  c.norm = "batch";
  c.resolve();
  model::Transformer model(c);
  auto frozen = [&](const std::string& parts) {
    std::vector<std::string> names;
    freeze_statistics(model, frozen_parameters(model, parts));
    model::for_each<model::Buffer>(model, [&](const std::string& name, const model::Buffer& b) {
      if (b.frozen) names.push_back(name);
    });
    return names;
  };
  EXPECT_THAT(frozen(""), IsEmpty());
  EXPECT_THAT(frozen("encoder"), AllOf(Not(IsEmpty()), Each(StartsWith("encoder."))));
  EXPECT_THAT(frozen("embeddings"), IsEmpty()) << "and what was frozen before is so no more";
  std::string norm;
  model::for_each<model::Buffer>(
      model, [&](const std::string& name, model::Buffer&) { norm = name.substr(0, name.rfind('.')); });
  EXPECT_THAT(frozen(norm), SizeIs(2));
  EXPECT_THAT(frozen(norm + ".gain"), IsEmpty()) << "its bias is trained";
}

TEST(Freeze, AStarIsAnyStep) {
  model::Transformer model = small_model();
  const auto cross = frozen_parameters(model, "decoder.layers.*.cross_attention");
  EXPECT_THAT(cross, AllOf(Not(IsEmpty()), Each(HasSubstr(".cross_attention."))));
  EXPECT_EQ(cross.size(), 2 * frozen_parameters(model, "decoder.layers.1.cross_attention").size());
}

TEST(Freeze, UnknownPartsListTheKnown) {
  model::Transformer model = small_model();
  auto message = [&](const std::string& parts) {
    return what_of<UsageError>([&] { frozen_parameters(model, parts); });
  };
  EXPECT_THAT(message("enc"), HasSubstr("`freeze` names 'enc', but the model has no such part; there are: decoder, "
                                        "embeddings, encoder"));
  EXPECT_THAT(message("encoder,decoder.layers.2"),
              HasSubstr("'decoder.layers.2', but the model has no such part; there are: decoder.layers.0, "
                        "decoder.layers.1"));
  EXPECT_THAT(message("embeddings.0.table.x"), HasSubstr("embeddings.0.table has no parts"));
  EXPECT_THAT(message("encoder,,decoder"), HasSubstr("`freeze` names ''"));
  EXPECT_THAT(message("embeddings,encoder,decoder"), HasSubstr("nothing is left to train"));
}

}  // namespace
}  // namespace hexapla::train
