#include "model/weights/other/other_model.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"
#include "base/files/shell_word.h"
#include "base/json.h"

namespace hexapla::model {
namespace {

namespace fs = std::filesystem;
using namespace std::string_view_literals;

constexpr size_t kLookedAt = 4096, kMostJson = size_t{1} << 20;  // bytes of a file

// The first bytes; "" if it cannot be read.
std::string start_of(const std::string& path, size_t most = kLookedAt) {
  try {
    const FileReader file(path);
    std::string start(std::min(most, file.size()), '\0');
    file.read(0, start.data(), start.size());
    return start;
  } catch (const UserError&) {
    return "";
  }
}

// A file or folder, as the rows below look at it.
class Looked {
 public:
  explicit Looked(const std::string& path) : path_(path) {
    std::error_code error;
    folder_ = fs::is_directory(path, error);
    if (!folder_) {
      start_ = start_of(path);
      return;
    }
    for (fs::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error))
      names_.push_back(entry->path().filename().string());
  }

  bool folder() const { return folder_; }
  // A file in the folder, by the beginning and end of its name.
  bool has(std::string_view begin, std::string_view end = "") const {
    return std::any_of(names_.begin(), names_.end(), [&](const std::string& name) {
      return name.size() >= begin.size() + end.size() && name.starts_with(begin) && name.ends_with(end);
    });
  }
  bool starts(std::string_view bytes) const { return start_.starts_with(bytes); }
  bool ends(std::string_view name) const { return !folder_ && path_.ends_with(name); }
  const std::string& start() const { return start_; }
  // A text in one of the folder's JSON files; "" if it is not there.
  std::string word(const char* file, const char* key) const {
    if (!has(file)) return "";
    const auto json = json_or_null(start_of(cat(path_, "/", file), kMostJson));
    const auto found = json.is_object() ? json.find(key) : json.end();
    return found != json.end() && found->is_string() ? found->template get<std::string>() : "";
  }
  bool of_type(std::initializer_list<std::string_view> types) const {
    const std::string type = word("config.json", "model_type");
    return std::find(types.begin(), types.end(), type) != types.end();
  }
  bool torch_weights() const {
    return has("pytorch_model") || has("model", ".safetensors") || has("model.safetensors");
  }

