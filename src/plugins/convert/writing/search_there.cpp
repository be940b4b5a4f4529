#include "convert/writing/search_there.h"

#include <cmath>

#include "base/error.h"
#include "decode/options/named/search_defaults.h"

namespace hexapla::convert {

// d log((5 + n)^alpha) / d log(n) = alpha n / (n + 5).
decode::DecodingOptions in_powers_of_length(const decode::DecodingOptions& search, std::vector<std::string>& notes) {
  decode::DecodingOptions there = search;
  there.length_normalization = "power";
  if (search.length_normalization == "power" || search.length_penalty == 0) return there;
  there.length_penalty = std::round(100 * search.length_penalty * kUsualLength / (kUsualLength + 5)) / 100;
  notes.push_back(cat("scores are divided by length^", there.length_penalty,
                      " there: the paper's formula is not known, and this is the nearest to `length-penalty` ",
                      search.length_penalty, " for sentences of ", kUsualLength, " tokens"));
  return there;
}

std::string same_search_here(const decode::DecodingOptions& there) {
  return cat("the same search here: `beam-size` ", there.beam_size, " `length-normalization` ",
             there.length_normalization, " `length-penalty` ", there.length_penalty, " `stop-when` ", there.stop_when);
}

}  // namespace hexapla::convert
