#pragma once
// Streams that read and write as the C locale does, whatever locale the program has set. std::istringstream and its
// like take the global C++ locale, in which 1234.5 may be 1.234,5: what is stored or parsed would depend on it
// (scripts/check_locale.py). Single numbers: parse_number() (base/range.h) and fmt.
#include <locale>
#include <utility>

namespace hexapla {

// Classic<std::istringstream> words(line); made as a Stream is.
template <class Stream>
class Classic : public Stream {
 public:
  template <class... Args>
  explicit Classic(Args&&... args) : Stream(std::forward<Args>(args)...) {
    this->imbue(std::locale::classic());
  }
};

}  // namespace hexapla
