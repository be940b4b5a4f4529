#include "hexapla/shortlist.h"

#include <utility>

#include "base/range.h"
#include "data/files/parallel_text.h"
#include "decode/opened/alignment_head.h"
#include "decode/opened/open_model.h"
#include "decode/rescoring/aligner.h"
#include "decode/steps/shortlist.h"
#include "lib/guard.h"

namespace hexapla {
namespace {

constexpr size_t kPairsAtOnce = 2000;
constexpr Range<int64_t> kListed{0, 100000};

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

decode::LexicalCounts counts_of_alignments(const decode::OpenModel& m, const std::vector<std::string>& files,
                                           const ShortlistOptions& options, api::CallerFunctions& functions) {
  decode::TranslateOptions how;
  how.attention = decode::alignment_head(m);
  const decode::LineWarning warn = [&](size_t line, const std::string& what) {
    if (options.warn) functions.call(options.warn, line + 1, api::spelled_for_caller(what));
  };
  const decode::LineEncoder source(m.source, m.file.config, how.max_length, warn),
      target(m.target, m.file.config, how.max_length, warn, decode::LineSide::translation);
  data::ParallelReader reader({.source = files[0], .target = files[1]});
  decode::LexicalCounts counts;
  SomePairs some;
  size_t line = 0;
  const auto flush = [&] {
    count(m, how, std::exchange(some, {}), counts);
    if (options.on_progress) functions.call(options.on_progress, line);
  };
  for (std::string x, y; reader.next(x, y); ++line) {
    if (some.source.size() == kPairsAtOnce) flush();
    some.source.push_back(source.encode(x, line));
    m.source.end_source(some.source.back());
    some.target.push_back(target.encode(y, line));
  }
  flush();
  if (counts.empty()) throw DataError(cat(files[0], " and ", files[1], " have no pair with words on both sides"));
  return counts;
}

}  // namespace

ShortlistSize make_shortlist(const std::string& model, const std::vector<std::string>& from, const std::string& output,
                             const ShortlistOptions& options) {
  api::CallerFunctions functions;
  return functions.guard([&] {
    kListed.check("first", options.first);
    kListed.check("best", options.best);
    if (from.size() != 1 && from.size() != 2)
      throw UsageError("give two files, SOURCE and TARGET, for the model to align, or one table of probabilities",
                       "from", cat(from.size(), " files"));
    const decode::OpenModel m = decode::open_model(model);
    const decode::LexicalCounts counts = from.size() == 2 ? counts_of_alignments(m, from, options, functions)
                                                          : decode::read_lexical_table(from[0], m.source, m.target);
    const auto table = decode::make_shortlist(counts, m.source.size(), static_cast<uint64_t>(options.first),
                                              static_cast<uint64_t>(options.best));
    table.write(output);
    return ShortlistSize{std::ssize(counts), m.source.size(),
                         static_cast<double>(table.ids.size()) / static_cast<double>(counts.size())};
  });
}

}  // namespace hexapla
