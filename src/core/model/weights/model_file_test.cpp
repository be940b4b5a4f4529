#include "model/weights/model_file.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <fstream>
#include <limits>
#include <list>
#include <set>

#include "base/compute/random.h"
#include "base/files/file.h"
#include "base/files/hash.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "model/weights/quantize.h"
#include "model/weights/save_quantized.h"
#include "model/weights/test_change_number.h"
#include "tensor/half.h"
#include "tensor/safetensors.h"

namespace hexapla::model {
namespace {
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

Config tiny_config() {
  Config c;
  c.source_vocab = c.target_vocab = 11;
  c.enc_layers = c.dec_layers = 1;
  c.d_model = 4, c.d_ff = 6, c.heads = 2;
  return c;
}
std::vector<Config> variants() {
  std::vector<Config> all(12, tiny_config());
  all[1].tied = "none", all[1].target_vocab = 7, all[1].generator_bias = true;
  all[2].norm = "batch", all[2].tied = "decoder";
  all[3].norm_position = "pre", all[3].gated = true, all[3].activation = "swish", all[3].attention_bias = true;
  all[4].positions = "learned", all[4].max_positions = 9, all[4].embedding_norm = true;
  all[5].score = "additive", all[5].d_k = 3, all[5].d_v = 5, all[5].enc_layers = 3;
  all[6].encoder_mixing = "gru", all[6].norm_position = "pre";
  all[7].encoder_mixing = "convolution", all[7].kernel_width = 5, all[7].decoder_mask = "none";
  all[8].experts = 3, all[8].experts_per_token = 2, all[8].d_expert = 2, all[8].expert_capacity = 1.25;
  all[9].positions = "sinusoidal-halves", all[9].embedding_scale = "none";
  all[10].positions = "timing-signal", all[10].first_position = 2;
  all[11].decoder_mixing = "ssru";
  return all;
}

struct SmallModel {
  explicit SmallModel(Config config) : net((config.resolve(), config)), parameters(net, DType::f32, Use::inference) {
    Random random(1);
    for_each<Parameter>(net, [&](const std::string&, Parameter& p) { fill(p.value, random); });
    for_each<Buffer>(net, [&](const std::string&, Buffer& b) { fill(b.value, random); });
    for_each<Buffer>(net, [&](const std::string& name, Buffer& b) {  // a variance is not negative
      if (!name.ends_with("running_variance")) return;
      for (float& v : b.value.values<float>()) v = std::fabs(v);
    });
  }
  static void fill(const Tensor& t, Random& random) {
    for (float& v : t.values<float>()) v = static_cast<float>(random.normal());
  }
  using Use = Parameters::Use;
  Transformer net;
  Parameters parameters;
};

class ModelFileTest : public TestFolder {
 protected:
  const ModelText text_{std::string("vocabulary\0bytes\xff", 17), std::string("vocabulary\0bytes\xff", 17)};
  const std::map<std::string, std::string> history_{{"updates", "1234"}, {"corpus", "d\u00e9j\u00e0 \"vu\""}};

