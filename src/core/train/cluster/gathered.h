#pragma once
// A repeated exchange of plain values among all processes, with counts known in advance. Allocates
// memory once.
#include <type_traits>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster {

template <class T>
class Gathered {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  // count_of(process): number of its values.
  template <class CountOf>
  Gathered(const Processes& processes, const CountOf& count_of) {
    size_t all = 0;
    for (int process = 0; process < processes.count(); ++process) {
      const auto count = static_cast<size_t>(count_of(process));
      if (process == processes.number()) from_ = all, count_ = count;
      sizes_.push_back(count * sizeof(T));
      all += count;
    }
    values_.resize(all);
  }

  std::span<T> own() { return std::span<T>(values_).subspan(from_, count_); }
  // All values in process order. All processes must call it together, with their own values set.
  std::span<const T> exchange(Processes& processes) {
    gather_known(processes, sizes_, reinterpret_cast<char*>(values_.data()), room_);
    return values_;
  }

 private:
  std::vector<T> values_;
  std::vector<size_t> sizes_;  // in bytes
  size_t from_ = 0, count_ = 0;
  Room room_;
};

}  // namespace hexapla::train::cluster
