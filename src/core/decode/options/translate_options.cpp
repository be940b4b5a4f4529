#include "decode/options/translate_options.h"

#include "base/error.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {

void check(const TranslateOptions& o) {
  check(o.search);
  ranges::kBatchSentences.check("batch-sentences", o.batch_sentences);
  ranges::kBatchTokens.check("batch-tokens", o.batch_tokens);
  ranges::kLineTokens.check("max-length", o.max_length);
  ranges::kCoveragePenalty.check("coverage-penalty", o.coverage_penalty);
  if (o.coverage_penalty > 0 && o.search.sampling)
    throw UsageError(
        "`coverage-penalty` reranks the hypotheses of a beam, which `sample` does not have; leave one of them out");
  ranges::kNBest.check("candidates", o.candidates);
  if (o.mbr && o.search.sampling && o.search.n_best > o.candidates)
    throw UsageError(cat("`n-best` is ", o.search.n_best, ", but `mbr` compares ", o.candidates,
                         " samples; raise `candidates` for more"),
                     "n-best", cat(o.search.n_best));
  if (o.search.sampling && !o.everywhere.require.empty())
    throw UsageError("`require` needs beam search, not `sample`; leave one of them out");
}

}  // namespace hexapla::decode