  std::string saved() {
    SmallModel m(tiny_config());
    save_model(at("m"), m.net, text_, history_);
    return at("m");
  }
  // The tensors and metadata of a saved model, for the test to change and write again.
  struct Parts {
    std::vector<NamedTensor> tensors;
    std::map<std::string, std::string> metadata;
    NamedTensor& tensor(const std::string& name) {
      return *std::find_if(tensors.begin(), tensors.end(), [&](auto& t) { return t.name == name; });
    }
  };
  template <class Change>
  std::string refusal_after(Change change) {
    const auto file = SafetensorsFile::open(saved());
    Parts parts;
    std::list<std::string> bytes;
    for (const auto& t : file.tensors())
      parts.tensors.push_back({t.name, Tensor(bytes.emplace_back(file.text(t)).data(), t.shape, t.dtype)});
    parts.metadata = file.metadata();
    change(parts);
    write_safetensors(at("changed"), parts.tensors, parts.metadata);
    return what_of<DataError>([&] { load_model(at("changed")); });
  }
  std::string refusal_of_config(const std::string& from, const std::string& to) {
    return refusal_after([&](Parts& p) {
      std::string& config = p.metadata.at("config");
      ASSERT_NE(config.find(from), std::string::npos);
      config.replace(config.find(from), from.size(), to);
    });
  }
};

TEST_F(ModelFileTest, ComesBackBitForBit) {
  for (const Config& config : variants()) {
    SmallModel m(config);
    save_model(at("a"), m.net, text_, history_);
    LoadedModel loaded = load_model(at("a"));
    EXPECT_EQ(loaded.config.to_json(), m.net.config.to_json());
    EXPECT_EQ(loaded.source_vocabulary, text_.source_vocabulary);
    EXPECT_EQ(loaded.target_vocabulary, text_.target_vocabulary);
    EXPECT_EQ(loaded.history, history_);
    EXPECT_EQ(loaded.metadata.at("format"), "hexapla");
    ASSERT_EQ(loaded.parameters->values().shape, m.parameters.values().shape);
    const auto same = [](Tensor a, Tensor b) { return std::memcmp(a.bytes, b.bytes, size_t(a.size()) * 4) == 0; };
    EXPECT_TRUE(same(loaded.parameters->values(), m.parameters.values()));
    ASSERT_EQ(bool(loaded.parameters->buffers()), config.norm == "batch");
    if (config.norm == "batch") {
      EXPECT_TRUE(same(loaded.parameters->buffers(), m.parameters.buffers()));
    }
    save_model(at("b"), *loaded.net, {loaded.source_vocabulary, loaded.target_vocabulary}, loaded.history);
    EXPECT_EQ(read_file(at("a")), read_file(at("b")));
  }
}

// Models keep the bytes that they had before this choice existed.
TEST_F(ModelFileTest, OneTensorAtATimeGivesTheSameBytes) {
  for (const Config& config : variants()) {
    SmallModel m(config);
    save_model(at("a"), m.net, text_, history_);
    std::map<std::string, Tensor> values;
    for_each<Parameter>(m.net, [&](const std::string& name, Parameter& p) { values[name] = p.value; });
    for_each<Buffer>(m.net, [&](const std::string& name, Buffer& b) { values[name] = b.value; });
    save_model(at("b"), m.net.config, text_, history_, {[&](const std::string& name, const Tensor& to) {
                 std::copy_n(values.at(name).bytes, static_cast<size_t>(to.size()) * sizeof(float), to.bytes);
               }});
    EXPECT_EQ(read_file(at("a")), read_file(at("b")));
  }
}

TEST_F(ModelFileTest, ChoicesThatCameLaterAreNamedOnlyWhereTheyAreMade) {
  Config c = tiny_config();
  const std::vector<std::string> later{"encoder-mixing", "kernel-width", "decoder-mask", "decoder-mixing"};
  for (const std::string& name : later) EXPECT_THAT(c.to_json(), Not(HasSubstr(name)));
  EXPECT_EQ(Config::from_json(c.to_json(), "m").kernel_width, 3);
  c.encoder_mixing = "convolution", c.kernel_width = 5, c.decoder_mask = "none";
  const Config back = Config::from_json(c.to_json(), "m");
  EXPECT_EQ(back.encoder_mixing.text(), "convolution");
  EXPECT_EQ(back.kernel_width, 5);
  EXPECT_EQ(back.decoder_mask.text(), "none");
}

TEST(Config, RefusesWhatAMixingCannotBe) {
  Config c = tiny_config();
  c.kernel_width = 4;
  EXPECT_THAT(what_of<UsageError>([&] { c.resolve(); }), HasSubstr("`kernel-width` 4 is even"));
  c = tiny_config();
  c.d_model = 9, c.heads = 3, c.encoder_mixing = "gru";
  EXPECT_THAT(what_of<UsageError>([&] { c.resolve(); }), HasSubstr("but 9 is odd; choose an even number"));
  c.encoder_mixing = "convolution";
  EXPECT_NO_THROW(c.resolve());
}

TEST(Config, RefusesAMaskWhereNothingAttends) {
  Config c = tiny_config();
  c.decoder_mixing = "ssru", c.decoder_mask = "none";
  EXPECT_THAT(what_of<UsageError>([&] { c.resolve(); }),
              HasSubstr("but `decoder-mixing` is ssru; leave one of them out"));
  c.decoder_mask = "causal";
  EXPECT_NO_THROW(c.resolve());
  EXPECT_EQ(Config::from_json(c.to_json(), "m").decoder_mixing.text(), "ssru");
}

TEST_F(ModelFileTest, TwoVocabularies) {
  SmallModel m(variants()[1]);
  save_model(at("m"), m.net, {"source", ""}, {});
  const LoadedModel loaded = load_model(at("m"));
  EXPECT_EQ(loaded.source_vocabulary, "source");
  EXPECT_EQ(loaded.target_vocabulary, "");
  EXPECT_EQ(SafetensorsFile::open(at("m")).find("tokenizer.shared"), nullptr);
}

TEST_F(ModelFileTest, NamesAreThoseOfTheModel) {
  const auto file = SafetensorsFile::open(saved());
  EXPECT_EQ(file.get("embeddings.0.table").shape, (Shape{11, 4}));
  EXPECT_EQ(file.text(file.get("tokenizer.shared")), text_.source_vocabulary);
}

TEST_F(ModelFileTest, RefusesWhatIsNotAModel) {
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata.clear(); }), HasSubstr("not a hexapla model"));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata["format"] = "pt"; }),
              AllOf(HasSubstr(at("changed")), HasSubstr("format is 'pt'")));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata["format_version"] = "3"; }),
              AllOf(HasSubstr("format version 3"), HasSubstr("up to 2"), HasSubstr("newer hexapla")));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata["format_version"] = "1x"; }), HasSubstr("'1x', not a number"));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata.erase("config"); }), HasSubstr("no 'config'"));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata.erase("checksum"); }), HasSubstr("no 'checksum'"));
  EXPECT_THAT(what_of<DataError>([&] { load_model(at("none")); }), HasSubstr(at("none")));
  EXPECT_THAT(what_of<DataError>([&] { load_model(source_path("tests/fixtures/peer.safetensors")); }),
              HasSubstr("not a hexapla model"));
}

