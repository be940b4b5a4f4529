#pragma once
// transformers' search settings: generation_config.json, or config.json if an old version wrote
// everything there. If both exist, only the first counts, as in transformers.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "convert/texts/json_file.h"

namespace hexapla::convert {

struct Generation {
  JsonFile file;
  int64_t start, end;                         // ids of the first and last tokens of a translation
  std::optional<int64_t> first;               // forced_bos_token_id: the first token written, not scored
  std::map<std::string, std::string> search;  // decoding options by name
  // Ids whose probability is removed before scores are compared (bad_words_ids with
  // renormalize_logits).
  std::vector<int64_t> without;
  std::vector<std::string> notes;  // for the user

  // DataError naming key and value of the file, and what is allowed.
  [[noreturn]] void refuse(const std::string& key, const std::string& allowed) const { file.refuse(key, allowed); }
};

// config: the folder's config.json; pieces: number of target pieces. DataError naming file and key:
// an unknown key, or a value that transformers rejects or none of our options matches.
Generation read_generation(const std::string& folder, const JsonFile& config, int64_t pieces);

// Whether this is the key of a generation setting; old versions kept them in config.json.
bool is_generation_key(const std::string& key);

}  // namespace hexapla::convert
