#include "serve/work/api_keys.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/range.h"
#include "text/utf8.h"

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

std::string key_in_header(const Request& request) {
  const std::string_view authorization = request.header("authorization");
  const std::size_t blank = std::min(authorization.find(' '), authorization.size());
  std::string scheme(authorization.substr(0, blank));
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  if (scheme != "bearer" && scheme != "deepl-auth-key") return "";
  return std::string(authorization.substr(std::min(authorization.find_first_not_of(' ', blank), authorization.size())));
}

ApiKeys::ApiKeys(const std::string& file, int per_minute) : per_minute_(per_minute) {
  if (file.empty()) return;
  std::string content = read_file(file);
  if (content.starts_with("\xEF\xBB\xBF")) content.erase(0, 3);
  Classic<std::istringstream> lines(content);
  int number = 0;
  for (std::string line; std::getline(lines, line);) read_line(cat(file, ":", ++number), line);
  if (keys_.empty()) throw DataError(cat(file, ": has no key; a line is KEY, or KEY REQUESTS_PER_MINUTE"));
}

// The messages repeat no word of the line, because it may be a part of a key.
void ApiKeys::read_line(const std::string& where, const std::string& line) {
  constexpr Range<std::int64_t> rates{0, 1'000'000}, sizes{1, std::int64_t{1} << 31};
  const auto refuse = [&](const std::string& why) {
    throw DataError(cat(where, ": ", why, "; a line is KEY, KEY REQUESTS_PER_MINUTE or KEY REQUESTS_PER_MINUTE ",
                        "CHARACTERS, and a comment has a line of its own, which begins with #"));
  };
  Classic<std::istringstream> words(line);
  std::string key, rate, size, more;
  if (!(words >> key) || key.starts_with('#')) return;
  if (text::invalid_utf8(key) ||
      std::any_of(key.begin(), key.end(), [](char c) { return (c & ~0x1F) == 0 || c == 0x7F; }))
    refuse("the key is not UTF-8, or has control characters");
  Key entry;
  const auto number = [&](const std::string& word, const char* which, const Range<std::int64_t>& range) {
    const auto value = parse_number<std::int64_t>(word);
    if (!value || !range.has(*value)) refuse(cat("the ", which, " word must be ", range.requirement()));
    return *value;
  };
  if (words >> rate) entry.per_minute = static_cast<int>(number(rate, "second", rates));
  if (words >> size) entry.characters = static_cast<std::size_t>(number(size, "third", sizes));
  if (words >> more) refuse("more than three words");
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

// The caller holds the mutex.
HttpError ApiKeys::refusal_of_unknown(const std::string& peer) {
  return refusal(limit_of(peer).take(), kWrongPerMinute).value_or(HttpError(403, "Invalid API key"));
}

std::optional<HttpError> ApiKeys::refusal_of_key(const std::string& key, const std::string& peer) {
  if (!needed() || key.empty()) return {};
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) return refusal_of_unknown(peer);
  auto& limit = found->second.limit;
  return limit ? refusal(limit->wait(), found->second.per_minute) : std::nullopt;
}

std::optional<std::size_t> ApiKeys::admit_key(const std::string& key, const std::string& peer) {
  if (!needed()) return {};
  if (key.empty()) throw HttpError(400, "Please contact the server operator to get an API key");
  const std::lock_guard lock(mutex_);
  const auto found = keys_.find(key);
  if (found == keys_.end()) throw refusal_of_unknown(peer);
  if (auto& limit = found->second.limit)
    if (const auto refused = refusal(limit->take(), found->second.per_minute)) throw *refused;
  return found->second.characters;
}

}  // namespace hexapla::serve
