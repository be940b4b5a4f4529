#include "lib/jobs/text/augment.h"

#include "base/error.h"
#include "base/files/file.h"
#include "data/training_text.h"
#include "lib/translate/open_translator.h"

namespace hexapla::api {
namespace {

void check(const AugmentJob& job) {
  if (job.distill + job.both + !job.text.empty() != 1)
    throw UsageError("give one of `distill`, `back-translate` FILE and `both-directions`");
  if (job.output.empty()) throw UsageError("`output` is missing: give the files to write, SOURCE and TARGET");
  if (job.sets.empty() && job.text.empty()) throw UsageError("`train-sets` is missing: give the pairs to start from");
  if (job.translates() && job.models.empty()) throw UsageError("`model` is missing: give the model that translates");
  if (!job.translates() && !job.models.empty()) throw UsageError("`both-directions` needs no model; leave out `model`");
  if (same_file(job.output[0], job.output[1]))
    throw UsageError("`output` names one file twice; give SOURCE and TARGET");
  decode::check_tag(job.tag);
}

}  // namespace

decode::AugmentCounts make_pairs(const AugmentJob& job, const JobWatch& watch) {
  check(job);
  const Stopwatch time;
  decode::AugmentWork work;
  work.stop = watch.stop;
  work.progress = [&](int64_t lines, double share) {
    watch.progress({.done = lines, .share = share, .seconds = time.seconds()});
  };
  const std::vector<data::ParallelSource> pairs =
      job.sets.empty() ? std::vector<data::ParallelSource>() : data::parse_sets("train-sets", job.sets, job.tsv);
  const decode::AugmentFiles files{job.output[0], job.output[1]};
  if (job.both) return decode::both_directions(pairs, files, work);
  const OpenTranslator open(job.models, job.how);
  decode::TranslateOptions how = open.with(job.search).translate_options();
  how.stop = work.stop;
  how.attention = open.attention;
  const decode::Translating by{open.translator, how, watch.note};
  return job.distill ? decode::distill(pairs, by, files, work)
                     : decode::back_translate(pairs, job.text, by, job.tag, files, work);
}

}  // namespace hexapla::api
