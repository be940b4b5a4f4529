#include "base/nearest.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace hexapla {
namespace {

size_t distance(const std::string& a, const std::string& b) {  // Levenshtein
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t next = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = std::exchange(row[j], next);
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::vector<std::string>& names, const std::string& word) {
  const auto longer = [&](const std::string& name) {
    return name.starts_with(word + "-") || name.starts_with(word + "_");
  };
  if (const auto first = std::find_if(names.begin(), names.end(), longer);
      first != names.end() && std::none_of(first + 1, names.end(), longer))
    return *first;
  std::string best;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : names) {
    if (std::max(word.size(), name.size()) - std::min(word.size(), name.size()) >= least) continue;
    if (const size_t d = distance(word, name); d < least) least = d, best = name;
  }
  return best;
}

}  // namespace hexapla
