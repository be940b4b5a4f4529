#include "decode/options/named/decoding_options.h"

#include "base/error.h"

namespace hexapla::decode {

namespace {

std::shared_ptr<const text::Protection> protection(const std::string& word, const std::vector<std::string>& patterns) {
  if (word != "auto" && word != "none") throw UsageError(cat("`protect` '", word, "' is unknown; choose auto or none"));
  if (word == "none" && patterns.empty()) return {};
  return std::make_shared<const text::Protection>(word == "auto", patterns);
}

}  // namespace

TranslateOptions ScoringOptions::translate_options() const {
  TranslateOptions o;
  o.search.length_penalty = make_length_penalty(length_normalization, length_penalty);
  o.batch_sentences = batch_sentences;
  o.batch_tokens = batch_tokens;
  o.max_length = max_length;
  o.parting.protection = protection(protect, protect_pattern);
  return o;
}

TranslateOptions BeamOptions::translate_options() const {
  TranslateOptions o = ScoringOptions::translate_options();
  o.search.beam_size = static_cast<int>(beam_size);
  o.search.n_best = static_cast<int>(n_best);
  o.search.stop_when = stop_when == "outscored"   ? StopWhen::outscored
                       : stop_when == "never"     ? StopWhen::never
                       : stop_when == "shrinking" ? StopWhen::shrinking
                                                  : StopWhen::full;
  o.search.extra_length = extra_length;
  o.search.word_penalty = word_penalty;
  o.search.longest = longest;
  o.search.longest_ratio = longest_ratio;
  o.search.min_length = min_length;
  o.search.repetition_penalty = repetition_penalty;
  o.search.no_repeat_ngram = no_repeat_ngram;
  o.search.max_repetition = max_repetition;
  o.search.forbid_unknown = unk == "forbid";
  o.copy_unknown = unk == "copy";
  o.coverage_penalty = coverage_penalty;
  o.parting.sentences = parse_sentences(sentences);
  o.parting.familiar = familiar;
  o.parting.long_input = parse_long_input(long_input);
  o.parting.capitals = parse_capitals(letter_case);
  return o;
}

void SampleOptions::add_to(SearchOptions& options) const {
  if (sample) options.sampling = SamplingOptions{temperature, top_k, top_p, seed};
}

TranslateOptions DecodingOptions::translate_options() const {
  TranslateOptions o = BeamOptions::translate_options();
  add_to(o.search);
  check(o);
  return o;
}

}  // namespace hexapla::decode
