#pragma once
// What messages cost between processes, after LogGP (Alexandrov, Ionescu, Schauser, Scheiman: "LogGP: incorporating
// long messages into the LogP model", SPAA 1995): a time for the first byte to arrive, one for each message, and one
// for each byte. LogGP's overhead and gap are one number where a process does nothing else meanwhile; where it
// computes, the overhead is what the computation lacks.
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/processes.h"

namespace hexapla::scale {

struct Network {
  double latency = 0;      // seconds until a message without content is there
  double per_message = 0;  // seconds for each further message that a process sends, beside as many that it receives
  double per_byte = 0;     // seconds
  // Seconds that a core works for each byte that a process sends, and one that it receives, beside the computation.
  double processor_per_byte = 0;

  // Of an exchange in which each process sends so many messages with so many bytes together, and receives as many.
  double seconds(double messages, double bytes) const {
    return messages == 0 ? 0 : latency + messages * per_message + bytes * per_byte;
  }
};

// An exchange that was measured.
struct MeasuredExchange {
  double messages, bytes;  // as in Network::seconds
  double seconds;
};

// The network that comes nearest to what was measured: least squares of the relative errors, none of the three
// negative. InternalError: fewer than three exchanges, or a time that is not above 0.
Network fit(std::span<const MeasuredExchange> measured);

// Measures exchanges among all of these processes, which call this together; several.
std::vector<MeasuredExchange> measure_exchanges(cluster::Processes& processes);
// Network::processor_per_byte, the mean of all; called likewise.
double measure_processor_per_byte(cluster::Processes& processes);

}  // namespace hexapla::scale
