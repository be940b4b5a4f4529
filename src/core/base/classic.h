#pragma once
// Streams that always use the C locale. std::istringstream and its relatives use the global C++
// locale, in which 1234.5 may be written 1.234,5, so stored or parsed text would depend on it
// (scripts/check_source.py). For single numbers use parse_number() (base/range.h) and fmt.
#include <locale>
#include <utility>

namespace hexapla {

// Example: Classic<std::istringstream> words(line). Takes the constructor arguments of Stream.
template <class Stream>
class Classic : public Stream {
 public:
  template <class... Args>
  explicit Classic(Args&&... args) : Stream(std::forward<Args>(args)...) {
    this->imbue(std::locale::classic());
  }
};

}  // namespace hexapla
