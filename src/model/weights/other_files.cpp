#include "model/weights/other_files.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/shell_word.h"

namespace hexapla::model {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLookedAt = 4096;  // bytes of a file

std::string import_it(const std::string& path) {
  return cat("import it`{: hexapla import ", shell_word(path), " -o FILE makes a model of it that hexapla reads}`");
}

// True for none of our models: their first 8 bytes are a small number, so not all of the first four
// are letters.
bool is_text(std::string_view start) {
  return start.size() >= 4 && std::all_of(start.begin(), start.end(), [](char c) {
           return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r';
         });
}

// Identifies a file by its first bytes.
std::optional<std::string> what_it_is(std::string_view start, const std::string& path) {
  using namespace std::string_view_literals;
  if (start.starts_with("PK\x03\x04"sv)) return cat("a checkpoint of PyTorch, or arrays of NumPy; ", import_it(path));
  if (start.starts_with("\x80\x02"sv)) return cat("a pickle of Python; ", import_it(path));
  if (start.starts_with("\x1F\x8B"sv) || start.starts_with("\x28\xB5\x2F\xFD"sv) ||
      start.starts_with("\xFD"
                        "7zXZ"sv))
    return "a compressed file: unpack it, or name another";
  if (start.starts_with("GGUF"sv)) return "a model of llama.cpp, which hexapla does not read; name another";
  if (start.starts_with("\x0A"sv) && start.find("<unk>"sv) < 64)
    return "a vocabulary of SentencePiece; name the model that goes with it";
  if (is_text(start))
    return cat(
        "text; name a model file or the folder of a training`{ (text to translate goes to stdin: "
        "hexapla translate -m MODEL < ",
        shell_word(path), ")}`");
  return {};
}

std::string start_of(const std::string& path) {
  const FileReader file(path);
  std::string start(std::min(kLookedAt, file.size()), '\0');
  file.read(0, start.data(), start.size());
  return start;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  return names;
}

// Identifies a folder by the names of its files.
std::optional<std::string> system_of(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view begin, std::string_view end) {
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
    });
  };
  if (has("model.bin", "") &&
      (has("shared_vocabulary.", "") || has("source_vocabulary.", "") || has("vocabulary.", "")))
    return "CTranslate2";
  if (has("metadata.json", "") && has("model", "")) return "Argos Translate";
  if (has("", "decoder.yml") || has("", ".npz") || has("model.", ".intgemm.alphas.bin")) return "Marian";
  if (has("dict.", ".txt") || has("checkpoint_", ".pt")) return "fairseq";
  if (has("src_vocab", ".txt") && has("", ".ckpt")) return "JoeyNMT";
  if (has("config.json", "") && (has("pytorch_model", "") || has("", ".safetensors") || has("tf_model", "")))
    return "Hugging Face";
  if (has("", ".pt") || has("", ".ckpt")) return "PyTorch";
  return {};
}

}  // namespace

void refuse_other_files(const std::string& path) {
  std::string start;
  try {
    start = start_of(path);
  } catch (const UserError&) {
    return;  // the reader reports the problem
  }
  if (const auto what = what_it_is(start, path)) throw DataError(cat(path, " is no model of hexapla, but ", *what));
}

void refuse_folder(const std::string& path) {
  const std::vector<std::string> names = names_in(path);
  const auto there = [&](const char* name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  if (there("checkpoints") || there("train.jsonl"))
    throw DataError(cat(path,
                        " is the folder of a training that has no model yet: it ends with one (model.safetensors); ",
                        "go on with the command that began it"));
  if (const auto system = system_of(names))
    throw DataError(cat(path, " looks like a model of ", *system, ", not of hexapla: ", import_it(path)));
  throw DataError(cat(path, " is a folder without a model.safetensors; `model` takes a model file, or the folder of a ",
                      "finished training"));
}

}  // namespace hexapla::model
