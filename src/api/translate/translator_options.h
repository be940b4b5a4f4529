#pragma once
// The options of the public header as those that decoding declares: names, ranges and messages are said there.
#include "base/json.h"
#include "decode/decoding_options.h"
#include "hexapla/translator.h"
#include "model/record/usage.h"

namespace hexapla::api {

// f(name, field) for every public option of a search, by the name that it is declared with. A field without a value was
// not given.
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

// The given options on top of `usual`. UsageError naming option, value and what is allowed: as decode::read_options().
decode::DecodingOptions declared_options(const TranslatorOptions& options, const decode::DecodingOptions& usual = {});
// How a model is searched in calls that do not say otherwise: as its record says, and on top of it `of_model`, which
// was given when it was opened. What does nothing stays, for a call may give it a use; declared_options() leaves it
// out.
decode::DecodingOptions usual_search(const model::Usage& usage, const TranslatorOptions& of_model = {});
// The other way round: every option has a value.
TranslatorOptions public_options(const decode::DecodingOptions& options);

// UsageError: an option was given to a call that has no use for it.
enum class TranslatorCall { best, n_best, request, scores, alignments };
void refuse_idle(TranslatorCall call, const TranslatorOptions& options);

// Those of a request as an object of JSON Schema, with their ranges; which of them go together it cannot say.
nlohmann::ordered_json schema_of_options();

}  // namespace hexapla::api
