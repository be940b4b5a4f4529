#pragma once
// Processes that would train, or end, something else than the others stop before they harm.
#include <functional>
#include <string>
#include <vector>

#include "cluster/processes.h"

namespace hexapla::cluster {

// What is different about two texts, in a few words.
using Difference = std::function<std::string(const std::string& first, const std::string& other)>;

// UsageError, the same in all processes, where one says something else than the first: "process 3 of 4 (host) has other
// `what`: ...; remedy".
void require_same(Processes& processes, const std::string& what, const std::string& own, const Difference& difference,
                  const std::string& remedy);

// "Debian 12 -> Debian 13": the words of two texts from the first to the last that differ.
std::string words_that_differ(const std::string& first, const std::string& other);

// What is computed where, and with how much: warnings of threads beyond the cores that a launcher has bound a process
// to, and beyond those of a host. The same in all processes.
struct Place {
  int threads = 1, bound = 1, cores = 1;  // of this process; the cores that it may run on; those of its host
};
std::vector<std::string> warnings_of_threads(Processes& processes, const Place& own);

}  // namespace hexapla::cluster
