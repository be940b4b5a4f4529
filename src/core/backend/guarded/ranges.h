#pragma once
#include <map>
#include <memory>
#include <shared_mutex>

#include "base/compute/pages.h"

namespace hexapla::guarded {

// Reserved addresses, and the memory that each stands for. Any thread may use it at any time.
class Ranges : public std::enable_shared_from_this<Ranges> {
 public:
  Pages reserve(size_t bytes);
  // The memory at a reserved address; null if it is not one.
  std::byte* find(const void* address) const;

 private:
  struct Range;
  mutable std::shared_mutex mutex_;
  std::map<const std::byte*, const Range*> all_;  // by the first address
};

}  // namespace hexapla::guarded
