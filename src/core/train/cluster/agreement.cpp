#include "train/cluster/agreement.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"

namespace hexapla::train::cluster {

void require_same(Processes& p, const std::string& what, const std::string& own, const Difference& difference,
                  const std::string& remedy) {
  if (!p.several()) return;
  const std::vector<std::string> all = gather(p, own);
  int other = 1;
  while (other < p.count() && all[other] == all[0]) ++other;
  if (other == p.count()) return;
  const std::vector<std::string> hosts = gather(p, p.host());
  throw UsageError(cat(name_of(p, other, hosts[other]), " has ", what, " than ", name_of(p, 0, hosts[0]), ": ",
                       difference(all[0], all[other]), "; ", remedy));
}

std::string words_that_differ(const std::string& first, const std::string& other) {
  const auto words = [](const std::string& text) {
    Classic<std::istringstream> in(text);
    return std::vector<std::string>(std::istream_iterator<std::string>(in), {});
  };
  const std::vector<std::string> a = words(first), b = words(other);
  const size_t shorter = std::min(a.size(), b.size());
  size_t from = 0, same_end = 0;
  while (from < shorter && a[from] == b[from]) ++from;
  while (same_end < shorter - from && a[a.size() - 1 - same_end] == b[b.size() - 1 - same_end]) ++same_end;
  const auto middle = [&](const std::vector<std::string>& all) {
    std::string text;
    for (size_t i = from; i + same_end < all.size(); ++i) text += (text.empty() ? "" : " ") + all[i];
    return text.empty() ? std::string("nothing") : text;
  };
  return middle(a) + " -> " + middle(b);
}

std::vector<std::string> warnings_of_threads(Processes& p, const Place& own) {
  std::vector<std::string> warnings;
  if (!p.several()) return warnings;
  const std::vector<std::string> hosts = gather(p, p.host());
  const std::vector<std::string> places = gather(p, cat(own.threads, " ", own.bound, " ", own.cores));
  std::map<std::string, std::pair<int, int>> of_host;  // threads of its processes, and its cores
  for (int i = 0; i < p.count(); ++i) {
    const std::string& host = hosts[i];
    Place place;
    Classic<std::istringstream>(places[i]) >> place.threads >> place.bound >> place.cores;
    if (place.threads > place.bound)
      warnings.push_back(cat(name_of(p, i, host), " has ", place.threads, " threads, but the launcher has bound it to ",
                             place.bound, place.bound == 1 ? " core" : " cores", ": give `threads` ", place.bound,
                             ", or bind it to more (Open MPI: bind-to none, or map-by slot:PE=", place.threads, ")"));
    of_host[host].first += place.threads;
    of_host[host].second = place.cores;
  }
  for (const auto& [host, all] : of_host)
    if (const auto [threads, cores] = all; threads > cores && warnings.empty())
      warnings.push_back(cat("the processes on ", host, " have ", threads, " threads together, but it has ", cores,
                             cores == 1 ? " core" : " cores",
                             ": they wait for each other; give fewer processes or `threads`"));
  return warnings;
}

}  // namespace hexapla::train::cluster
