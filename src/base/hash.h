#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hexapla {

// XXH3 with 128 bits, as 32 hexadecimal digits (what `xxhsum -H2` prints). It finds accidents, not forgeries.
std::string hash_hex(std::string_view bytes);

// The same of a file's content, as long as it was when it was opened; in little memory.
class FileReader;
std::string hash_hex(const FileReader& file);

// XXH3 with 64 bits: two of n different texts share one with probability n^2 / 2^65.
uint64_t hash_64(std::string_view bytes);

// hash_hex of bytes that come chunk by chunk.
class Hash {
 public:
  Hash();
  ~Hash();
  Hash(Hash&&) noexcept;
  void add(std::string_view bytes);
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hexapla
