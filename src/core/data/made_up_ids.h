#pragma once
#include "base/compute/random.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::data {

// n pieces of a vocabulary, without its special ones, for measurements that need no text.
inline text::Ids made_up_ids(Random& random, int64_t n, int64_t vocabulary) {
  text::Ids ids(static_cast<size_t>(n));
  for (int32_t& id : ids) id = static_cast<int32_t>(4 + random.below(static_cast<uint32_t>(vocabulary - 4)));
  return ids;
}

}  // namespace hexapla::data
