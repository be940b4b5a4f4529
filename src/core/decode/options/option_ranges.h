#pragma once
// Ranges of decoding options, checked by the command line when it reads them and by the library
// when it is called.
#include "base/range.h"

namespace hexapla::ranges {

inline constexpr Range<int64_t> kNBest{1, 1000};
inline constexpr Range<int64_t> kBatchSentences{1, 1'000'000};
inline constexpr Range<int64_t> kLineTokens{2, 1 << 20};  // at least a token and </s>
inline constexpr Range<int64_t> kMoreTokens{0, 1'000'000};
inline constexpr Range<int64_t> kRuleTokens{0, 1'000'000};
inline constexpr Range<int64_t> kTopK{0, 1 << 22};
inline constexpr Range<double> kLengthPenalty{-100, 100};
inline constexpr Range<double> kWordPenalty{-1e6, 1e6};
inline constexpr Range<double> kCoveragePenalty{0, 1e6};
inline constexpr Range<double> kRepetitionPenalty{.least = 0, .most = 100, .open_least = true};
inline constexpr Range<double> kLongestRatio{0, 1e6};
inline constexpr Range<double> kTemperature{.least = 0, .most = 1e6, .open_least = true};
inline constexpr Range<double> kTopP{.least = 0, .most = 1, .open_least = true};
inline constexpr Range<double> kModelWeight{.least = 0, .most = 1e6, .open_least = true};

}  // namespace hexapla::ranges