 private:
  std::string path_, start_;
  bool folder_ = false;
  std::vector<std::string> names_;
};

// True for none of our models: their first 8 bytes are a small number, so not all of the first four
// are letters.
bool is_text(std::string_view start) {
  return start.size() >= 4 && std::all_of(start.begin(), start.end(), [](char c) {
           return static_cast<unsigned char>(c) >= ' ' || c == '\t' || c == '\n' || c == '\r';
         });
}

constexpr std::string_view kPointer = "version https://git-lfs.github.com/spec/";
constexpr const char *kSaveAgain =
                         "load it with transformers (from_tf=True or from_flax=True) and save_pretrained() it",
                     *kOtherArchitecture = "its architecture is another one, which hexapla does not have";

// The first row that fits counts. remedy "": import reads it; "-": none but to name another model.
struct Row {
  bool (*fits)(const Looked& it);
  const char *what, *remedy;
};
const Row kRows[] = {
    {[](const Looked& it) { return it.starts(kPointer); }, "a pointer of Git LFS: the file itself was not downloaded",
     "run git lfs pull in its folder"},
    {[](const Looked& it) { return it.starts("PK\x03\x04"sv); }, "a checkpoint of PyTorch, or arrays of NumPy", ""},
    {[](const Looked& it) { return it.starts("\x80\x02"sv); }, "a pickle of Python", ""},
    {[](const Looked& it) {
       return it.starts("\x1F\x8B"sv) || it.starts("\x28\xB5\x2F\xFD"sv) ||
              it.starts(
                  "\xFD"
                  "7zXZ"sv);
     },
     "a compressed file", "unpack it, or name another"},
    {[](const Looked& it) { return it.starts("GGUF"); }, "a model of llama.cpp, which hexapla does not read", "-"},
    {[](const Looked& it) { return it.starts("\x89HDF"sv); }, "weights of Keras or TensorFlow", kSaveAgain},
    {[](const Looked& it) { return it.ends(".onnx"); }, "a model in ONNX, which hexapla does not read",
     "import the model that it was made from"},
    {[](const Looked& it) { return it.starts("\x0A"sv) && it.start().find("<unk>") < 64; },
     "a vocabulary of SentencePiece", "name the model that goes with it"},
    {[](const Looked& it) { return is_text(it.start()); }, "text", "name a model file or the folder of a training"},

    {[](const Looked& it) { return it.has("adapter_config.json") && !it.torch_weights(); },
     "a LoRA adapter (PEFT) without its base model",
     "merge them in Python, model.merge_and_unload(), save_pretrained() the result with its tokenizer, and import "
     "that"},
    {[](const Looked& it) {
       return it.word("tokenizer_config.json", "tokenizer_class") == "SMALL100Tokenizer" ||
              it.word("config.json", "tokenizer_class") == "SMALL100Tokenizer" || it.has("tokenization_small100.py");
     },
     "SMALL-100, whose sources begin with the target's language",
     "hexapla does not read its tokenizer ('tokenizer_class' is \"SMALL100Tokenizer\"); M2M-100 has the same "
     "languages"},
    {[](const Looked& it) {
       return it.of_type({"t5", "mt5", "umt5", "switch_transformers", "longt5"});
     },
     "a model of the T5 family", "it has relative positions, which hexapla does not have; name another"},
    {[](const Looked& it) {
       return it.of_type({"llama", "mistral", "mixtral", "qwen2", "qwen3", "gemma", "gemma2", "gemma3", "gemma3_text",
                          "gpt2", "gpt_neox", "phi3", "opt", "bloom", "xglm", "falcon"});
     },
     "a language model without an encoder", kOtherArchitecture},
    {[](const Looked& it) {
       return it.of_type({"bert", "roberta", "xlm-roberta", "distilbert", "electra", "deberta-v2"});
     },
     "an encoder without a decoder", kOtherArchitecture},
    {[](const Looked& it) {
       return it.has("model.00.safetensors") || (it.has("config.json") && it.has("vocab.json") && it.has("eole"));
     },
     "a model of Eole", "hexapla does not read its form; import the OpenNMT-py checkpoint that it was converted from"},
    {[](const Looked& it) {
       return it.has("model.bin") &&
              (it.has("shared_vocabulary.") || it.has("source_vocabulary.") || it.has("vocabulary."));
     },
     "a model of CTranslate2", ""},
    {[](const Looked& it) { return it.has("metadata.json") && it.has("model"); }, "a model of Argos Translate", ""},
    {[](const Looked& it) {
       return it.has("", "decoder.yml") || it.has("", ".npz") || it.has("model.", ".intgemm.alphas.bin");
     },
     "a model of Marian", ""},
    {[](const Looked& it) { return it.has("dict.", ".txt") || it.has("checkpoint_", ".pt"); }, "a model of fairseq",
     ""},
    {[](const Looked& it) { return it.has("src_vocab", ".txt") && it.has("", ".ckpt"); }, "a model of JoeyNMT", ""},
    {[](const Looked& it) { return it.has("config.json") && it.torch_weights(); }, "a model of Hugging Face", ""},
    {[](const Looked& it) { return it.has("", ".onnx"); }, "a model in ONNX, which hexapla does not read",
     "import the model that it was made from"},
    {[](const Looked& it) { return it.has("tf_model.h5") || it.has("flax_model"); },
     "a model of transformers with weights for TensorFlow or Flax alone", kSaveAgain},
    {[](const Looked& it) { return it.has("saved_model.pb") || (it.has("", ".index") && it.has("", "-00001")); },
     "a model of TensorFlow, which hexapla does not read", "-"},
    {[](const Looked& it) { return it.has("", ".pt") || it.has("", ".ckpt"); }, "a model of PyTorch", ""},
};

bool is_part_of_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

}  // namespace

std::optional<OtherModel> other_model(const std::string& path) {
  const Looked looked(path);
  for (const Row& row : kRows)
    if (row.fits(looked)) {
      const std::string remedy = row.remedy;
      return OtherModel{row.what, remedy == "-" ? "name another" : remedy};
    }
  return {};
}

bool is_pointer(const std::string& path) { return start_of(path, kPointer.size()) == kPointer; }

std::string how_to_download(const std::string& path) {
  std::error_code ignored;
  const size_t slash = path.find('/');
  const std::string owner = path.substr(0, slash), name = slash == path.npos ? "" : path.substr(slash + 1);
  const auto is_name = [](const std::string& part) {
    return !part.empty() && part[0] != '.' && std::all_of(part.begin(), part.end(), is_part_of_name);
  };
  if (!is_name(owner) || !is_name(name) || fs::exists(path, ignored) || fs::exists(owner, ignored)) return "";
  return cat(
      "if it is a model of the Hugging Face hub, download it (pip install huggingface_hub) and import the folder ",
      "that this prints: hf download ", path);
}

}  // namespace hexapla::model
