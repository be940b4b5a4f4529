#pragma once
// For tests: importing tampered files.
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>

#include "base/compute/random.h"
#include "base/error.h"
#include "base/files/test_folder.h"
#include "base/options/environment.h"
#include "convert/import.h"

namespace hexapla::convert {

// Per file.
inline uint64_t mutations() { return environment("HEXAPLA_LONG_TESTS") ? 2'000 : 200; }

// Changes single bytes, or 4-byte numbers to implausible sizes.
inline std::string tampered(Random& random, std::string bytes) {
  const auto at = [&] { return random.below(static_cast<uint32_t>(bytes.size())); };
  for (uint32_t n = 1 + random.below(4); n-- > 0;) {
    const uint32_t number = std::array<uint32_t, 6>{0, 1, 3, 255, 1U << 31, UINT32_MAX}[random.below(6)];
    if (random.below(2) == 0)
      bytes[at()] = static_cast<char>(random.below(256));
    else
      bytes.replace(at(), 4, std::string(reinterpret_cast<const char*>(&number), 4));
  }
  return bytes;
}

// The same for files that are mostly text with the important part at the beginning.
inline std::string tampered_text(Random& random, std::string bytes) {
  const auto window = static_cast<uint32_t>(std::min<size_t>(bytes.size(), random.below(2) ? 2000 : 1U << 30));
  for (uint32_t n = 1 + random.below(3); n > 0; --n)
    bytes[random.below(window)] =
        random.below(2) ? "0123456789\"{}[],:-e."[random.below(20)] : static_cast<char>(random.below(256));
  if (random.below(4) == 0) bytes.resize(random.below(static_cast<uint32_t>(bytes.size())));
  return bytes;
}

// While it exists, the process can allocate at most `more` bytes of address space beyond what it
// has (std::bad_alloc). No limit under sanitizers that reserve most of the address space.
class AddressSpaceLimit {
 public:
  explicit AddressSpaceLimit([[maybe_unused]] size_t more) {
    getrlimit(RLIMIT_AS, &old_);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    const rlimit limit{pages * static_cast<size_t>(sysconf(_SC_PAGESIZE)) + more, old_.rlim_max};
    setrlimit(RLIMIT_AS, &limit);
#endif
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &old_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

 private:
  rlimit old_{};
};

// Whether f() rejects its input with one line that names a file in `folder`. Any other failure, or
// allocating a GiB, fails the test.
template <class F>
bool is_refused_by(F&& f, const std::string& folder) {
  try {
    const AddressSpaceLimit limit(size_t{1} << 30);
    f();
  } catch (const UserError& e) {
    const std::string what = e.what();
    EXPECT_NE(what.find(folder), what.npos) << what;
    EXPECT_EQ(what.find('\n'), what.npos) << what;
    return true;
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  return false;
}

inline bool is_refused(const std::string& model, const std::string& output, const ImportOptions& options,
                       const std::string& folder) {
  return is_refused_by([&] { import_model(model, output, options, [](double) {}); }, folder);
}

}  // namespace hexapla::convert
