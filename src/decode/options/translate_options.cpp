#include "decode/options/translate_options.h"

#include "base/error.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {

void check(const TranslateOptions& o) {
  check(o.search);
  ranges::batch_sentences.check("batch-sentences", o.batch_sentences);
  ranges::batch_tokens.check("batch-tokens", o.batch_tokens);
  ranges::line_tokens.check("max-length", o.max_length);
  ranges::coverage_penalty.check("coverage-penalty", o.coverage_penalty);
  if (o.coverage_penalty > 0 && o.search.sampling)
    throw UsageError(
        "`coverage-penalty` reranks the hypotheses of a beam, which `sample` does not have; leave one of them out");
  for (const auto& [there, name] :
       {std::pair(!o.everywhere.require.empty(), "require"), std::pair(o.everywhere.glossary != nullptr, "glossary")})
    if (o.search.sampling && there)
      throw UsageError(cat("`", name, "` needs beam search, not `sample`; leave one of them out"));
}

}  // namespace hexapla::decode