TEST_F(ModelFileTest, RefusesTensorsThatDoNotFitTheConfig) {
  const std::string name = "encoder.layers.0.attention_norm.gain";
  const auto at_name = [&](auto change) { return refusal_after([&](Parts& p) { change(p, p.tensor(name)); }); };
  EXPECT_THAT(at_name([](Parts&, NamedTensor& t) { t.name = "encoder.layers.0.attention_norm.gone"; }),
              HasSubstr("no tensor '" + name + "'"));
  EXPECT_THAT(at_name([](Parts&, NamedTensor& t) { t.tensor = t.tensor.slice(0, 3); }),
              HasSubstr(name + " is f32 [3], but the configuration asks for f32 [4]"));
  EXPECT_THAT(at_name([](Parts&, NamedTensor& t) { t.tensor.dtype = DType::i32; }), HasSubstr("is i32 [4]"));
  EXPECT_THAT(at_name([](Parts& p, NamedTensor& t) {
                p.tensors.push_back({"one.more", t.tensor});
              }),
              HasSubstr("one.more is not part of the model's configuration"));
  EXPECT_THAT(refusal_after([](Parts& p) { p.tensor("tokenizer.shared").name = "tokenizer.source"; }),
              HasSubstr("no tensor 'tokenizer.target'"));
  EXPECT_THAT(refusal_after([](Parts& p) {
                p.tensors.push_back({"tokenizer.source", p.tensors[0].tensor});
              }),
              HasSubstr("tokenizer.source is not part of the model's configuration"));
}

TEST_F(ModelFileTest, RefusesNumbersThatAreNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    SmallModel m(tiny_config());
    save_model(at("m"), m.net, text_, {});
    change_number(at("m"), "embeddings.0.table", 6, bad);
    EXPECT_THAT(what_of<DataError>([&] { load_model(at("m")); }),
                AllOf(HasSubstr("embeddings.0.table [11, 4]"), HasSubstr("number 6"), HasSubstr("diverged")));
  }
}

