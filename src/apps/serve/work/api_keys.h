#pragma once
// API keys and request rate limits.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "serve/http/message.h"

namespace hexapla::serve {

// A token bucket of N requests per minute. Bursts are limited to 60 requests or two seconds' worth,
// whichever is more: a minute's worth of a high limit would keep all others waiting.
class MinuteLimit {
 public:
  using Clock = std::chrono::steady_clock;
  explicit MinuteLimit(int per_minute, Clock::time_point now = Clock::now())
      : per_second_(per_minute / 60.0), most_(at_once(per_minute)), left_(most_), at_(now) {}

  // Takes one. -> 0 if it was taken, else seconds until one is available
  double take(Clock::time_point now = Clock::now());
  double wait(Clock::time_point now = Clock::now());  // the same without taking one
  bool full(Clock::time_point now) const;

 private:
  static double at_once(double per_minute) { return std::min(per_minute, std::max(60.0, per_minute / 30)); }

  double per_second_, most_, left_;
  Clock::time_point at_;
};

// The key in a header "Authorization: Bearer KEY" or "DeepL-Auth-Key KEY"; "" if there is none.
std::string key_in_header(const Request& request);

class ApiKeys {
 public:
  // file: lines "KEY", "KEY REQUESTS_PER_MINUTE" or "KEY REQUESTS_PER_MINUTE CHARACTERS", blank
  // lines, and lines that begin with "#"; "": no key is needed. per_minute: limit per address if no
  // key is needed; 0: no limit. DataError: another line, with its number.
  ApiKeys(const std::string& file, int per_minute);

  bool needed() const { return !keys_.empty(); }
  // Without keys, counts a request of this address. -> 429 with Retry-After if the address has sent
  // too many requests, or, if keys are needed, too many wrong keys. Returned, not thrown, because
  // there may be many.
  std::optional<HttpError> refusal_of_address(const std::string& peer);
  // If keys are needed: admit_key()'s error for a key that is known before the rest of its request, which is not
  // counted. Nothing for "".
  std::optional<HttpError> refusal_of_key(const std::string& key, const std::string& peer);
  // If keys are needed, counts a request with this key. -> most characters per text, if the key
  // limits them. HttpError: 400 no key, 403 wrong key (counts against the address), 429 too many
  // requests, with Retry-After.
  std::optional<std::size_t> admit_key(const std::string& key, const std::string& peer);

  static constexpr int kWrongPerMinute = 30;  // wrong keys per address; beyond it, the address is refused

 private:
  struct Key {
    int per_minute = 0;
    std::optional<std::size_t> characters;
    std::optional<MinuteLimit> limit;
  };
  HttpError refusal_of_unknown(const std::string& peer);
  void read_line(const std::string& where, const std::string& line);
  static std::optional<HttpError> refusal(double wait, int per_minute);
  MinuteLimit& limit_of(const std::string& peer);

  const int per_minute_;
  std::mutex mutex_;
  std::unordered_map<std::string, Key> keys_;
  std::map<std::string, MinuteLimit> addresses_;  // counts requests, or wrong keys if keys are needed
};

}  // namespace hexapla::serve
