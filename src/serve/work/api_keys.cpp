#include "serve/work/api_keys.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/range.h"

namespace hexapla::serve {
namespace {

constexpr std::size_t kManyAddresses = 10'000;

}  // namespace

double MinuteLimit::wait(Clock::time_point now) {
  left_ = std::min(most_, left_ + per_second_ * std::chrono::duration<double>(now - at_).count());
  at_ = now;
  return left_ < 1 ? (1 - left_) / per_second_ : 0;
}

double MinuteLimit::take(Clock::time_point now) {
  const double seconds = wait(now);
  if (seconds == 0) left_ -= 1;
  return seconds;
}

bool MinuteLimit::full(Clock::time_point now) const {
  return left_ + per_second_ * std::chrono::duration<double>(now - at_).count() >= most_;
}

ApiKeys::ApiKeys(const std::string& file, int per_minute) : per_minute_(per_minute) {
  if (file.empty()) return;
  Classic<std::istringstream> lines(read_file(file));
  int number = 0;
  for (std::string line; std::getline(lines, line);)
    read_line(cat(file, ":", ++number), line.substr(0, line.find('#')));
  if (keys_.empty()) throw DataError(cat(file, ": has no key; a line is KEY, or KEY REQUESTS_PER_MINUTE"));
}

void ApiKeys::read_line(const std::string& where, const std::string& line) {
  constexpr Range<std::int64_t> rates{0, 1'000'000}, sizes{1, std::int64_t{1} << 31};
  Classic<std::istringstream> words(line);
  std::string key, rate, size, more;
  if (!(words >> key)) return;
  Key entry;
  const auto number = [&](const std::string& word, const Range<std::int64_t>& range) {
    const auto value = parse_number<std::int64_t>(word);
    if (!value || !range.has(*value))
      throw DataError(cat(where, ": '", word, "' must be a number ", range.text(),
                          "; a line is KEY REQUESTS_PER_MINUTE ", "CHARACTERS, and the numbers may be left out"));
    return *value;
  };
  if (words >> rate) entry.per_minute = static_cast<int>(number(rate, rates));
  if (words >> size) entry.characters = static_cast<std::size_t>(number(size, sizes));
  if (words >> more)
    throw DataError(cat(where, ": more than three words; a line is KEY REQUESTS_PER_MINUTE CHARACTERS"));
  if (entry.per_minute > 0) entry.limit.emplace(entry.per_minute);
  if (!keys_.emplace(key, entry).second) throw DataError(cat(where, ": this key is there twice; remove one of them"));
}

std::optional<HttpError> ApiKeys::refusal(double wait, int per_minute) {
  if (wait <= 0) return {};
  return HttpError(429, cat("Slowdown: ", per_minute, " per 1 minute"),
                   {{"Retry-After", cat(static_cast<int>(std::ceil(wait)))}});
}

MinuteLimit& ApiKeys::limit_of(const std::string& peer) {
  if (addresses_.size() >= kManyAddresses) {
    const auto now = MinuteLimit::Clock::now();
    std::erase_if(addresses_, [&](const auto& entry) { return entry.second.full(now); });
  }
  return addresses_.try_emplace(peer, needed() ? kWrongPerMinute : per_minute_).first->second;
}

std::optional<HttpError> ApiKeys::refusal_of_address(const std::string& peer) {
  const std::lock_guard lock(mutex_);
  if (needed()) {
    const auto found = addresses_.find(peer);
    return found == addresses_.end() ? std::nullopt : refusal(found->second.wait(), kWrongPerMinute);
  }
  return per_minute_ == 0 ? std::nullopt : refusal(limit_of(peer).take(), per_minute_);
}

std::optional<std::size_t> ApiKeys::admit_key(const std::string& key, const std::string& peer) {
  if (!needed()) return {};
  if (key.empty()) throw HttpError(400, "Please contact the server operator to get an API key");
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) {
    if (const auto refused = refusal(limit_of(peer).take(), kWrongPerMinute)) throw *refused;
    throw HttpError(403, "Invalid API key");
  }
  if (auto& limit = found->second.limit)
    if (const auto refused = refusal(limit->take(), found->second.per_minute)) throw *refused;
  return found->second.characters;
}

}  // namespace hexapla::serve
