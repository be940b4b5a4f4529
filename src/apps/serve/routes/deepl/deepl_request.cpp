#include "serve/routes/deepl/deepl_request.h"

#include <algorithm>

#include "base/error.h"
#include "serve/languages/detect.h"
#include "serve/languages/languages.h"

namespace hexapla::serve::deepl {
namespace {

// "" if unknown
std::string model_language(const std::vector<std::string>& codes, const std::string& word) {
  const std::string code = language_among(codes, word);
  const bool any = std::find(codes.begin(), codes.end(), kUndetermined) != codes.end();
  return code.empty() && any ? language_code(word) : code;
}

}  // namespace

void refuse(const std::string& why) { throw HttpError(400, why); }

LanguagePair languages_of(const Parameters& p, const ModelSet& models) {
  const std::vector<std::string> codes = all_languages(models);
  const std::string given = p.text_or("source_lang", "");
  LanguagePair l{model_language(codes, given), model_language(codes, p.text_or("target_lang", ""))};
  if (l.target.empty()) refuse("Value for 'target_lang' not supported.");
  if (!given.empty() && l.source.empty()) refuse("Value for 'source_lang' not supported.");
  return l;
}

Hops hops_between(const ModelSet& models, const std::string& source, const std::string& target) {
  if (source == target && source != kUndetermined) return {};
  Hops hops = models.find(source, target);
  if (hops.empty()) refuse(cat("nothing here translates from ", source, " to ", target));
  return hops;
}

}  // namespace hexapla::serve::deepl
