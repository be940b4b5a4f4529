#include "convert/kinds/hugging_face/generation.h"

#include <algorithm>

#include "base/error.h"
#include "convert/kinds/hugging_face/configuration.h"
#include "convert/parsing/limits.h"
#include "decode/options/option_ranges.h"

namespace hexapla::convert {
namespace {

const Range<int64_t> kTokens{0, 1'000'000};

// Keys read below.
const char* const kSearchRead[] = {
    "num_beams",           "length_penalty",         "max_length",         "max_new_tokens",
    "min_length",          "min_new_tokens",         "early_stopping",     "no_repeat_ngram_size",
    "repetition_penalty",  "bad_words_ids",          "renormalize_logits", "forced_bos_token_id",
    "forced_eos_token_id", "decoder_start_token_id", "bos_token_id",       "eos_token_id"};

// Search settings that none of our options can reproduce.
const NeutralKey kSearchNeutral[] = {
    {"do_sample", {"false"}, "translations that are drawn are no property of a model; see `sample`"},
    {"encoder_repetition_penalty", {"1"}, ""},
    {"encoder_no_repeat_ngram_size", {"0"}, ""},
    {"exponential_decay_length_penalty", {}, ""},
    {"suppress_tokens", {"[]"}, ""},
    {"begin_suppress_tokens", {"[]"}, ""},
    {"sequence_bias", {}, ""},
    {"guidance_scale", {"1"}, ""},
    {"watermarking_config", {}, ""},
    {"num_beam_groups", {"1"}, ""},
    {"diversity_penalty", {"0"}, ""},
    {"penalty_alpha", {"0"}, ""},
    {"constraints", {}, ""},
    {"force_words_ids", {}, ""},
    {"dola_layers", {}, ""},
    {"stop_strings", {}, ""},
    {"max_time", {}, ""},
    {"remove_invalid_values", {"false"}, ""},
    {"token_healing", {"false"}, ""},
    {"low_memory", {"false"}, ""},
    {"prompt_lookup_num_tokens", {}, ""},
    {"assistant_early_exit", {}, ""},
    {"use_mtp", {"false"}, ""},
    {"speculation_type", {}, ""},
};

const HarmlessKey kSearchHarmless[] = {
    {"pad_token_id", "fills up what is finished in a batch, and is cut off again"},
    {"temperature", "for do_sample, which is off"},
    {"top_k", "for do_sample, which is off"},
    {"top_p", "for do_sample, which is off"},
    {"min_p", "for do_sample, which is off"},
    {"top_h", "for do_sample, which is off"},
    {"typical_p", "for do_sample, which is off"},
    {"epsilon_cutoff", "for do_sample, which is off"},
    {"eta_cutoff", "for do_sample, which is off"},
    {"num_return_sequences", "how many translations are shown, not which"},
    {"output_attentions", "what is shown beside a translation"},
    {"output_hidden_states", "what is shown beside a translation"},
    {"output_scores", "what is shown beside a translation"},
    {"output_logits", "what is shown beside a translation"},
    {"return_dict_in_generate", "how a translation is shown"},
    {"use_cache", "keeps what was computed: the same numbers"},
    {"cache_implementation", "keeps what was computed: the same numbers"},
    {"cache_config", "keeps what was computed: the same numbers"},
    {"max_cache_len", "keeps what was computed: the same numbers"},
    {"prefill_chunk_size", "how a prompt is read, which these models do not have"},
    {"compile_config", "how fast it is computed"},
    {"disable_compile", "how fast it is computed"},
    {"continuous_batching_config", "how fast it is computed"},
    {"is_assistant", "for a model that drafts for another one"},
    {"num_assistant_tokens", "for a second model, which is given in a call"},
    {"num_assistant_tokens_schedule", "for a second model, which is given in a call"},
    {"assistant_confidence_threshold", "for a second model, which is given in a call"},
    {"assistant_lookbehind", "for a second model, which is given in a call"},
    {"target_lookbehind", "for a second model, which is given in a call"},
    {"assistant_ensemble_weight", "for a second model, which is given in a call"},
    {"max_matching_ngram_size", "for prompt_lookup_num_tokens, which is off"},
    {"_from_model_config", "where the file came from"},
    {"_commit_hash", "where the file came from"},
    {"transformers_version", "who wrote the file"},
};

// The maximum number of tokens, including </s> or the last one.
int64_t most_tokens(const JsonFile& json, Generation& g) {
  constexpr int64_t usual = 20;  // default of max_length
  const Range<int64_t> length{3, 1'000'000}, tokens{2, 1'000'000};
  if (json.has("max_new_tokens")) return json.whole("max_new_tokens", tokens);
  if (json.has("max_length")) return json.whole("max_length", length) - 1;
  g.notes.push_back(cat(json.path(), " has no 'max_length', so translations have at most ", usual,
                        " tokens, as in transformers; see `longest`"));
  return usual;
}

void read_lengths(const JsonFile& json, Generation& g) {
  const bool forced = json.has("forced_eos_token_id");
  if (forced && json.value("forced_eos_token_id") != nlohmann::json::array({g.end}) &&
      json.value("forced_eos_token_id") != g.end)
    json.refuse("forced_eos_token_id", cat(g.end, ", the value of 'eos_token_id'"));
  // A forced </s> is the last token; our limits do not count it.
  const int64_t most = most_tokens(json, g), longest = forced ? most - 1 : most;
  g.search["longest"] = cat(longest);
  const bool by_new = json.has("min_new_tokens");
  const char* key = by_new ? "min_new_tokens" : "min_length";
  const int64_t least = by_new ? json.whole(key, kTokens) : std::max<int64_t>(json.whole(key, kTokens, 0) - 1, 0);
  if (least > longest) json.refuse(key, cat("no more than the longest translation has, ", longest, " tokens"));
  if (least > 0) g.search["min-length"] = cat(least);
  g.notes.push_back(cat("translations that do not end by themselves are others than in transformers, where ",
                        forced ? "</s> costs them nothing" : "they are cut off", " after ", longest,
                        " tokens: here </s> has its probability, and `extra-length` counts, too"));
}

void read_rules(const JsonFile& json, Generation& g) {
  const int64_t ngram = json.whole("no_repeat_ngram_size", kTokens, 0);
  if (ngram > 0) g.search["no-repeat-ngram"] = cat(ngram);
  if (ngram == 1 && g.start == g.end)
    json.refuse("no_repeat_ngram_size", "0, or from 2 on: translations start with </s>, which then ends none");
  const double penalty = json.number("repetition_penalty", ranges::kRepetitionPenalty, 1);
  if (penalty != 1) g.search["repetition-penalty"] = cat(penalty);
}

// Besides padding and the start token, which are never written.
void read_forbidden(const JsonFile& json, int64_t padding, Generation& g) {
  const nlohmann::json& words = json.value("bad_words_ids");
  if (!words.is_null() && !words.is_array()) json.refuse("bad_words_ids", "a list of lists of ids");
  for (const nlohmann::json& word : words) {
    const auto alone = [&](int64_t id) { return word == nlohmann::json::array({id}); };
    if (!alone(padding) && !(alone(g.start) && g.start != g.end))
      json.refuse("bad_words_ids", cat("[[", padding, "]], padding alone: take the others out of the file, and give ",
                                       "them to translate as `forbid`"));
    g.without.push_back(alone(padding) ? padding : g.start);
  }
  const bool renormalized = json.flag("renormalize_logits", false);
  if (!renormalized) g.without.clear();
  const bool rules = g.search.contains("min-length") || g.search.contains("no-repeat-ngram") ||
                     g.search.contains("repetition-penalty");
  if (renormalized && rules && g.search["beam-size"] != "1")
    json.refuse("renormalize_logits",
                "false, beside a minimum length or a rule on repetition: here what rules take "
                "away leaves the probabilities of the others as they are");
}

void read_search(const JsonFile& json, Generation& g) {
  g.search["beam-size"] = cat(json.whole("num_beams", ranges::kBeam, 1));
  g.search["length-penalty"] = cat(json.number("length_penalty", ranges::kLengthPenalty, 1));
  g.search["length-normalization"] = "power";
  const nlohmann::json& early = json.value("early_stopping");
  if (!early.is_null() && !early.is_boolean() && early != "never")
    json.refuse("early_stopping", "true, false or never");
  g.search["stop-when"] = early == true ? "full" : early == "never" ? "never" : "outscored";
}

void read_ends(const JsonFile& json, const Range<int64_t>& ids, Generation& g) {
  g.end = json.whole("eos_token_id", ids);
  g.start = json.whole(json.has("decoder_start_token_id") ? "decoder_start_token_id" : "bos_token_id", ids);
  if (json.has("forced_bos_token_id")) g.first = json.whole("forced_bos_token_id", ids);
}

// A setting under its old name. transformers ignores it if there is a generation_config.json.
void read_old(const JsonFile& config, const Range<int64_t>& ids, Generation& g) {
  if (!g.first && config.flag("force_bos_token_to_be_generated", false)) g.first = config.whole("bos_token_id", ids);
}

void note_unread(const JsonFile& config, Generation& g) {
  std::string unread;
  for (const std::string& key : config.keys())
    if (has_key(kSearchRead, key) && config.has(key) && config.value(key) != g.file.value(key))
      unread += cat(unread.empty() ? "" : ", ", key);
  if (!unread.empty())
    g.notes.push_back(cat(config.path(), ": not read, as ", g.file.path(), " says otherwise: ", unread));
}

}  // namespace

bool is_generation_key(const std::string& key) {
  return has_key(kSearchRead, key) || has_key(kSearchNeutral, key) || has_key(kSearchHarmless, key);
}

Generation read_generation(const std::string& folder, const JsonFile& config, int64_t pieces) {
  const std::string own = folder + "/generation_config.json";
  const Range<int64_t> ids{0, pieces - 1};
  const bool apart = is_file(own);
  Generation g{.file = apart ? JsonFile(own) : config, .start = 0, .end = 0, .first = {}, .search = {}};
  if (apart)
    for (const std::string& key : g.file.keys())
      if (g.file.has(key) && !is_generation_key(key)) g.file.refuse_unknown(key);
  check_neutral(g.file, kSearchNeutral);
  read_search(g.file, g);
  read_ends(g.file, ids, g);
  if (!apart) read_old(config, ids, g);
  read_lengths(g.file, g);
  read_rules(g.file, g);
  read_forbidden(g.file, config.whole("pad_token_id", ids, 1), g);
  if (config.whole("eos_token_id", ids, g.end) != g.end)
    config.refuse("eos_token_id", cat(g.end, ", as ", g.file.path(), " has it"));
  if (apart) note_unread(config, g);
  return g;
}

}  // namespace hexapla::convert
