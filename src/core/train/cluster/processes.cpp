#include "train/cluster/processes.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "base/error.h"

namespace hexapla::train::cluster {
namespace {

// Larger messages would need as much memory in the transport.
constexpr size_t kSpreadAtOnce = size_t{8} << 20;  // bytes

std::string length_text(uint64_t n) { return {reinterpret_cast<const char*>(&n), sizeof(n)}; }

uint64_t length_in(const std::string& text, size_t at) {
  uint64_t n = 0;
  HEXAPLA_CHECK(at + sizeof(n) <= text.size(), "packed texts end in a length");
  std::memcpy(&n, text.data() + at, sizeof(n));
  return n;
}

}  // namespace

std::string Alone::host() const {
  char name[256] = "";
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown host";
}

Processes& alone() {
  static Alone one;
  return one;
}

std::string name_of(const Processes& p, int number, const std::string& host) {
  return cat("process ", number + 1, " of ", p.count(), " (", host, ")");
}
std::string name_of(const Processes& p) { return name_of(p, p.number(), p.host()); }

std::vector<std::string> gather(Processes& p, const std::string& own) {
  const int me = p.number();
  std::vector<std::string> all(static_cast<size_t>(p.count()));
  all[me] = own;
  if (!p.several()) return all;
  const uint64_t size = own.size();
  std::vector<uint64_t> sizes(all.size(), size);
  std::vector<Outgoing> out;
  std::vector<Incoming> in;
  for (int other = 0; other < p.count(); ++other) {
    if (other == me) continue;
    out.push_back({other, &size, sizeof(size)});
    in.push_back({other, &sizes[other], sizeof(size)});
  }
  p.exchange(out, in);
  out.clear(), in.clear();
  for (int other = 0; other < p.count(); ++other) {
    if (other == me) continue;
    std::string& text = all[other];
    text.resize(sizes[other]);
    if (!own.empty()) out.push_back({other, own.data(), own.size()});
    if (!text.empty()) in.push_back({other, text.data(), text.size()});
  }
  p.exchange(out, in);
  return all;
}

void gather_known(Processes& p, std::span<const size_t> sizes, char* all, Room& room) {
  if (!p.several()) return;
  const auto me = static_cast<size_t>(p.number());
  const char* const own = all + std::accumulate(sizes.begin(), sizes.begin() + p.number(), size_t{0});
  room.clear();
  for (size_t other = 0; other < sizes.size(); all += sizes[other++]) {
    if (other == me) continue;
    if (sizes[me] > 0) room.out.push_back({static_cast<int>(other), own, sizes[me]});
    if (sizes[other] > 0) room.in.push_back({static_cast<int>(other), all, sizes[other]});
  }
  p.exchange(room.out, room.in);
}

std::string of_first(Processes& p, const std::string& own) {
  if (!p.several()) return own;
  return gather(p, p.first() ? own : std::string()).front();
}
int64_t of_first(Processes& p, int64_t own) { return std::stoll(of_first(p, cat(own))); }

// Binary tree: after the round with distance d, the first 2d processes have the bytes.
void spread(Processes& p, void* bytes, size_t size) {
  const int me = p.number();
  for (size_t at = 0; at < size; at += kSpreadAtOnce) {
    const size_t some = std::min(kSpreadAtOnce, size - at);
    char* const from = static_cast<char*>(bytes) + at;
    for (int distance = 1; distance < p.count(); distance *= 2) {
      std::vector<Outgoing> out;
      std::vector<Incoming> in;
      if (me < distance && me + distance < p.count()) out.push_back({me + distance, from, some});
      if (me >= distance && me < 2 * distance) in.push_back({me - distance, from, some});
      p.exchange(out, in);
    }
  }
}

void wait_for_all(Processes& p) { gather(p, ""); }

std::string pack(const std::vector<std::string>& texts) {
  std::string packed;
  for (const std::string& text : texts) packed += length_text(text.size()) + text;
  return packed;
}

std::vector<std::string> unpack(const std::string& packed) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < packed.size();) {
    const size_t size = length_in(packed, at);
    at += sizeof(uint64_t);
    HEXAPLA_CHECK(size <= packed.size() - at, "a packed text is cut short");
    texts.push_back(packed.substr(at, size));
    at += size;
  }
  return texts;
}

}  // namespace hexapla::train::cluster
