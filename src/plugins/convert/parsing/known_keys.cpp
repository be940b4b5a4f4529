#include "convert/parsing/known_keys.h"

#include <algorithm>

#include "convert/parsing/limits.h"

namespace hexapla::convert {

void refuse_unknown_keys(const std::string& file, const std::vector<std::string>& keys,
                         const std::vector<std::string_view>& known) {
  for (const std::string& key : keys)
    if (std::find(known.begin(), known.end(), key) == known.end())
      throw DataError(cat(file, ": the key ", shown(key), " is unknown, and may change what the model computes; if it ",
                          "does not, take it out of a copy of the file"));
}

}  // namespace hexapla::convert
