#pragma once
// A model of another system as its reader (convert/kinds) returns it: everything that our model
// file is made from.
#include <memory>
#include <string>
#include <vector>

#include "base/options/option_row.h"
#include "convert/foreign/weight_map.h"
#include "model/config.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

struct ForeignModel {
  std::string origin;     // for the provenance in the model file: "Hugging Face Marian"
  model::Config config;   // resolved
  model::ModelText text;  // includes that system's defaults for using this model
  std::shared_ptr<const ForeignTensors> tensors;
  WeightMap weights;
  std::vector<std::string> notes;  // for the user: what differs after the import
};

// Options that supplement what the files say.
struct ImportOptions {
  OptionRows rows();  // Kind::options says which kinds of model read an option

  std::string from;       // name of a Kind; "": detected from the files
  std::string positions;  // kind of positional encoding; "": the original system's
  // Not recorded in PyTorch's files (kinds/torch_state_dict.h): attention heads, 0: as in the
  // checkpoint; "pre" or "post"; "sqrt" or "none"; names of tensors that cannot be found
  // automatically.
  int64_t heads = 0;
  std::string norm_position, embedding_scale, source_embedding, target_embedding, generator;
  // For torch.nn.Transformer, whose state dicts record neither: the model's `activation` and
  // `norm-eps`; "" and 0: as in the checkpoint.
  std::string activation;
  double norm_eps = 0;
  std::string map;  // a file that maps names (kinds/mapped_safetensors.h); "": map.json in the folder
  // Files: tokens by id, one per line or a JSON list, or a SentencePiece model; SentencePiece
  // models that split text into the tokens of a list. Target "": the same as the source's.
  std::string source_vocab, target_vocab, source_spm, target_spm;
  std::string source_start;  // "bos": sources begin with the token that starts translations; "none"; "": as usual
  std::string bpe;           // merges of subword-nmt or fastBPE, used where source_spm or target_spm is ""
  // Languages of multilingual models by their own codes: "en", "eng_Latn", "en_XX". "": the files'.
  std::string source_language, target_language;
};

// config.resolve(), with errors reported as DataError naming the file.
void resolve(model::Config& config, const std::string& file);

// A kind of model: how to recognize and read its files. path: a file or a folder.
struct Kind {
  const char *name, *what;  // "hf-marian", "Hugging Face Marian: a folder with ..."
  bool (*recognizes)(const std::string& path);
  ForeignModel (*read)(const std::string& path, const ImportOptions& options);
  std::vector<std::string> options = {};  // options it reads, besides `from`
};
const std::vector<Kind>& kinds();

}  // namespace hexapla::convert
