#pragma once
// Communication cost between processes, after LogGP (Alexandrov, Ionescu, Schauser, Scheiman:
// "LogGP: incorporating long messages into the LogP model", SPAA 1995): a latency, a time per
// message and a time per byte. While a process only communicates, LogGP's overhead and gap are one
// number; while it computes, the overhead is time taken from the computation.
#include <cstdint>
#include <span>
#include <vector>

#include "train/cluster/processes.h"

namespace hexapla::train::scale {

struct Network {
  double latency = 0;      // seconds until an empty message arrives
  double per_message = 0;  // seconds per further message sent, with as many received
  double per_byte = 0;     // seconds
  // Core time in seconds per byte sent and received, taken from computation.
  double processor_per_byte = 0;

  // Time of an exchange in which each process sends this many messages and total bytes, and
  // receives as many.
  double seconds(double messages, double bytes) const {
    return messages == 0 ? 0 : latency + messages * per_message + bytes * per_byte;
  }
};

// A measured exchange.
struct MeasuredExchange {
  double messages, bytes;  // as in Network::seconds
  double seconds;
};

// Best fit to the measurements: least squares of relative errors, with non-negative numbers.
// InternalError: fewer than three exchanges, or a time that is not positive.
Network fit(std::span<const MeasuredExchange> measured);

// Measures exchanges among all processes (at least two), which must call this together.
std::vector<MeasuredExchange> measure_exchanges(cluster::Processes& processes);
// Measures Network::processor_per_byte, the mean over all processes; called likewise.
double measure_processor_per_byte(cluster::Processes& processes);

}  // namespace hexapla::train::scale
