// What is no model that can be imported is named; what can be is recognized by content, not by name.
#include <gmock/gmock.h>

#include <filesystem>

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "base/test_paths.h"
#include "convert/import.h"

namespace hexapla::convert {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

struct ImportOther : TestFolder {
  std::string refusal(const std::string& path, const ImportOptions& options = {}) const {
    return what_of<DataError>([&] { import_model(path, at("out"), options, [](double) {}); });
  }
};

TEST_F(ImportOther, ANameOfTheHubIsDownloadedFirst) {
  EXPECT_THAT(refusal("facebook/nllb-200-distilled-600M"), HasSubstr("hf download facebook/nllb-200-distilled-600M"));
  EXPECT_THAT(refusal(at("nothing")), HasSubstr("there is no such file or folder"));
}

// Whichever of its files was not downloaded.
TEST_F(ImportOther, PointersOfGitLfsAreCalledSo) {
  for (const char* file : {"model.safetensors", "sentencepiece.bpe.model", "vocab.json"}) {
    const std::string folder = at(cat("of_", file));
    fs::copy(source_path("src/plugins/convert/fixtures/hf_m2m"), folder);
    const std::string path = cat(folder, "/", file);
    fs::remove(path);
    write_file_atomically(path, "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 242043056\n");
    EXPECT_THAT(refusal(folder), testing::AllOf(HasSubstr(path), HasSubstr("Git LFS")));
    EXPECT_THAT(refusal(path), HasSubstr("Git LFS"));
  }
}

TEST_F(ImportOther, PartsAndOtherArchitecturesAreNamed) {
  fs::create_directory(at("lora"));
  write_file_atomically(at("lora/adapter_config.json"), "{}");
  write_file_atomically(at("lora/config.json"), R"({"model_type": "m2m_100"})");
  EXPECT_THAT(refusal(at("lora")), HasSubstr("LoRA"));
  fs::create_directory(at("t5"));
  write_file_atomically(at("t5/config.json"), R"({"model_type": "t5"})");
  EXPECT_THAT(refusal(at("t5")), HasSubstr("T5"));
  write_file_atomically(at("model.onnx"), "\x08\x07\x12\x07pytorch");
  EXPECT_THAT(refusal(at("model.onnx")), HasSubstr("ONNX"));
}

// PyTorch Lightning's checkpoints end with .ckpt, and others have no ending.
TEST_F(ImportOther, CheckpointsOfPyTorchAreKnownByContent) {
  ImportOptions o;
  o.heads = 2;
  o.source_vocab = source_path("tests/fixtures/foreign/tokens_23.txt");
  o.target_vocab = source_path("tests/fixtures/foreign/tokens_19.txt");
  for (const char* name : {"last.ckpt", "epoch=3-step=100.ckpt", "weights", "model.tar"}) {
    fs::copy(source_path("tests/fixtures/foreign/annotated.pt"), at(name));
    EXPECT_EQ(import_model(at(name), at("out"), o, [](double) {}).kind, "torch") << name;
  }
}

}  // namespace
}  // namespace hexapla::convert
