#pragma once
// Converts the public header's options to and from decoding options, which declare names, ranges
// and messages.
#include "base/json.h"
#include "base/options/given_option.h"
#include "decode/options/named/decoding_options.h"
#include "hexapla/translator.h"
#include "model/record/usage.h"

namespace hexapla::api {

// Calls f(name, field) for every public search option, with its declared name. A field without a
// value was not given.
template <class Self, class F>
void visit_public(Self& o, F&& f) {
  f("beam-size", o.beam_size);
  f("n-best", o.n_best);
  f("length-penalty", o.length_penalty);
  f("length-normalization", o.length_normalization);
  f("extra-length", o.extra_length);
  f("max-length", o.max_length);
  f("batch-sentences", o.batch_sentences);
  f("batch-tokens", o.batch_tokens);
  f("word-penalty", o.word_penalty);
  f("coverage-penalty", o.coverage_penalty);
  f("longest", o.longest);
  f("longest-ratio", o.longest_ratio);
  f("min-length", o.min_length);
  f("repetition-penalty", o.repetition_penalty);
  f("no-repeat-ngram", o.no_repeat_ngram);
  f("max-repetition", o.max_repetition);
  f("unk", o.unk);
  f("stop-when", o.stop_when);
  f("sentences", o.sentences);
  f("long-input", o.long_input);
  f("letter-case", o.letter_case);
  f("protect", o.protect);
  f("protect-pattern", o.protect_pattern);
  f("sample", o.sample);
  f("temperature", o.temperature);
  f("top-k", o.top_k);
  f("top-p", o.top_p);
  f("seed", o.seed);
}

// `usual` overridden by the given options. UsageError as decode::read_options(), naming the option,
// its value and the allowed values.
decode::DecodingOptions declared_options(const TranslatorOptions& options, const decode::DecodingOptions& usual = {});
// A model's search defaults: its record, overridden by `of_model`, the options given when it was
// opened. Keeps options without effect, because a call may give them one; declared_options() drops
// them.
decode::DecodingOptions usual_search(const model::Usage& usage, const TranslatorOptions& of_model = {});
// Checks options before their model is known: its beam may be wide enough for any n-best.
// UsageError as decode::read_options().
decode::DecodingOptions options_for_any_model(std::vector<GivenOption> given);
// The inverse conversion; every option has a value.
TranslatorOptions public_options(const decode::DecodingOptions& options);

// UsageError: an option was given to a call that does not use it.
enum class TranslatorCall { best, n_best, request, scores, alignments };
void refuse_idle(TranslatorCall call, const TranslatorOptions& options);

// The options of a request as a JSON Schema object, with their ranges. It cannot express which
// options exclude each other.
nlohmann::ordered_json schema_of_options();

}  // namespace hexapla::api
