#include "model/weights/other/other_files.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/files/test_folder.h"
#include "model/weights/model_file.h"
#include "model/weights/other/other_model.h"

namespace hexapla::model {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class OtherFiles : public TestFolder {
 protected:
  std::string file(const std::string& name, const std::string& bytes) {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << bytes;
    return at(name);
  }
  static std::string refusal(const std::string& path) {
    return what_of<DataError>([&] { load_to_translate(model_file(path)); });
  }
};

TEST_F(OtherFiles, TextIsCalledText) {
  for (const char* text : {"A dog runs.\n", "一只狗在跑。\n", "สุนัขวิ่ง\n", "كلب يركض\n", "{\"a\": 1}", "lr: 3\r\n"})
    EXPECT_THAT(refusal(file("a b.en", text)),
                AllOf(HasSubstr("is no model of hexapla, but text"), HasSubstr("-m MODEL < '" + at("a b.en") + "'")))
        << text;
}

TEST_F(OtherFiles, OfOtherSystemsPointToImport) {
  EXPECT_THAT(refusal(file("model.pt", std::string("PK\x03\x04\0\0", 6))),
              AllOf(HasSubstr("PyTorch"), HasSubstr("hexapla import " + at("model.pt") + " -o FILE")));
  EXPECT_THAT(refusal(file("old.pt", "\x80\x02\x8A\x0A")), HasSubstr("hexapla import"));
  EXPECT_THAT(refusal(file("text.gz", "\x1F\x8B\x08")), HasSubstr("a compressed file"));
  EXPECT_THAT(refusal(file("v.spm", "\x0A\x0E\x0A\x05<unk>\x15")), HasSubstr("vocabulary of SentencePiece"));
}

TEST_F(OtherFiles, FoldersAreCalledByTheirSystem) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> folders{
      {{"model.bin", "config.json", "shared_vocabulary.json"}, "CTranslate2"},
      {{"model.npz", "vocab.spm"}, "Marian"},
      {{"checkpoint_best.pt", "dict.en.txt", "dict.de.txt"}, "fairseq"},
      {{"config.json", "pytorch_model.bin"}, "Hugging Face"},
      {{"src_vocab.txt", "best.ckpt"}, "JoeyNMT"}};
  int number = 0;
  for (const auto& [names, system] : folders) {
    const std::string folder = std::to_string(++number);
    for (const std::string& name : names) file(folder + "/" + name, "x");
    EXPECT_THAT(refusal(at(folder)),
                AllOf(HasSubstr("a model of " + system), HasSubstr("hexapla import " + at(folder))));
  }
  file("run/checkpoints/update-5/state", "x");
  EXPECT_THAT(refusal(at("run")), HasSubstr("contains an unfinished run"));
  file("other/notes.txt", "x");
  EXPECT_THAT(refusal(at("other")), HasSubstr("is a folder without a model.safetensors"));
}

// A file that cannot be imported is named, too, with what to do; nothing of it points to import.
TEST_F(OtherFiles, WhatCannotBeImportedIsNamed) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 123\n";
  EXPECT_THAT(refusal(file("model.safetensors", pointer)), AllOf(HasSubstr("Git LFS"), HasSubstr("git lfs pull")));
  EXPECT_TRUE(is_pointer(at("model.safetensors")));
  const std::vector<std::tuple<const char*, std::vector<std::pair<std::string, std::string>>>> folders{
      {"LoRA", {{"adapter_config.json", "{}"}, {"adapter_model.safetensors", "x"}}},
      {"ONNX", {{"encoder_model.onnx", "x"}, {"decoder_model.onnx", "x"}, {"config.json", "{}"}}},
      {"TensorFlow", {{"config.json", "{}"}, {"tf_model.h5", "x"}}},
      {"TensorFlow", {{"saved_model.pb", "x"}, {"variables.index", "x"}}},
      {"T5", {{"config.json", R"({"model_type": "t5"})"}, {"model.safetensors.index.json", "x"}}},
      {"T5", {{"config.json", R"({"model_type": "mt5"})"}, {"pytorch_model.bin", "x"}}},
      {"SMALL-100",
       {{"config.json", R"({"model_type": "m2m_100"})"},
        {"tokenizer_config.json", R"({"tokenizer_class": "SMALL100Tokenizer"})"},
        {"pytorch_model.bin", "x"}}},
      {"Eole", {{"config.json", "{}"}, {"model.00.safetensors", "x"}, {"vocab.json", "{}"}}},
      {"encoder", {{"config.json", R"({"model_type": "llama"})"}, {"pytorch_model.bin", "x"}}}};
  int number = 0;
  for (const auto& [name, files] : folders) {
    const std::string folder = cat("folder", ++number);
    for (const auto& [path, content] : files) file(cat(folder, "/", path), content);
    const auto found = other_model(at(folder));
    ASSERT_TRUE(found) << name;
    EXPECT_FALSE(found->remedy.empty()) << name;
    EXPECT_THAT(refusal(at(folder)), AllOf(HasSubstr(name), testing::Not(HasSubstr("hexapla import")))) << name;
  }
}

TEST_F(OtherFiles, NamesOfTheHubSayHowToDownload) {
  for (const char* name : {"facebook/nllb-200-distilled-600M", "Helsinki-NLP/opus-mt-en-de", "a.b/c_d"})
    EXPECT_THAT(refusal(name), HasSubstr(cat("hf download ", name)));
  for (const char* path : {"./a/b", "/a/b", "a/b/c", "../a", "model.safetensors"})
    EXPECT_EQ(how_to_download(path), "") << path;
  file("there/x", "x");
  EXPECT_EQ(how_to_download(at("there") + "/model"), "");
}

TEST_F(OtherFiles, ADamagedModelIsNotTakenForSomethingElse) {
  EXPECT_THAT(refusal(file("short.safetensors", std::string("\xFF\0\0\0\0\0\0\0{", 9))), HasSubstr("cut short"));
  EXPECT_THAT(refusal(file("empty.safetensors", "")), HasSubstr("too few"));
  EXPECT_THAT(refusal(at("missing.safetensors")), HasSubstr("missing.safetensors"));
}

}  // namespace
}  // namespace hexapla::model
