#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace hexapla {

// XXH3 with 128 bits, as 32 hexadecimal digits (as printed by `xxhsum -H2`). Detects accidents, not
// forgeries.
std::string hash_hex(std::string_view bytes);

// The hash of a file's content, up to the size it had when opened; uses little memory.
class FileReader;
std::string hash_hex(const FileReader& file);

// XXH3 with 64 bits: among n different texts, two collide with probability n^2 / 2^65.
uint64_t hash_64(std::string_view bytes);

// hash_hex of bytes that arrive in chunks.
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
