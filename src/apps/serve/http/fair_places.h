#pragma once
// Shares the places for pending requests fairly among addresses.
#include <atomic>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace hexapla::serve {

// One address may hold `most` places. Once `most` places are taken in total, only addresses with
// less than an equal share get another, up to 2 * `most` in total. Single-threaded.
class FairPlaces {
 public:
  explicit FairPlaces(std::size_t most) : most_(most) {}

  // Takes a place for this address, if there is one.
  bool enter(const std::string& address);
  void leave(const std::string& address);
  std::size_t taken() const { return taken_; }

 private:
  const std::size_t most_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> of_address_;
};

// Holds a place, if there was one, until destruction. taken: kept up to date with places.taken().
class FairPlace {
 public:
  FairPlace(FairPlaces& places, const std::string& address, std::atomic<std::size_t>& taken)
      : places_(places), address_(address), taken_(taken), has_(places.enter(address)) {
    taken_ = places_.taken();
  }
  ~FairPlace() {
    if (has_) places_.leave(address_);
    taken_ = places_.taken();
  }
  FairPlace(const FairPlace&) = delete;
  FairPlace& operator=(const FairPlace&) = delete;
  explicit operator bool() const { return has_; }

 private:
  FairPlaces& places_;
  const std::string address_;
  std::atomic<std::size_t>& taken_;
  const bool has_;
};

}  // namespace hexapla::serve
