#include "convert/kinds/hugging_face/writer/search_settings.h"

#include <algorithm>

#include "convert/writing/search_there.h"

namespace hexapla::convert {
namespace {

constexpr int64_t kTokensThere = 512;  // if `longest` is unlimited; their default would be 20

const std::vector<std::string> kOptionsThere{"beam-size",  "length-penalty",  "length-normalization", "longest",
                                             "min-length", "no-repeat-ngram", "repetition-penalty",   "stop-when"};

void note_what_has_no_key(const model::LoadedModel& m, std::vector<std::string>& notes) {
  if (m.usage.alignment_layer)
    notes.push_back(
        cat("decoder layer ", *m.usage.alignment_layer, ", whose attention follows the words, has no key there"));
  for (const auto& [name, value] : m.usage.search)
    if (std::find(kOptionsThere.begin(), kOptionsThere.end(), name) == kOptionsThere.end())
      notes.push_back(cat("`", name, "` ", value, " of the model's record has no key in generation_config.json"));
}

}  // namespace

const std::vector<std::string>& search_keys() {
  static const std::vector<std::string> keys{"early_stopping",       "length_penalty",     "max_length",
                                             "max_new_tokens",       "min_length",         "min_new_tokens",
                                             "no_repeat_ngram_size", "repetition_penalty", "num_beams"};
  return keys;
}

nlohmann::ordered_json search_settings(const model::LoadedModel& m, const decode::DecodingOptions& search,
                                       int64_t counted, std::vector<std::string>& notes) {
  const decode::DecodingOptions o = in_powers_of_length(search, notes);
  const bool own = !m.usage.search.empty();
  if (!own) notes.push_back(same_search_here(o));
  if (o.stop_when == "shrinking")
    notes.push_back("transformers has no search whose beam shrinks (stop-when shrinking)");
  note_what_has_no_key(m, notes);
  nlohmann::ordered_json j{{"early_stopping", o.stop_when != "outscored"},
                           {"length_penalty", o.length_penalty},
                           {"max_length", own && o.longest > 0 ? o.longest + counted : kTokensThere},
                           {"num_beams", o.beam_size}};
  if (o.stop_when == "never") j["early_stopping"] = "never";
  if (o.min_length > 0) j["min_new_tokens"] = o.min_length;
  if (o.no_repeat_ngram > 0) j["no_repeat_ngram_size"] = o.no_repeat_ngram;
  if (o.repetition_penalty != 1) j["repetition_penalty"] = o.repetition_penalty;
  return j;
}

}  // namespace hexapla::convert
