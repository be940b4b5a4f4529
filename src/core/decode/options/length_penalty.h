#pragma once
// The divisor of the sum of log-probabilities, which lets long translations compete with short
// ones. Lengths include </s>.
#include <cmath>
#include <cstdint>
#include <string>
#include <variant>

namespace hexapla::decode {

// ((5 + length) / 6)^alpha: section 6.1, after Wu et al. 2016, equation 14. The paper's alpha is 0.6.
struct PaperPenalty {
  double alpha = 0.6;
  double operator()(int64_t length) const { return std::pow((5 + static_cast<double>(length)) / 6, alpha); }
};

// length^alpha, as in Marian and fairseq; with alpha 1, the mean log-probability of a token.
struct PowerPenalty {
  double alpha = 1;
  double operator()(int64_t length) const { return std::pow(static_cast<double>(length), alpha); }
};

using LengthPenalty = std::variant<PaperPenalty, PowerPenalty>;  // alpha 0 in both: no normalization

inline double divisor(const LengthPenalty& penalty, int64_t length) {
  return std::visit([length](const auto& p) { return p(length); }, penalty);
}

// name: of `length-normalization`, "paper" or "power". UsageError: unknown name, or alpha is not finite.
LengthPenalty make_length_penalty(const std::string& name, double alpha);

}  // namespace hexapla::decode
