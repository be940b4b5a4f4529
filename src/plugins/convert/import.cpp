#include "convert/import.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/files/disk.h"
#include "base/json.h"
#include "convert/kinds/ctranslate2/ctranslate2.h"
#include "convert/kinds/hugging_face/marian.h"
#include "convert/kinds/hugging_face/multilingual.h"
#include "convert/kinds/mapped/mapped_safetensors.h"
#include "convert/kinds/marian/marian.h"
#include "convert/kinds/toolkits/fairseq.h"
#include "convert/kinds/toolkits/fsmt.h"
#include "convert/kinds/toolkits/joeynmt.h"
#include "convert/kinds/toolkits/opennmt_py.h"
#include "convert/kinds/torch_state_dict.h"
#include "convert/parsing/limits.h"
#include "convert/texts/bpe_codes.h"
#include "convert/texts/json_file.h"
#include "decode/options/named/search_defaults.h"
#include "hexapla/file_error.h"
#include "model/weights/other/other_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {

namespace {

using OptionNames = std::vector<std::string>;

OptionNames with(OptionNames names, const OptionNames& more) {
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

std::string list_of_kinds() {
  std::string text;
  for (const Kind& kind : kinds()) text += cat(text.empty() ? "" : "; ", kind.name, " (", kind.what, ")");
  return text;
}

// What is no model that can be imported is named: before anything reads it (a folder with parts of a
// model), or where nothing recognizes it (a file).
void refuse_other(const std::string& path) {
  if (const auto other = model::other_model(path); other && !other->remedy.empty())
    throw DataError(cat(path, " is ", other->what, "; ", other->remedy));
}

// An error about a file that was never downloaded says so.
[[noreturn]] void refuse_pointers(const std::string& path, const UserError& e) {
  std::error_code ignored;
  if (model::is_pointer(path)) refuse_other(path);
  if (std::filesystem::is_directory(path, ignored))
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored))
      if (std::string_view(e.what()).find(entry.path().string()) != std::string_view::npos &&
          model::is_pointer(entry.path().string()))
        refuse_other(entry.path().string());
  throw;
}

// A transformers folder with an unsupported model type, such as NLLB-MoE.
void refuse_foreign_type(const std::string& path) {
  const std::string config = path + "/config.json";
  if (!is_file(config)) return;
  const JsonFile json(config);
  if (json.has("model_type"))
    json.refuse("model_type", "marian, m2m_100, mbart, bart or fsmt: no other type can be imported");
}

const Kind& kind_of(const std::string& path, const std::string& from) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) fail_path({"", path, std::error_code(errno, std::generic_category())});
    const std::string how = model::how_to_download(path);
    throw MissingFile(
        cat(path, ": there is no such file or folder; ", how.empty() ? "name the model that is to be imported" : how));
  }
  if (S_ISDIR(status.st_mode)) refuse_other(path);
  for (const Kind& kind : kinds())
    if (from.empty() ? kind.recognizes(path) : from == kind.name) return kind;
  if (!from.empty()) throw UsageError(cat("`from` '", from, "' is unknown; known are ", list_of_kinds()), "from", from);
  refuse_foreign_type(path);
  refuse_other(path);
  throw DataError(cat(path, " does not look like any model that can be imported; known are ", list_of_kinds()));
}

double bytes_of(const ForeignModel& m) {
  model::Transformer net(m.config);
  double bytes = 0;
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    bytes +=
        static_cast<double>(p.shape.size()) * static_cast<double>(size_of(stored_type(m.weights, *m.tensors, name)));
  });
  return bytes;
}

// Rejects options that this kind of model does not read.
void refuse_idle(const ImportOptions& o, const Kind& kind, const std::string& path) {
  const ImportOptions usual;
  const OptionRows defaults = rows_of(usual);
  for (const OptionRow& row : rows_of(o)) {
    const std::string value = row.in_one_line();
    if (value == find(defaults, row.name)->in_one_line() || row.name == std::string_view("from")) continue;
    if (std::find(kind.options.begin(), kind.options.end(), row.name) != kind.options.end()) continue;
    std::string readers;
    for (const Kind& other : kinds())
      if (std::find(other.options.begin(), other.options.end(), row.name) != other.options.end())
        readers += cat(readers.empty() ? "" : ", ", other.name);
    throw UsageError(cat("`", row.name, "` ", value, " is for `from` ", readers, ", but ", path, " is of the kind ",
                         kind.name, ": leave it out"),
                     row.name, value);
  }
}

// Uses the merges where no SentencePiece model is named.
ImportOptions with_merges(ImportOptions options) {
  if (!options.bpe.empty() && !is_bpe_codes(options.bpe))
    throw DataError(cat(options.bpe, ": its first line is no '#version:' of subword-nmt and no pair with a count, as ",
                        "fastBPE writes it; give the codes that cut words into the model's tokens"));
  for (std::string* pieces : {&options.source_spm, &options.target_spm})
    if (pieces->empty()) *pieces = options.bpe;
  return options;
}

}  // namespace

