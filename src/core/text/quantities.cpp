#include "text/quantities.h"

#include "base/error.h"

namespace hexapla::text {

std::string duration(double seconds) {
  const auto s = static_cast<long long>(seconds + 0.5);
  if (s < 60) return cat(s, " s");
  if (s < 3600) return cat((s + 30) / 60, " min");
  return cat(s / 3600, "h ", s / 60 % 60 < 10 ? "0" : "", s / 60 % 60, "m");
}

std::string grouped(long long n) {
  std::string digits = cat(n < 0 ? -n : n);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), 1, ',');
  if (n < 0) digits.insert(0, 1, '-');
  return digits;
}

std::string counted(long long n, const std::string& one, const std::string& many) {
  return grouped(n) + " " + (n == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace hexapla::text
