#include "base/files/hash.h"

#include <xxhash.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/files/file.h"

namespace hexapla {
namespace {

std::string to_hex(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  std::string hex;
  for (const unsigned char byte : canonical.digest) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

}  // namespace

std::string hash_hex(std::string_view bytes) { return to_hex(XXH3_128bits(bytes.data(), bytes.size())); }

uint64_t hash_64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct Hash::State {
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> xxh{XXH3_createState()};
};

Hash::Hash() : state_(std::make_unique<State>()) {
  HEXAPLA_CHECK(state_->xxh && XXH3_128bits_reset(state_->xxh.get()) == XXH_OK, "xxhash cannot start");
}
Hash::~Hash() = default;
Hash::Hash(Hash&&) noexcept = default;

void Hash::add(std::string_view bytes) { XXH3_128bits_update(state_->xxh.get(), bytes.data(), bytes.size()); }
std::string Hash::hex() const { return to_hex(XXH3_128bits_digest(state_->xxh.get())); }

std::string hash_hex(const FileReader& file) {
  std::vector<char> block(size_t{1} << 20);
  Hash hash;
  for (size_t at = 0; at < file.size(); at += block.size()) {
    const size_t n = std::min(block.size(), file.size() - at);
    file.read(at, block.data(), n);
    hash.add({block.data(), n});
  }
  return hash.hex();
}

}  // namespace hexapla
