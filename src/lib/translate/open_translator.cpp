#include "lib/translate/open_translator.h"

#include <algorithm>
#include <utility>

#include "decode/options/option_ranges.h"
#include "lib/translate/alignment/word_alignment.h"

namespace hexapla::api {
namespace {

decode::OpenEnsemble open_models(const std::vector<std::string>& paths, const ModelOptions& options) {
  const std::string precision = options.precision.value_or("f32");
  check_choice({"f32", "bf16", "int8"}, "precision", precision);
  check_choice(decode::mixture_names(), "ensemble", options.ensemble);
  for (const double weight : options.weights) ranges::kModelWeight.check("weights", weight);
  if (paths.size() == 1 && (!options.weights.empty() || options.ensemble != "linear"))
    throw UsageError(cat("`", options.weights.empty() ? "ensemble" : "weights",
                         "` is for several models, but there is one: leave it out"),
                     options.weights.empty() ? "ensemble" : "weights",
                     options.weights.empty() ? options.ensemble : cat(options.weights.front()));
  if (!options.shortlist.empty() && paths.size() > 1)
    throw UsageError("`shortlist` is for one model; give one `model`, or leave it out", "shortlist", options.shortlist);
  if (!options.shortlist.empty() && !options.target_language.empty())
    throw UsageError("`shortlist` knows no languages; leave out `target-language`, or `shortlist`", "shortlist",
                     options.shortlist);
  decode::OpenEnsemble all = decode::open_ensemble(
      paths, decode::asked_precision(options.precision.has_value(), precision, options.device), options.device);
  decode::choose_languages(all.members[0], options.source_language, options.target_language);
  return all;
}

void refuse_phrases(TranslatorCall call, const TranslatorOptions& options) {
  if (call != TranslatorCall::scores && call != TranslatorCall::alignments) return;
  for (const auto& [name, phrases] : {std::pair{"require", &options.require}, std::pair{"forbid", &options.forbid}})
    if (!phrases->empty())
      throw UsageError(cat("`", name, "` is for a search, but these translations are given: leave it out"), name,
                       phrases->front());
}

}  // namespace

OpenTranslator::OpenTranslator(const std::vector<std::string>& paths, const ModelOptions& options)
    : models(open_models(paths, options)),
      ensemble(models.ensemble(decode::make_mixture(options.ensemble), options.weights)),
      translator(ensemble, first().source, first().target, *first().backend),
      scorer(ensemble, first().source, first().target, *first().backend),
      attention(attention_of(first(), options.alignment_layer, options.alignment_head)),
      usual(usual_search(first().file.usage, TranslatorOptions::from(options.search))) {
  if (!options.shortlist.empty())
    shortlist.emplace(decode::ShortlistTable::read(options.shortlist), first().source, first().target,
                      options.shortlist);
}

decode::TranslateOptions OpenTranslator::declared(const TranslatorOptions& options, TranslatorCall call) const {
  refuse_idle(call, options);
  refuse_phrases(call, options);
  decode::TranslateOptions how = declared_options(options, usual).translate_options();
  how.attention = attention;
  how.search.token_scores = true;
  how.stop = options.stop;
  how.everywhere = {{}, options.require, options.forbid, terms_of(options.glossary)};
  decode::check_utf8(how.everywhere);
  if (shortlist) add_shortlist(call, how);
  decode::check(how);
  if (!options.alignment.empty()) decode::parse_alignment_unit(options.alignment, "alignment");
  return how;
}

void OpenTranslator::add_shortlist(TranslatorCall call, decode::TranslateOptions& how) const {
  if (call == TranslatorCall::request)
    throw UsageError("`shortlist` is for translate(): requests are translated with those of others; leave it out");
  if (how.everywhere.glossary || !how.everywhere.require.empty()) refuse_with_shortlist();
  how.search.shortlist = &*shortlist;
}

void refuse_with_shortlist() {
  throw UsageError("`shortlist` leaves out what `prefix`, `require` and `glossary` may ask for; leave one of them out");
}

decode::TranslateOptions OpenTranslator::aligning(decode::TranslateOptions how) const {
  how.max_length = std::min(how.max_length, decode::positions(ensemble));
  return how;
}

}  // namespace hexapla::api
