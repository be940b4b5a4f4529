#include "decode/strategies/make_strategy.h"

#include <algorithm>

#include "base/error.h"
#include "decode/strategies/constrained_beam_search.h"
#include "decode/strategies/sampler.h"

namespace hexapla::decode {

std::unique_ptr<DecodingStrategy> make_strategy(const AllConstraints& all, const SearchOptions& options,
                                                const SpecialIds& special) {
  const bool required = std::any_of(all.sentences.begin(), all.sentences.end(),
                                    [](const SentenceConstraints& r) { return !r.required.empty(); });
  if (options.sampling && required)
    throw UsageError("required words need beam search and cannot be sampled; leave one of them out");
  if (options.sampling) return std::make_unique<Sampler>(all, options, special);
  if (is_constrained(all, options)) return std::make_unique<ConstrainedBeamSearch>(all, options, special);
  return std::make_unique<BeamSearch>(options, special);
}

}  // namespace hexapla::decode
