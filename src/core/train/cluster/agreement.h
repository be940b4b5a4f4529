#pragma once
// Stops processes whose training, or its end, would differ from the others', before they do harm.
#include <functional>
#include <string>
#include <vector>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

// Briefly describes the difference between two texts.
using Difference = std::function<std::string(const std::string& first, const std::string& other)>;

// Throws UsageError, the same in all processes, if one has another text than the first: "process 3
// of 4 (host) has other `what`: ...; remedy".
void require_same(Processes& processes, const std::string& what, const std::string& own, const Difference& difference,
                  const std::string& remedy);

// The range of differing words of two texts: "Debian 12 -> Debian 13".
std::string words_that_differ(const std::string& first, const std::string& other);

// Warnings, the same in all processes, if there are more threads than cores to which the launcher
// bound a process, or than cores of a host.
struct Place {
  int threads = 1, bound = 1, cores = 1;  // of this process; cores that it may use; cores of its host
};
std::vector<std::string> warnings_of_threads(Processes& processes, const Place& own);

}  // namespace hexapla::train::cluster
