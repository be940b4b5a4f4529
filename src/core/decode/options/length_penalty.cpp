#include "decode/options/length_penalty.h"

#include "base/error.h"
#include "decode/options/option_ranges.h"

namespace hexapla::decode {

LengthPenalty make_length_penalty(const std::string& name, double alpha) {
  ranges::kLengthPenalty.check("length-penalty", alpha);
  if (name == "paper") return PaperPenalty{alpha};
  if (name == "power") return PowerPenalty{alpha};
  throw UsageError(cat("`length-normalization` '", name,
                       "' is unknown; choose paper, ((5 + length) / 6)^alpha, or power, length^alpha"));
}

}  // namespace hexapla::decode
