#pragma once
// The part of config.json shared by transformers' encoder-decoder models.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "convert/foreign/foreign_model.h"
#include "convert/texts/json_file.h"
#include "model/config.h"

namespace hexapla::convert {

// A key that is not read, and why it does not affect translations.
struct HarmlessKey {
  const char *key, *reason;
};
// A key with the values (JSON), besides null, that have no effect; hint: advice for other values.
struct NeutralKey {
  const char* key;
  std::vector<const char*> values;
  const char* hint;
};
// Whether a list of those, or of names, contains the key.
template <class List>
bool has_key(const List& list, const std::string& key) {
  return std::any_of(std::begin(list), std::end(list), [&](const auto& one) {
    if constexpr (requires { one.key; })
      return key == one.key;
    else
      return key == one;
  });
}

// DataError naming file, key and value: none of these values, so it would be ignored.
void check_neutral(const JsonFile& json, std::span<const NeutralKey> keys);

// DataError naming the first key of config.json that is neither read nor known to have no effect,
// or whose value is not supported. own: keys that only this kind of model has.
void check_configuration_keys(const JsonFile& json, const std::vector<std::string>& own = {});

// The tokenizer class that the folder's files name; "": none.
std::string tokenizer_class_of(const std::string& folder, const JsonFile& config);

// DataError: the folder's files name a tokenizer class that is not in `allowed`, the classes that
// split text as our readers do; "": the files may name none.
void check_tokenizer(const std::string& folder, const JsonFile& config, const std::vector<std::string>& allowed,
                     const std::string& kind);

// Two numbers that may differ in their configuration but not in ours. DataError: they differ.
int64_t same_on_both_sides(const JsonFile& json, const std::string& encoder, const std::string& decoder,
                           const Range<int64_t>& allowed);

// Sets layers, widths (d_ff: the wider side's, see below), heads, dropouts, activation (`activation` if the file has
// none), biases in attention, and epsilon 1e-5. Does not set vocabularies, ties, positions, norm positions, generator
// biases, scales. DataError naming file and key.
model::Config hugging_face_config(const JsonFile& json, const std::string& activation);

// Fills the narrower side's feed-forward layers with zeros, and notes it. Needs weights and config.
void widen_feed_forwards(ForeignModel& m, const JsonFile& json);

}  // namespace hexapla::convert
