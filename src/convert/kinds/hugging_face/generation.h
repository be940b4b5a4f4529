#pragma once
// How transformers searches with a model: generation_config.json, or config.json where the folder has no such file and
// an old version wrote it all there. Of two files only the first counts, as in transformers.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/json_file.h"

namespace hexapla::convert {

struct Generation {
  JsonFile file;
  int64_t start, end;                         // ids of the tokens that a translation starts and ends with
  std::optional<int64_t> first;               // forced_bos_token_id: of the first token that is written, at no cost
  std::map<std::string, std::string> search;  // options of decoding by their names
  // Ids whose probability is taken away before scores are compared (bad_words_ids with renormalize_logits).
  std::vector<int64_t> without;
  std::vector<std::string> notes;  // for whoever imports the model

  // DataError naming key and value of the file, and what is allowed.
  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const { file.refuse(key, allowed); }
};

// config: config.json of the folder; pieces: of the target. DataError naming file and key: a value that transformers
// would not take, one that no option here stands for, or a key that nobody knows.
Generation read_generation(const std::string& folder, const JsonFile& config, int64_t pieces);

// Whether generation settings are called so: also in config.json, where old versions kept them.
bool is_generation_key(const std::string& key);

}  // namespace hexapla::convert
