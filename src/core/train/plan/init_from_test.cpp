#include "train/plan/init_from.h"

#include <gmock/gmock.h>

#include "base/files/test_folder.h"

namespace hexapla::train {
namespace {

using testing::AllOf;
using testing::HasSubstr;

text::Vocabulary vocabulary(const std::string& words, int size) {
  return text::Vocabulary::train(std::vector<std::string>(30, words), {.size = size});
}

model::Config config(const std::string& tied, const text::Vocabulary& v) {
  model::Config c;
  c.source_vocab = c.target_vocab = v.size();
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 8;
  c.heads = 2;
  c.tied = c.tied.parse("tied", tied);
  c.norm = "batch";
  c.generator_bias = true;
  c.resolve();
  return c;
}

struct Net {
  model::Transformer net;
  model::Parameters parameters;
  Net(const model::Config& c, uint64_t seed) : net(c), parameters(net, DType::f32, model::Parameters::Use::inference) {
    model::initialize(net, seed);
  }
  Tensor value(const std::string& name) {
    Tensor found;
    model::for_each<model::Parameter>(net, [&](const std::string& n, const model::Parameter& p) {
      if (n == name) found = p.value;
    });
    return found;
  }
};

std::vector<float> numbers(Tensor t) {
  const auto v = t.values<float>();
  return {v.begin(), v.end()};
}

class InitFrom : public TestFolder {
 protected:
  // Path of a saved model with this vocabulary and values unlike a new one's.
  std::string save(const std::string& tied, const text::Vocabulary& v) const {
    Net old(config(tied, v), 11);
    model::for_each<model::Buffer>(old.net,
                                   [](const std::string&, model::Buffer& b) { b.value.data<float>()[0] = 42; });
    const Tensor bias = old.value("generator.bias");
    for (float& x : bias.values<float>()) x = 0.5f;
    model::save_model(at(tied), old.net, {v.bytes(), v.bytes()}, {});
    return at(tied);
  }
};

TEST_F(InitFrom, TheSameVocabularyGivesTheSameModel) {
  const text::Vocabulary v = vocabulary("red green blue house tree", 30);
  for (const char* tied : {"all", "decoder", "none"}) {
    Net old(config(tied, v), 11), now(config(tied, v), 1);
    const Tensor bias = old.value("generator.bias");
    for (float& x : bias.values<float>()) x = 0.5f;
    now.net.config.dropout = 0.4;  // may differ
    now.net.config.load_balancing = 0.4;
    const std::string note = start_from(InitialModel::load(save(tied, v)), now.net, v, v);
    EXPECT_THAT(note, HasSubstr(cat(v.size(), " of ", v.size(), " pieces")));
    EXPECT_EQ(numbers(now.parameters.values()), numbers(old.parameters.values())) << tied;
    model::for_each<model::Buffer>(
        now.net, [](const std::string&, model::Buffer& b) { EXPECT_EQ(b.value.data<float>()[0], 42.f); });
  }
}

TEST_F(InitFrom, RowsGoToTheSamePiecesOfAnotherVocabulary) {
  const text::Vocabulary before = vocabulary("red green blue house tree", 30),
                         after = vocabulary("red gold blue bird", 26);
  for (const char* tied : {"all", "none"}) {
    Net old(config(tied, before), 11), fresh(config(tied, after), 1), now(config(tied, after), 1);
    start_from(InitialModel::load(save(tied, before)), now.net, after, after);
    int carried = 0;
    for (int32_t id = 0; id < after.size(); ++id) {
      int32_t was = -1;
      for (int32_t i = 0; i < before.size(); ++i)
        if (before.piece(i) == after.piece(id)) was = i;
      carried += was >= 0;
      auto row = [](Net& n, int64_t i) { return numbers(n.value("embeddings.0.table").slice(i, 1)); };
      EXPECT_EQ(row(now, id), was >= 0 ? row(old, was) : row(fresh, id)) << after.piece(id);
      EXPECT_EQ(numbers(now.value("generator.bias"))[id], was >= 0 ? 0.5f : 0.f) << after.piece(id);
      if (!now.net.generator.weight) continue;
      auto cell = [](Net& n, int64_t i) { return numbers(n.value("generator.weight").slice(3, 1))[i]; };
      EXPECT_EQ(cell(now, id), was >= 0 ? cell(old, was) : cell(fresh, id)) << after.piece(id);
    }
    EXPECT_GT(carried, 8);
    EXPECT_LT(carried, after.size());
    const char* inner = "encoder.layers.0.feed_forward.inner.weight";
    ASSERT_TRUE(now.value(inner));
    EXPECT_EQ(numbers(now.value(inner)), numbers(old.value(inner)));
  }
}

TEST_F(InitFrom, AnotherShapeIsNamed) {
  const text::Vocabulary v = vocabulary("red green blue", 22);
  const InitialModel initial = InitialModel::load(save("all", v));
  auto message = [&](auto change) {
    model::Config c = config("all", v);
    change(c);
    c.resolve();
    Net now(c, 1);
    return what_of<UsageError>([&] { start_from(initial, now.net, v, v); });
  };
  EXPECT_THAT(message([](model::Config& c) { c.d_ff = 16; }),
              AllOf(HasSubstr(at("all")), HasSubstr("its dim-ff is 8, but this run's is 16; give `dim-ff` 8")));
  EXPECT_THAT(message([](model::Config& c) { c.activation = "gelu"; }), HasSubstr("its activation is relu"));
  EXPECT_THAT(message([](model::Config& c) { c.tied = "none"; }), HasSubstr("its tied is all, but this run's is none"));
}

TEST_F(InitFrom, ConfigurationAndVocabularyOfTheModel) {
  const text::Vocabulary v = vocabulary("red green blue", 22), other = vocabulary("gold bird", 18);
  const std::string path = save("decoder", v);
  EXPECT_EQ(config_of_model(path).to_json(), config("decoder", v).to_json());
  EXPECT_EQ(vocabularies_of_model(path).source.bytes(), v.bytes());
  const text::VocabularyPair two_rules =
      text::train_joint_vocabulary({"red green blue"}, {"gold bird"}, {.size = 26}, "keep");
  Net tied(config("all", two_rules.source), 1);
  model::save_model(at("tied"), tied.net, {two_rules.source.bytes(), two_rules.target.bytes()}, {});
  EXPECT_EQ(vocabularies_of_model(at("tied")).source.normalization(), "nmt_nfkc");
  EXPECT_EQ(vocabularies_of_model(at("tied")).target.bytes(), two_rules.target.bytes());
  const std::string first = InitialModel::load(path).checksum(),
                    again = InitialModel::load(save("decoder", v)).checksum();
  EXPECT_EQ(first, again);
  EXPECT_NE(first, InitialModel::load(save("decoder", other)).checksum());
  model::Config c = config("decoder", v);
  c.target_vocab = other.size();
  Net two(c, 1);
  model::save_model(at("two"), two.net, {v.bytes(), other.bytes()}, {});
  EXPECT_THAT(what_of<UsageError>([&] { vocabularies_of_model(at("two")); }),
              HasSubstr("give one for both with `vocab`"));
  EXPECT_THAT(what_of<DataError>([&] { config_of_model(at("none")); }), HasSubstr(at("none")));
}

}  // namespace
}  // namespace hexapla::train
