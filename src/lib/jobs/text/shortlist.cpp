#include "lib/jobs/text/shortlist.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "data/files/parallel_text.h"
#include "decode/opened/alignment_head.h"
#include "decode/opened/open_model.h"
#include "decode/rescoring/aligner.h"
#include "decode/steps/shortlist.h"

namespace hexapla::api {
namespace {

constexpr size_t kPairsAtOnce = 2000;

struct SomePairs {
  std::vector<text::Ids> source, target;
};

// Counts, for each target piece, the source piece that gets most of its attention.
void count(const decode::OpenModel& m, const decode::TranslateOptions& how, const SomePairs& pairs,
           decode::LexicalCounts& counts) {
  std::vector<std::vector<data::Link>> links(pairs.source.size());
  decode::worker_aligner({*m.file.net, decode::special_ids(m.target), *m.backend}, how)(
      pairs.source, pairs.target,
      [&](size_t i, const decode::SoftAlignment& soft) { links[i] = decode::hard_links(soft); });
  for (size_t i = 0; i < links.size(); ++i)
    for (const data::Link& link : links[i]) ++counts[pairs.source[i][link.source]][pairs.target[i][link.target]];
}

decode::LexicalCounts counts_of_alignments(const ShortlistJob& job, const decode::OpenModel& m, const JobWatch& watch) {
  decode::TranslateOptions how;
  how.attention = decode::alignment_head(m);
  const decode::LineWarning warn = [&](size_t line, const std::string& what) {
    watch.note(fmt::format("line {}", line + 1), what);
  };
  const decode::LineEncoder source(m.source, m.file.config, how.max_length, warn),
      target(m.target, m.file.config, how.max_length, warn, decode::LineSide::translation);
  data::ParallelReader reader({.source = job.source, .target = job.target});
  decode::LexicalCounts counts;
  SomePairs some;
  size_t line = 0;
  const auto flush = [&] {
    count(m, how, std::exchange(some, {}), counts);
    watch.progress({.done = static_cast<int64_t>(line)});
  };
  for (std::string x, y; reader.next(x, y); ++line) {
    some.source.push_back(source.encode(x, line));
    m.source.end_source(some.source.back());
    some.target.push_back(target.encode(y, line));
    if (some.source.size() == kPairsAtOnce) flush();
  }
  if (!some.source.empty()) flush();
  if (counts.empty()) throw DataError(cat(job.source, " and ", job.target, " have no pair with words on both sides"));
  return counts;
}

}  // namespace

ShortlistSize make_shortlist(const ShortlistJob& job, const JobWatch& watch) {
  const decode::OpenModel m = decode::open_model(job.model);
  const decode::LexicalCounts counts = job.lexicon.empty()
                                           ? counts_of_alignments(job, m, watch)
                                           : decode::read_lexical_table(job.lexicon, m.source, m.target);
  const decode::ShortlistTable table = decode::make_shortlist(counts, m.source.size(), static_cast<uint64_t>(job.first),
                                                              static_cast<uint64_t>(job.best));
  table.write(job.output);
  return {std::ssize(counts), m.source.size(),
          static_cast<double>(table.ids.size()) / static_cast<double>(counts.size())};
}

}  // namespace hexapla::api
