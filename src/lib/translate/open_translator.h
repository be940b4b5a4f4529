#pragma once
// Models opened for translating, with their search defaults.
#include <optional>
#include <string>
#include <vector>

#include "decode/opened/open_model.h"
#include "decode/options/named/decoding_options.h"
#include "decode/steps/shortlist.h"
#include "hexapla/translator.h"
#include "lib/translate/translator_options.h"

namespace hexapla::api {

struct OpenTranslator {
  decode::OpenEnsemble models;
  decode::Ensemble ensemble;
  decode::TextTranslator translator;
  decode::TextScorer scorer;
  decode::AttentionHead attention;  // of the first model, for word alignments
  std::optional<decode::Shortlist> shortlist;
  decode::DecodingOptions usual;  // the record of the first model's file, overridden by ModelOptions::search

  // Errors as the constructor of Translator.
  OpenTranslator(const std::vector<std::string>& paths, const ModelOptions& options);
  OpenTranslator(const OpenTranslator&) = delete;  // its members borrow each other
  OpenTranslator& operator=(const OpenTranslator&) = delete;

  const decode::OpenModel& first() const { return models.members.front(); }
  // The options of a call. UsageError: out of range, or without effect in it.
  decode::TranslateOptions declared(const TranslatorOptions& options, TranslatorCall call) const;
  // The options of a translation, for aligning its result: lines are cut to suit all models.
  decode::TranslateOptions aligning(decode::TranslateOptions how) const;

 private:
  void add_shortlist(TranslatorCall call, decode::TranslateOptions& how) const;
};
// Throws UsageError: an option asks for pieces that a shortlist may leave out.
[[noreturn]] void refuse_with_shortlist();

}  // namespace hexapla::api
