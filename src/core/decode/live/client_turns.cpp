#include "decode/live/client_turns.h"

#include <algorithm>
#include <limits>

namespace hexapla::decode {

void ClientTurns::add(uint64_t client, size_t name, Clock::time_point now) {
  Client& its = clients_[client];
  if (its.waiting.empty()) turns_.push_back(client);
  its.waiting.push_back(name);
  ++waiting_;
  if (client != last_client_ && last_time_ > now - kPresentFor) several_until_ = now + kPresentFor;
  last_client_ = client, last_time_ = now;
}

size_t ClientTurns::share(size_t loops, Clock::time_point now) const {
  return now < several_until_ ? kTurnsBesideOthers * std::max<size_t>(loops, 1) : std::numeric_limits<size_t>::max();
}

std::optional<size_t> ClientTurns::next(size_t loops, Clock::time_point now) {
  const size_t most = share(loops, now);
  const auto turn =
      std::find_if(turns_.begin(), turns_.end(), [&](uint64_t c) { return clients_.at(c).on_their_way < most; });
  if (turn == turns_.end()) return {};
  const uint64_t client = *turn;
  Client& its = clients_.at(client);
  const size_t name = its.waiting.front();
  its.waiting.pop_front();
  ++its.on_their_way;
  --waiting_;
  turns_.erase(turn);
  if (!its.waiting.empty()) turns_.push_back(client);
  return name;
}

bool ClientTurns::forget(uint64_t client, size_t name) {
  const auto found = clients_.find(client);
  if (found == clients_.end() || std::erase(found->second.waiting, name) == 0) return false;
  --waiting_;
  if (found->second.waiting.empty()) std::erase(turns_, client);
  left(found);
  return true;
}

void ClientTurns::ended(uint64_t client) {
  const auto found = clients_.find(client);
  --found->second.on_their_way;
  left(found);
}

void ClientTurns::left(Clients::iterator client) {
  if (client->second.on_their_way == 0 && client->second.waiting.empty()) clients_.erase(client);
}

std::deque<size_t> ClientTurns::forget_all() {
  std::deque<size_t> all;
  for (auto client = clients_.begin(); client != clients_.end();) {
    all.insert(all.end(), client->second.waiting.begin(), client->second.waiting.end());
    client->second.waiting.clear();
    client = client->second.on_their_way == 0 ? clients_.erase(client) : std::next(client);
  }
  turns_.clear();
  waiting_ = 0;
  std::sort(all.begin(), all.end());
  return all;
}

bool ClientTurns::more_than(size_t count, size_t loops, Clock::time_point now) const {
  const size_t most = share(loops, now);
  size_t all = 0;
  for (auto client = clients_.begin(); client != clients_.end() && all <= count; ++client)
    all += std::min(client->second.on_their_way + client->second.waiting.size(), most);
  return all > count;
}

}  // namespace hexapla::decode
