#pragma once
// Ranges of decoding options, checked by the command line when it reads them and by the library
// when it is called.
#include "base/range.h"

namespace hexapla::ranges {

inline constexpr Range<int64_t> n_best{1, 1000};
inline constexpr Range<int64_t> batch_sentences{1, 1'000'000};
inline constexpr Range<int64_t> line_tokens{2, 1 << 20};  // at least a token and </s>
inline constexpr Range<int64_t> more_tokens{0, 1'000'000};
inline constexpr Range<int64_t> rule_tokens{0, 1'000'000};
inline constexpr Range<int64_t> top_k{0, 1 << 22};
inline constexpr Range<double> length_penalty{-100, 100};
inline constexpr Range<double> word_penalty{-1e6, 1e6};
inline constexpr Range<double> coverage_penalty{0, 1e6};
inline constexpr Range<double> repetition_penalty{.least = 0, .most = 100, .open_least = true};
inline constexpr Range<double> longest_ratio{0, 1e6};
inline constexpr Range<double> temperature{.least = 0, .most = 1e6, .open_least = true};
inline constexpr Range<double> top_p{.least = 0, .most = 1, .open_least = true};
inline constexpr Range<double> model_weight{.least = 0, .most = 1e6, .open_least = true};

}  // namespace hexapla::ranges
