#pragma once
// The part of config.json that transformers' encoder-decoder models have in common.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "convert/json_file.h"
#include "model/config.h"

namespace hexapla::convert {

// A key that nothing reads here, and why it changes no translation.
struct HarmlessKey {
  const char *key, *reason;
};
// A key with the values at which it does nothing, as JSON, beside null; what else to say to who has another.
struct NeutralKey {
  const char* key;
  std::vector<const char*> values;
  const char* hint;
};
// Whether a list of those, or of names, has the key.
template <class List>
bool has_key(const List& list, const std::string& key) {
  return std::any_of(std::begin(list), std::end(list), [&](const auto& one) {
    if constexpr (requires { one.key; })
      return key == one.key;
    else
      return key == one;
  });
}

// DataError naming file, key and value: none of these, so it would be ignored.
void check_neutral(const JsonFile& json, std::span<const NeutralKey> keys);

// DataError naming the first key of config.json that is neither read nor known to change nothing, or that has a value
// which nothing here stands for.
void check_configuration_keys(const JsonFile& json);

// DataError: the folder's files name a class of tokenizers that is not allowed. Allowed are those that cut text as the
// readers here do; "" among them: the files may name none.
void check_tokenizer(const std::string& folder, const JsonFile& config, const std::vector<std::string>& allowed,
                     const std::string& kind);

// Two numbers that a configuration of theirs may have apart, and of ours has once. DataError: they differ.
int64_t same_on_both_sides(const JsonFile& json, const std::string& encoder, const std::string& decoder,
                           const Range<int64_t>& allowed);

// Layers, widths, heads, dropouts, activation (`activation` where the file says none), biases in attention, and an
// epsilon of 1e-5. Not: vocabularies, ties, positions, where norms stand, biases of the generator, scales. DataError
// naming file and key.
model::Config hugging_face_config(const JsonFile& json, const std::string& activation);

}  // namespace hexapla::convert