const std::vector<Kind>& kinds() {
  const OptionNames of_pieces{"source-spm", "target-spm", "bpe"};
  const OptionNames of_vocabularies = with(of_pieces, {"source-vocab", "target-vocab"});
  const OptionNames of_lists = with(of_vocabularies, {"source-start"});
  static const std::vector<Kind> all{
      {"hf-marian",
       "Hugging Face Marian (opus-mt): a folder with config.json, model.safetensors and source.spm",
       is_hugging_face_marian,
       read_hugging_face_marian,
       {"positions"}},
      {"hf-multilingual",
       "Hugging Face M2M-100, NLLB-200, mBART-50 or BART: a folder with config.json, weights and the tokenizer's files",
       is_hugging_face_multilingual,
       read_hugging_face_multilingual,
       {"source-language", "target-language"}},
      {"hf-fsmt",
       "Hugging Face FSMT (wmt19): a folder with config.json, weights, vocab-src.json, vocab-tgt.json and merges.txt",
       is_fsmt, read_fsmt},
      {"marian",
       "Marian, Firefox Translations: a .npz or .bin, or its folder, with decoder.yml and the vocabularies that it "
       "names",
       is_marian,
       read_marian,
       {"positions"}},
      {"ctranslate2",
       "CTranslate2, Argos Translate: a folder with model.bin, config.json and vocabularies, or a package around it",
       is_ctranslate2, read_ctranslate2, with(of_pieces, {"source-language", "target-language"})},
      {"fairseq", "fairseq: a checkpoint (.pt), or its folder, with dict.*.txt of both languages", is_fairseq,
       read_fairseq, of_vocabularies},
      {"opennmt-py", "OpenNMT-py: a checkpoint (.pt) with its vocabularies inside", is_opennmt_py, read_opennmt_py,
       of_pieces},
      {"joeynmt", "JoeyNMT: a folder with config.yaml, best.ckpt, src_vocab.txt and trg_vocab.txt", is_joeynmt,
       read_joeynmt, of_vocabularies},
      {"safetensors", "safetensors: a file, its index or its folder, with a map.json that says which tensor is what",
       is_mapped_safetensors, read_mapped_safetensors, with(of_lists, {"map"})},
      {"torch",
       "PyTorch: a state dict (.pt, .safetensors) of torch.nn.Transformer, the Annotated Transformer or "
       "attention-is-all-you-need-pytorch",
       is_torch_state_dict, read_torch_state_dict,
       with(of_lists, {"heads", "norm-position", "activation", "norm-eps", "embedding-scale", "source-embedding",
                       "target-embedding", "generator", "positions"})},
  };
  return all;
}

void resolve(model::Config& config, const std::string& file) {
  try {
    config.resolve();
  } catch (const UsageError& e) {
    std::string what = e.what();
    std::erase(what, '`');  // our names, but not options
    throw DataError(cat(file, " describes an invalid model: ", what));
  }
}

namespace {

Imported import_files(const std::string& path, const std::string& output, const ImportOptions& given,
                      const std::function<void(const ImportProgress&)>& progress) {
  const Kind& kind = kind_of(path, given.from);
  refuse_idle(given, kind, path);
  const ImportOptions options = with_merges(given);
  const ForeignModel m = kind.read(path, options);
  check(m.weights, m.config, *m.tensors);
  ImportProgress state{0, 2 * bytes_of(m)};
  const model::MadeNumbers numbers{[&](const std::string& name, const Tensor& to) {
                                     fill(m.weights, *m.tensors, name, to);
                                     state.done +=
                                         static_cast<double>(to.size()) * static_cast<double>(size_of(to.dtype));
                                     progress(state);
                                   },
                                   [&](const std::string& name) { return stored_type(m.weights, *m.tensors, name); }};
  decode::check_search(m.text.usage);
  model::save_model(output, m.config, m.text, {{"origin", m.origin}}, numbers);
  return {kind.name, m.origin, m.config, m.notes};
}

}  // namespace

Imported import_model(const std::string& path, const std::string& output, const ImportOptions& given,
                      const std::function<void(const ImportProgress&)>& progress) {
  try {
    return import_files(path, output, given, progress);
  } catch (const UserError& e) {
    refuse_pointers(path, e);
  }
}

void check_readable(const std::string& path, const std::string& kind) {
  try {
    const ForeignModel m = kind_of(path, kind).read(path, {});
    check(m.weights, m.config, *m.tensors);
    text::Vocabulary::parse(m.text.source_vocabulary, "the source's vocabulary");
    text::Vocabulary::parse(m.text.target_vocabulary, "the target's vocabulary");
  } catch (const UserError& e) {
    throw RunError(cat("nothing is written, for ", kind, " files of this model could not be read again: ", e.what()));
  }
}

}  // namespace hexapla::convert
