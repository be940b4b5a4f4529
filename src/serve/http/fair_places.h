#pragma once
// Places for requests that wait for their answers, so that no address takes them from the others.
#include <atomic>
#include <cstddef>
#include <string>
#include <unordered_map>

namespace hexapla::serve {

// One address may have `most` places. As soon as that many are taken in all, only addresses that have less than an
// equal share of them get another, up to twice `most`. For one thread.
class FairPlaces {
 public:
  explicit FairPlaces(std::size_t most) : most_(most) {}

  // Whether there is a place for this address; takes it.
  bool enter(const std::string& address);
  void leave(const std::string& address);
  std::size_t taken() const { return taken_; }

 private:
  const std::size_t most_;
  std::size_t taken_ = 0;
  std::unordered_map<std::string, std::size_t> of_address_;
};

// One of them, if there is one, as long as this is there. taken: told how many are.
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
