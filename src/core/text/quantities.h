#pragma once
// Human-readable numbers.
#include <string>

namespace hexapla::text {

// "1h 05m", "18 min", "42 s"
std::string duration(double seconds);
// 8123456 -> "8,123,456"
std::string grouped(long long n);
// "1 pair", "8,123 pairs"; many: an irregular plural.
std::string counted(long long n, const std::string& one, const std::string& many = "");

}  // namespace hexapla::text
