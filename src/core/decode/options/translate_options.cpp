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
  if (o.search.sampling && !o.everywhere.require.empty())
    throw UsageError("`require` needs beam search, not `sample`; leave one of them out");
}

}  // namespace hexapla::decode
