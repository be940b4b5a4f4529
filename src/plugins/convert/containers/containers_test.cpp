// Which files the readers of containers accept, and which they reject.
#include <gmock/gmock.h>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "convert/containers/ctranslate2_file.h"
#include "convert/containers/npz_file.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/test_containers.h"
#include "convert/containers/torch_file.h"
#include "convert/parsing/json_texts.h"

namespace hexapla::convert {
namespace {

using pickled::dictionary;
using pickled::global;
using pickled::integer;
using pickled::storage;
using pickled::tensor;
using testing::AllOf;
using testing::ElementsAre;
using testing::FloatEq;
using testing::HasSubstr;

class Containers : public TestFolder {
 protected:
  std::string write(const std::string& name, const std::string& bytes) const {
    write_file_atomically(at(name), bytes);
    return at(name);
  }
  template <class File>
  std::string refusal(const std::string& bytes) const {
    return what_of<DataError>([&] { File file(write("x", bytes)); });
  }
  static std::vector<std::string> names_of(const ForeignTensors& file) {
    std::vector<std::string> names;
    for (const ForeignTensor& t : file.list()) names.push_back(t.text());
    return names;
  }
  static std::vector<float> numbers(const ForeignTensors& file, const std::string& name) {
    return file.read(file.get(name));
  }
};

TEST_F(Containers, TorchTensorsAreViewsOfStorages) {
  const TorchFile file(write("x.pt", small_checkpoint()));
  EXPECT_THAT(names_of(file), ElementsAre("model.column f32 [2]", "model.half f16 [2]", "model.weight f32 [2, 3]"));
  EXPECT_THAT(numbers(file, "model.weight"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(numbers(file, "model.column"), ElementsAre(2, 5));
  EXPECT_THAT(numbers(file, "model.half"), ElementsAre(1, -2));
  const PickleValue& root = file.values()[file.values().root()];
  EXPECT_EQ(file.values().find(root, "epoch")->integer, 7);
  const PickleValue* options = file.values().find(root, "opt");
  EXPECT_EQ(options->text, "argparse.Namespace");
  EXPECT_EQ(file.values().find(*options, "heads")->integer, 2);
}

TEST_F(Containers, TorchTransposedTensorsComeRowByRow) {
  const TorchFile file(
      write("x.pt", torch_archive(dictionary({{"t", tensor(storage("FloatStorage", "0", 6), 0, {3, 2}, {1, 3})}}),
                                  {floats({1, 2, 3, 4, 5, 6})})));
  EXPECT_THAT(numbers(file, "t"), ElementsAre(1, 4, 2, 5, 3, 6));
}

// A tensor that can only be read whole is read once for all its parts.
TEST_F(Containers, PartsInARowAreReadOnce) {
  struct Counted : ForeignTensors {
    std::string name = "x";
    std::vector<ForeignTensor> all{{"a", {6}}, {"b", {2}}};
    mutable int reads = 0;
    const std::string& path() const override { return name; }
    const std::vector<ForeignTensor>& list() const override { return all; }
    std::vector<float> read(const ForeignTensor& t) const override {
      ++reads;
      std::vector<float> numbers(t.count());
      for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
      return numbers;
    }
  };
  const Counted file;
  EXPECT_THAT(file.read_part(file.all[0], 0, 2), ElementsAre(0, 1));
  EXPECT_THAT(file.read_part(file.all[0], 2, 3), ElementsAre(2, 3, 4));
  EXPECT_THAT(file.read_part(file.all[0], 5, 1), ElementsAre(5));
  EXPECT_EQ(file.reads, 1);
  EXPECT_THAT(file.read_part(file.all[1], 0, 1), ElementsAre(0));
  EXPECT_THAT(file.read_part(file.all[0], 1, 1), ElementsAre(1));
  EXPECT_THAT(file.read_part(file.all[1], 1, 1), ElementsAre(1));
  EXPECT_EQ(file.reads, 4) << "one at a time in memory";
}

// Every function that a pickle asks to call is rejected by name.
TEST_F(Containers, TorchRunsNothing) {
  const auto asks = [&](const std::string& code) { return refusal<TorchFile>(torch_archive(code, {})); };
  for (const auto& [module, name] :
       std::vector<std::pair<std::string, std::string>>{{"os", "system"},
                                                        {"posix", "system"},
                                                        {"builtins", "eval"},
                                                        {"__builtin__", "exec"},
                                                        {"subprocess", "Popen"},
                                                        {"torch", "load"},
                                                        {"__main__", "Transformer"},
                                                        {"torch.nn.modules.linear", "Linear"}}) {
    const std::string shown_name = (module == "__builtin__" ? "builtins" : module) + "." + name;
    const std::string called = global(module, name) + pickled::tuple({pickled::text("touch owned")}) + "R";
    EXPECT_THAT(asks(called),
                AllOf(HasSubstr("m/data.pkl"), HasSubstr("asks for '" + shown_name + "'"), HasSubstr("state_dict()")));
    const std::string by_stack = pickled::text(module) + pickled::text(name) + "\x93";
    EXPECT_THAT(asks(by_stack), HasSubstr("asks for '" + shown_name + "'"));
  }
  EXPECT_THAT(asks("(" + pickled::text("ls") + "ios\nsystem\n"), HasSubstr("has the opcode 105"));  // INST
  EXPECT_THAT(asks(global("torch", "FloatStorage") + ")R"), HasSubstr("calls torch.FloatStorage"));
}

TEST_F(Containers, TorchTensorsStayInsideOfTheirStorages) {
  const auto asks = [&](const std::string& t) {
    return refusal<TorchFile>(torch_archive(dictionary({{"t", t}}), {floats({1, 2, 3, 4})}));
  };
  const std::string four = storage("FloatStorage", "0", 4);
  EXPECT_THAT(asks(tensor(four, 0, {5}, {1})),
              HasSubstr("tensor 't' reaches beyond the 4 elements of its storage '0'"));
  EXPECT_THAT(asks(tensor(four, 3, {2}, {1})), HasSubstr("reaches beyond"));
  EXPECT_THAT(asks(tensor(four, 0, {2, 2}, {INT64_MAX, 1})), HasSubstr("reaches beyond"));
  EXPECT_THAT(asks(tensor(four, 0, {1000, 1000}, {0, 0})), HasSubstr("repeats the 4 elements"));
  EXPECT_THAT(asks(tensor(four, 0, {INT64_MAX, INT64_MAX}, {0, 0})), HasSubstr("does not fit into 63 bits"));
  EXPECT_THAT(asks(tensor(four, -1, {1}, {1})), HasSubstr("has the offset -1"));
  EXPECT_THAT(asks(tensor(four, 0, {-1}, {1})), HasSubstr("has sizes"));
  EXPECT_THAT(asks(tensor(four, 0, {1, 1}, {1})), HasSubstr("2 sizes and 1 strides"));
  EXPECT_THAT(asks(tensor(storage("FloatStorage", "0", 5), 0, {1}, {1})),
              HasSubstr("16 bytes, but 5 elements of f32 take 20"));
  EXPECT_THAT(asks(tensor(storage("FloatStorage", "../0", 4), 0, {1}, {1})), HasSubstr("no entry 'm/data/../0'"));
  EXPECT_THAT(asks(tensor(storage("ComplexFloatStorage", "0", 4), 0, {1}, {1})),
              HasSubstr("asks for 'torch.ComplexFloatStorage'"));
}

TEST_F(Containers, TorchValuesMayNotGoInCirclesOrOnWithoutEnd) {
  EXPECT_THAT(refusal<TorchFile>(torch_archive("]q\x01h\x01"
                                               "a",
                                               {})),
              HasSubstr("in a circle"));
  std::string laughs = "]q" + le<uint8_t>(0);  // lists of ten lists of ten lists ...
  for (uint8_t i = 1; i < 30; ++i) {
    laughs += "](";
    for (int k = 0; k < 10; ++k) laughs += "h" + le<uint8_t>(i - 1);
    laughs += "eq" + le(i);
  }
  EXPECT_THAT(refusal<TorchFile>(torch_archive(laughs, {})), HasSubstr("in a circle"));
  EXPECT_THAT(refusal<TorchFile>(torch_archive(std::string(2 << 20, ')'), {})),
              HasSubstr("has more than 1048576 values"));
  EXPECT_THAT(refusal<TorchFile>(torch_archive("X" + le(UINT32_MAX) + "a", {})),
              HasSubstr("4294967295 bytes should follow"));
}

TEST_F(Containers, TorchNamesWhatItIsNot) {
  EXPECT_THAT(refusal<TorchFile>("no archive"), HasSubstr("begins neither as a zip archive nor"));
  EXPECT_THAT(refusal<TorchFile>(small_npz()), HasSubstr("there is no data.pkl"));
  EXPECT_THAT(refusal<TorchFile>(zip({{"m/data.pkl", "\x80\x02}."}, {"m/constants.pkl", ""}})),
              HasSubstr("TorchScript"));
  EXPECT_THAT(refusal<TorchFile>(zip({{"m/data.pkl", "\x80\x02}."}, {"m/byteorder", "big"}})), HasSubstr("big-endian"));
}

TEST_F(Containers, NpzArrays) {
  const NpzFile file(write("x.npz", small_npz()));
  EXPECT_THAT(names_of(file), ElementsAre("a f32 [2, 3]", "f f32 [2, 3]", "h f16 [2]", "special:model.yml i8 [4]"));
  EXPECT_THAT(numbers(file, "a"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(numbers(file, "f"), ElementsAre(1, 2, 3, 4, 5, 6)) << "Fortran's order";
  EXPECT_THAT(numbers(file, "h"), ElementsAre(1, -2));
  EXPECT_EQ(file.bytes(file.get("special:model.yml")), "a: 1");
  const NpzFile of_marian(write("m.npz", zip({{"m.npy", npy_of("<i1", false, "(4,)", std::string("a: 1", 4))}})));
  EXPECT_EQ(of_marian.bytes(of_marian.get("m")), "a: 1") << "as its trainer writes it";
}

TEST_F(Containers, NpzRefusals) {
  const auto asks = [&](const std::string& array) { return refusal<NpzFile>(zip({{"a.npy", array}})); };
  EXPECT_THAT(asks(npy_of(">f4", false, "(1,)", floats({1}))),
              AllOf(HasSubstr("entry 'a.npy'"), HasSubstr("'>f4', big-endian")));
  EXPECT_THAT(asks(npy_of("|O", false, "(1,)", "")), HasSubstr("has the type '|O'"));
  EXPECT_THAT(asks(npy_of("<f4", false, "(2,)", floats({1}))), HasSubstr("but a head of"));
  EXPECT_THAT(asks(npy_of("<f4", false, "(4294967296, 4294967296)", "")), HasSubstr("does not fit into 63 bits"));
  EXPECT_THAT(asks(npy_of("<f4", false, "(1, 1, 1, 1, 1, 1, 1, 1, 1)", "")), HasSubstr("not 8 whole numbers"));
  EXPECT_THAT(asks(npy_of("<f4", false, "(-1,)", "")), HasSubstr("not 8 whole numbers"));
  EXPECT_THAT(asks(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': ()}", "")),
              HasSubstr("records are not read"));
  EXPECT_THAT(asks(npy("{'descr': '<f4', 'descr': '<f4', 'shape': ()}", "")), HasSubstr("twice"));
  EXPECT_THAT(asks(npy("{'descr': '<f4', 'shape': ()}", "")), HasSubstr("lacks a field"));
  EXPECT_THAT(asks("\x93NUMPY\x07"), HasSubstr("no array"));
  EXPECT_THAT(refusal<NpzFile>(small_checkpoint()), HasSubstr("is no .npy"));
}

TEST_F(Containers, CTranslate2VariablesOfEveryVersion) {
  for (const uint32_t version : {2, 3, 4, 5, 6}) {
    const CTranslate2File file(write("model.bin", small_ct2(version)));
    EXPECT_EQ(file.version(), version);
    EXPECT_EQ(file.specification(), "TransformerSpec");
    EXPECT_EQ(file.revision(), 7u);
    EXPECT_EQ(file.list().size(), version < 3 ? 3u : 4u);
    EXPECT_THAT(numbers(file, "encoder/weight"), ElementsAre(1, FloatEq(1 / 127.f), FloatEq(-1 / 127.f), 1, 0, -63.5));
    EXPECT_EQ(file.number("decoder/num_heads"), 2.f);
    if (version < 3) continue;
    EXPECT_EQ(numbers(file, "decoder/weight"), numbers(file, "encoder/weight"));
  }
}

// OpenNMT-tf's variable names; without a specification name, element types or aliases; scales of
// 16-bit weights.
TEST_F(Containers, CTranslate2VariablesOfTheFirstVersion) {
  const auto variable = [](const std::string& name, uint32_t rows, uint8_t width, const std::string& bytes) {
    return ct2_text(name) + '\1' + le(rows) + le(width) + le(rows) + bytes;
  };
  const std::string matrix = ct2_text("transformer/encoder/w_embs:0") + '\2' + le<uint32_t>(1) + le<uint32_t>(2) +
                             le<uint8_t>(2) + le<uint32_t>(2) + le<int16_t>(500) + le<int16_t>(-2000);
  const CTranslate2File file(write(
      "model.bin", le<uint32_t>(1) + le<uint32_t>(4) + matrix +
                       variable("transformer/encoder/layer_0/multi_head/conv1d_1/bias:0", 1, 4, floats({3})) +
                       variable("transformer/decoder/layer_0/masked_multi_head/LayerNorm/beta:0", 1, 4, floats({4})) +
                       variable("transformer/decoder/layer_0/multi_head/conv1d/bias:0", 1, 4, floats({5}))));
  EXPECT_EQ(file.specification(), "");
  EXPECT_THAT(numbers(file, "encoder/embeddings/weight"), ElementsAre(0.5F, -2));
  EXPECT_THAT(numbers(file, "encoder/layer_0/self_attention/linear_1/bias"), ElementsAre(3));
  EXPECT_THAT(numbers(file, "decoder/layer_0/self_attention/layer_norm/beta"), ElementsAre(4));
  EXPECT_THAT(numbers(file, "decoder/layer_0/attention/linear_0/bias"), ElementsAre(5));
}

TEST_F(Containers, CTranslate2Refusals) {
  const auto asks = [&](const std::string& bytes) { return refusal<CTranslate2File>(bytes); };
  EXPECT_THAT(asks(ct2({}, 7)), HasSubstr("begins with version 7"));
  EXPECT_THAT(asks(ct2({{"w", {2, 2}, 0, floats({1})}})), HasSubstr("has 4 bytes, but w f32 [2, 2] takes 16"));
  EXPECT_THAT(asks(ct2({{"w", {1}, 6, "    "}})), HasSubstr("has the type 6"));
  EXPECT_THAT(asks(ct2({{"w", {1, 2}, 1, "ab"}})), HasSubstr("needs a variable 'w_scale'"));
  EXPECT_THAT(asks(ct2({{"w", {}, 1, "a"}, {"w", {}, 1, "a"}})), HasSubstr("'w' is there twice"));
  EXPECT_THAT(asks(ct2({{"w", {}, 1, "a"}}, 6, {{"v", "u"}})),
              HasSubstr("alias 'v' stands for 'u', which is not there"));
  EXPECT_THAT(asks(ct2({{"w", {}, 1, "a"}}, 6, {{"w", "w"}})), HasSubstr("is the name of a variable, too"));
  EXPECT_THAT(asks(ct2({}) + "more"), HasSubstr("4 bytes follow"));
  const std::string honest = small_ct2();
  for (size_t size = 0; size < honest.size(); ++size)
    EXPECT_THAT(asks(honest.substr(0, size)), HasSubstr("follow")) << size;
}

class Shards : public Containers {
 protected:
  Shards() {
    for (const auto& [file, name] : {std::pair{"one.safetensors", "a"}, {"two.safetensors", "b"}})
      write_safetensors(at(file), std::vector<NamedTensor>{{name, Tensor::of(numbers_, {2})}}, {});
  }
  std::string with_map(const std::string& map) const {
    return write("model.safetensors.index.json", R"({"metadata": {"total_size": 16}, "weight_map": )" + map + "}");
  }
  std::string refusal_of(const std::string& map) const {
    return what_of<DataError>([&] { SafetensorsModel model(with_map(map)); });
  }
  float numbers_[2] = {1, -2};
};

TEST_F(Shards, AreReadAsOne) {
  const SafetensorsModel model(with_map(R"({"a": "one.safetensors", "b": "two.safetensors"})"));
  EXPECT_THAT(names_of(model), ElementsAre("a f32 [2]", "b f32 [2]"));
  EXPECT_THAT(numbers(model, "b"), ElementsAre(1, -2));
  EXPECT_THAT(names_of(SafetensorsModel(at("one.safetensors"))), ElementsAre("a f32 [2]"));
}

TEST_F(Shards, NoOtherFilesAreOpened) {
  for (const char* elsewhere :
       {"/etc/passwd", "../one.safetensors", "sub/one.safetensors", "", "..", "one.safetensors\\u0000x"})
    EXPECT_THAT(refusal_of(cat(R"({"a": ")", elsewhere, R"("})")), HasSubstr("files beside the index")) << elsewhere;
  EXPECT_THAT(refusal_of(R"({"a": "none.safetensors"})"), HasSubstr("none.safetensors"));
}

TEST_F(Shards, IndexAndFilesAgree) {
  EXPECT_THAT(refusal_of(R"({"a": "one.safetensors", "c": "two.safetensors"})"),
              HasSubstr("tensor 'c' should be in 'two.safetensors'"));
  EXPECT_THAT(refusal_of(R"({"a": "two.safetensors", "b": "one.safetensors"})"), HasSubstr("should be in"));
  EXPECT_THAT(refusal_of(R"({"a": ["one.safetensors"]})"), HasSubstr("a list"));
  EXPECT_THAT(refusal_of(R"({"a": "one.safetensors", "a": "one.safetensors"})"), HasSubstr("twice"));
  EXPECT_THAT(refusal_of(std::string(100, '[') + std::string(100, ']')), HasSubstr("'weight_map' has a list"));
  EXPECT_THAT(refusal_of("{"), HasSubstr("not valid JSON"));
}

TEST_F(Containers, ListsOfTexts) {
  EXPECT_THAT(read_text_list(write("v.json", R"(["<unk>", "\u2581a"])")), ElementsAre("<unk>", "\u2581a"));
  for (const char* wrong : {"[1]", "{}", "\"a\"", "[[\"a\"]]", "[\"a\"", "3"})
    EXPECT_THAT(what_of<DataError>([&] { read_text_list(write("v.json", wrong)); }), HasSubstr("v.json")) << wrong;
}

}  // namespace
}  // namespace hexapla::convert