TEST_F(ModelFileTest, RefusesNumbersOutOfRange) {
  SmallModel m(variants()[2]);
  for (const auto& [tensor, bad] : std::map<std::string, float>{
           {"embeddings.0.table", 3e38F}, {"encoder.layers.0.attention_norm.running_variance", -1}}) {
    const std::string& name = tensor;  // Clang 14 captures no binding
    float* at_name = nullptr;
    for_each<Parameter>(
        m.net, [&](const std::string& n, Parameter& p) { at_name = n == name ? p.value.data<float>() : at_name; });
    for_each<Buffer>(m.net,
                     [&](const std::string& n, Buffer& b) { at_name = n == name ? b.value.data<float>() : at_name; });
    ASSERT_NE(at_name, nullptr) << name;
    save_model(at("m"), m.net, text_, {});
    change_number(at("m"), name, 1, bad);
    for (const auto load : {load_model, load_to_translate})
      EXPECT_THAT(what_of<DataError>([&] { load(at("m")); }),
                  AllOf(HasSubstr(name), HasSubstr("number 1, allowed are "), HasSubstr("to 1e+09")));
    // Refused numbers are not written either, in any format: the good file stays.
    save_model(at("m"), m.net, text_, {});
    const std::string before = read_file(at("m"));
    for (const float refused :
         {bad, std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      const float good = std::exchange(at_name[1], refused);
      const auto not_written = AllOf(HasSubstr(at("m") + " is not written"), HasSubstr(name), HasSubstr("number 1"));
      EXPECT_THAT(what_of<RunError>([&] { save_model(at("m"), m.net, text_, {}); }), not_written);
      EXPECT_THAT(what_of<RunError>([&] { save_quantized(at("m"), m.net, text_, {}, {}); }), not_written);
      const auto fill = [&](const std::string& n, const Tensor& to) {
        if (n == name) to.data<float>()[1] = refused;
      };
      EXPECT_THAT(what_of<RunError>([&] { save_model(at("m"), m.net.config, text_, {}, {fill}); }), not_written);
      EXPECT_EQ(read_file(at("m")), before);
      at_name[1] = good;
    }
    save_quantized(at("m"), m.net, text_, {}, {});
    EXPECT_NO_THROW(load_model(at("m"))) << "a refusal leaves the model as it was";
  }
}

TEST_F(ModelFileTest, RefusesDangerousConfigs) {
  for (const char* bad : {"-1e-6", "0", "2", "1e400", "null", "\"x\""})
    EXPECT_THAT(refusal_of_config("\"norm-eps\":1e-06", cat("\"norm-eps\":", bad)),
                AllOf(HasSubstr("configuration is"), HasSubstr("damaged")));
  EXPECT_THAT(refusal_of_config("\"enc-layers\":1", "\"enc-layers\":1000000000000"),
              AllOf(HasSubstr("enc-layers is 1000000000000"), HasSubstr("1 to 256")));
  EXPECT_THAT(refusal_of_config("\"source-vocab\":11,\"target-vocab\":11", "\"source-vocab\":-1,\"target-vocab\":-1"),
              HasSubstr("damaged: source-vocab is -1, but must be a whole number from 1"));
  EXPECT_THAT(refusal_of_config("\"dim-key\":2", "\"dim-key\":4611686018427387904"), HasSubstr("dim-key"));
  EXPECT_THAT(refusal_of_config("\"heads\":2", "\"heads\":0"), HasSubstr("heads"));
  EXPECT_THAT(refusal_of_config("\"heads\":2", "\"heads\":\"two\""), HasSubstr("heads"));
  EXPECT_THAT(refusal_of_config("\"heads\":2,", ""), HasSubstr("heads"));
  EXPECT_THAT(refusal_of_config("\"dim-ff\":6", "\"dim-ff\":1048576"), HasSubstr("1048576"));
  EXPECT_THAT(refusal_of_config("relu", "sigmoid"), HasSubstr("sigmoid"));
  EXPECT_THAT(refusal_of_config("relu", "gelu"), HasSubstr("checksum"));
  EXPECT_THAT(refusal_of_config("{", ""), HasSubstr("configuration is not valid JSON"));
  EXPECT_THAT(refusal_after([](Parts& p) { p.metadata["config"].resize(70000, ' '); }), HasSubstr("70000 bytes"));
}

TEST_F(ModelFileTest, RefusesATruncatedFile) {
  const std::string whole = read_file(saved());
  for (size_t n = 0; n < whole.size(); n += n < 200 ? 1 : 13) {
    std::ofstream(at("cut"), std::ios::binary) << whole.substr(0, n);
    EXPECT_THAT(what_of<DataError>([&] { load_model(at("cut")); }),
                AllOf(HasSubstr(at("cut")), HasSubstr("cut short")));
  }
}

// Either the load is refused, or the damage is outside of the model: spaces, or text of the
// history.
TEST_F(ModelFileTest, ADamagedByteNeverGivesAnotherModel) {
  const std::string whole = read_file(saved());
  const LoadedModel good = load_model(at("m"));
  Random random(2);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    std::string bytes = whole;
    bytes[random.below(static_cast<uint32_t>(bytes.size()))] ^= static_cast<char>(1 << random.below(8));
    std::ofstream(at("damaged"), std::ios::binary) << bytes;
    try {
      const LoadedModel loaded = load_model(at("damaged"));
      EXPECT_EQ(loaded.config.to_json(), good.config.to_json());
      EXPECT_EQ(loaded.source_vocabulary, good.source_vocabulary);
      EXPECT_EQ(std::memcmp(loaded.parameters->values().bytes, good.parameters->values().bytes,
                            static_cast<size_t>(good.parameters->values().size()) * 4),
                0);
    } catch (const DataError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 800);
}

TEST_F(ModelFileTest, HistoryMayNotTakeTheFormatsNames) {
  SmallModel m(tiny_config());
  EXPECT_THAT(what_of<InternalError>([&] {
                save_model(at("m"), m.net, text_, {{"config", "x"}});
              }),
              HasSubstr("'config'"));
  EXPECT_EQ(entries(), 0u);
}

TEST_F(ModelFileTest, AFullDiskLeavesTheOldModel) {
  const std::string old = read_file(saved());
  {
    const FileSizeLimit limit(old.size() / 2);
    EXPECT_THAT(what_of<RunError>([&] { saved(); }), HasSubstr(at("m")));
  }
  EXPECT_EQ(read_file(at("m")), old);
}

// Numbers of another system's model, in their original type.
class HalfPrecision : public ModelFileTest, public testing::WithParamInterface<DType> {
 protected:
  // A model with these numbers, each rounded to the type.
  std::string save_halves(SmallModel& m) const {
    const Leaves leaves = leaves_of(m.net);
    for (const auto& [name, p] : leaves.parameters)
      for (float& x : p->value.values<float>())
        x = GetParam() == DType::f16 ? float_of_f16(f16_of_float(x)) : float_of_bf16(bf16_of_float(x));
    const auto fill = [&](const std::string& name, const Tensor& to) {
      const NumberStore store(to);
      size_t i = 0;
      for (const auto& [other, p] : leaves.parameters)
        if (other == name)
          for (const float x : p->value.values<float>()) store.set(i++, x);
      for (const auto& [other, b] : leaves.buffers)
        if (other == name)
          for (const float x : b->value.values<float>()) store.set(i++, x);
    };
    save_model(at("halves"), m.net.config, text_, history_, {fill, [](const std::string&) { return GetParam(); }});
    return at("halves");
  }
};
INSTANTIATE_TEST_SUITE_P(Types, HalfPrecision, testing::Values(DType::f16, DType::bf16),
                         [](const auto& p) { return std::string(name_of(p.param)); });

TEST_P(HalfPrecision, IsKeptInTheFileAndReadAsF32) {
  for (const Config& config : variants()) {
    SmallModel m(config);
    const std::string file = save_halves(m);
    EXPECT_EQ(SafetensorsFile::open(file).metadata().at("format_version"), "2") << "earlier programs refuse it";
    const LoadedModel loaded = load_model(file);
    const auto before = leaves_of(m.net), after = leaves_of(*loaded.net);
    ASSERT_EQ(before.parameters.size(), after.parameters.size());
    for (size_t i = 0; i < before.parameters.size(); ++i) {
      const auto a = before.parameters[i].leaf->value.values<float>(),
                 b = after.parameters[i].leaf->value.values<float>();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << before.parameters[i].name;
      EXPECT_EQ(loaded.stored.at(before.parameters[i].name), GetParam());
    }
    for (size_t i = 0; i < before.buffers.size(); ++i) {
      const auto a = before.buffers[i].leaf->value.values<float>(), b = after.buffers[i].leaf->value.values<float>();
      EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << before.buffers[i].name;
    }
  }
}

TEST_P(HalfPrecision, DamageIsSeen) {
  SmallModel m(tiny_config());
  const std::string file = save_halves(m);
  std::string bytes = read_file(file);
  bytes[bytes.size() - 40] ^= 1;
  write_file_atomically(file, bytes);
  EXPECT_THAT(what_of<DataError>([&] { load_model(file); }), HasSubstr("checksum"));
  EXPECT_THAT(what_of<DataError>([&] { load_to_translate(file); }), HasSubstr("checksum"));
}

TEST_P(HalfPrecision, WhatIsNotFiniteIsRefused) {
  SmallModel m(tiny_config());
  const uint16_t infinity = GetParam() == DType::f16 ? 0x7c00 : 0x7f80;
  bool infinite = false;
  const auto fill = [&](const std::string& name, const Tensor& to) {
    if (infinite && name.ends_with("qkv.weight")) std::memcpy(to.bytes + 6, &infinity, 2);
  };
  const auto save = [&] {
    save_model(at("bad"), m.net.config, text_, {}, {fill, [](const std::string&) { return GetParam(); }});
  };
  save();
  infinite = true;
  EXPECT_THAT(what_of<RunError>(save), HasSubstr("holds inf as its number 3"));
  change_number(at("bad"), "encoder.layers.0.self_attention.qkv.weight", 3, infinity);
  const auto refused = AllOf(HasSubstr("qkv.weight"), HasSubstr("holds inf as its number 3"));
  EXPECT_THAT(what_of<DataError>([&] { load_model(at("bad")); }), refused);
  EXPECT_THAT(what_of<DataError>([&] { load_to_translate(at("bad")); }), refused);
}

}  // namespace
}  // namespace hexapla::model
