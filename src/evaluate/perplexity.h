#pragma once
#include <cmath>
#include <cstdint>

#include "base/error.h"

namespace hexapla::evaluate {

// exp of the mean negative log-likelihood (natural log, without label smoothing) of the target
// tokens, including </s>. Infinite on overflow.
inline double perplexity(double negative_log_likelihood, int64_t tokens) {
  HEXAPLA_CHECK(tokens > 0, "perplexity of ", tokens, " tokens");
  return std::exp(negative_log_likelihood / static_cast<double>(tokens));
}

}  // namespace hexapla::evaluate
