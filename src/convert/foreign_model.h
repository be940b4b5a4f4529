#pragma once
// A model of another system, as its reader (convert/kinds) found it: all that a model file of ours is made from.
#include <memory>
#include <string>
#include <vector>

#include "convert/weight_map.h"
#include "model/config.h"
#include "model/weights/model_file.h"

namespace hexapla::convert {

struct ForeignModel {
  std::string origin;     // what it was, for the record that the model file keeps: "Hugging Face Marian"
  model::Config config;   // resolved
  model::ModelText text;  // with how that system uses this model unless it is told otherwise
  std::shared_ptr<const ForeignTensors> tensors;
  WeightMap weights;
  std::vector<std::string> notes;  // for whoever imports it: what is not the same here
};

// What a user adds to what the files say.
struct ImportOptions {
  std::string from;       // name of a Kind; "": found by looking
  std::string positions;  // kind of positional encoding; "": as the system that the files are of has it
  // What files of PyTorch (kinds/torch_state_dict.h) do not say: attention heads, 0: as a checkpoint records them;
  // "pre" or "post"; "sqrt" or "none"; names of tensors where they are not found by looking.
  int64_t heads = 0;
  std::string norm_position, embedding_scale, source_embedding, target_embedding, generator;
  // For torch.nn.Transformer, whose state dicts say neither: as `activation` and `norm-eps` of a model; "" and 0: as a
  // checkpoint records them.
  std::string activation;
  double norm_eps = 0;
  std::string map;  // a file that maps names (kinds/mapped_safetensors.h); "": map.json in the folder
  // Files: tokens by id, one on each line or a JSON list, or a SentencePiece model; SentencePiece models that cut text
  // into the tokens of a list. "": that of the source for the target, too.
  std::string source_vocab, target_vocab, source_spm, target_spm;
  std::string bpe;  // merges of subword-nmt or fastBPE: in place of source_spm and target_spm where those are ""
  // Languages of multilingual models, as their system calls them: "en", "eng_Latn", "en_XX". "": what the files say.
  std::string source_language, target_language;
};

// config.resolve(), where what is wrong is the file's fault. DataError naming it.
void resolve(model::Config& config, const std::string& file);

// A kind of models: how its files are recognized and read. path: a file or a folder.
struct Kind {
  const char *name, *what;  // "hf-marian", "Hugging Face Marian: a folder with ..."
  bool (*recognizes)(const std::string& path);
  ForeignModel (*read)(const std::string& path, const ImportOptions& options);
  std::vector<std::string> options = {};  // that it reads, beside `from`
};
const std::vector<Kind>& kinds();

}  // namespace hexapla::convert
