#include "hexapla/augment.h"

#include "base/files/file.h"
#include "base/range.h"
#include "data/training_text.h"
#include "decode/augment/augment.h"
#include "lib/guard.h"
#include "lib/translate/open_translator.h"

namespace hexapla {
namespace {

void check(const AugmentOptions& o, const std::string& source, const std::string& target) {
  check_choice({"distill", "back-translate", "both-directions"}, "kind", o.kind);
  const bool back = o.kind == "back-translate", translates = o.kind != "both-directions";
  if (back == o.text.empty())
    throw UsageError(
        back ? "`text` is missing: give the file to translate back" : "`text` is for back-translate: leave it out",
        "text", o.text);
  if (o.train_sets.empty() && !back) throw UsageError("`train-sets` is missing: give the pairs to start from");
  if (translates && o.models.empty()) throw UsageError("`model` is missing: give the model that translates");
  if (!translates && !o.models.empty()) throw UsageError("`both-directions` needs no model; leave out `model`");
  if (same_file(source, target)) throw UsageError("`output` names one file twice; give SOURCE and TARGET");
  decode::check_tag(o.tag);
}

}  // namespace

AugmentCounts augment(const AugmentOptions& o, const std::string& source, const std::string& target) {
  api::CallerFunctions functions;
  return functions.guard([&] {
    check(o, source, target);
    decode::AugmentWork work{.stop = o.search.stop};
    if (o.on_progress)
      work.progress = [&](int64_t lines, double share) { functions.call(o.on_progress, lines, share); };
    const std::vector<data::ParallelSource> pairs = o.train_sets.empty()
                                                        ? std::vector<data::ParallelSource>()
                                                        : data::parse_sets("train-sets", o.train_sets, o.tsv);
    const decode::AugmentFiles files{source, target};
    if (o.kind == "both-directions") return decode::both_directions(pairs, files, work);
    const api::OpenTranslator open(o.models, o.how);
    const decode::Translating by{open.translator, open.declared(o.search, api::TranslatorCall::best),
                                 [&](const std::string& where, const std::string& what) {
                                   if (o.warn) functions.call(o.warn, where, api::spelled_for_caller(what));
                                 }};
    return o.kind == "distill" ? decode::distill(pairs, by, files, work)
                               : decode::back_translate(pairs, o.text, by, o.tag, files, work);
  });
}

}  // namespace hexapla
