#include "decode/search/make_strategy.h"

#include <algorithm>

#include "base/error.h"
#include "decode/constraints/constrained_beam_search.h"
#include "decode/search/sampler.h"

namespace hexapla {

std::unique_ptr<DecodingStrategy> make_strategy(const Queue& queue, const SearchOptions& options,
                                                const SpecialIds& special) {
  const bool required = std::any_of(queue.requests.begin(), queue.requests.end(),
                                    [](const SentenceConstraints& r) { return !r.required.empty(); });
  if (options.sampling && required)
    throw UsageError("words that are required need a beam, and sampling has none; leave one of them out");
  if (options.sampling) return std::make_unique<Sampler>(queue, options, special);
  if (ruled(queue, options)) return std::make_unique<ConstrainedBeamSearch>(queue, options, special);
  return std::make_unique<BeamSearch>(options, special);
}

}  // namespace hexapla
