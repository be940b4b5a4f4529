#pragma once
// Sums of what is in use: memory, places. A share belongs to an object, and its destruction gives it back, so that no
// error on the way can keep it.
#include <atomic>
#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace hexapla::serve {

class Account {
  using Sum = std::shared_ptr<std::atomic<std::size_t>>;

 public:
  // May outlive its account.
  class Share {
   public:
    Share() = default;
    Share(Share&& other) noexcept : sum_(std::move(other.sum_)), amount_(std::exchange(other.amount_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(sum_, other.sum_);
      std::swap(amount_, other.amount_);
      return *this;
    }
    ~Share() {
      if (sum_) *sum_ -= amount_;
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    friend class Account;
    Share(Sum sum, std::size_t amount) : sum_(std::move(sum)), amount_(amount) {}

    Sum sum_;
    std::size_t amount_ = 0;
  };

  // Adds an amount until the share is destroyed. Nothing if the sum would exceed `most`.
  std::optional<Share> take(std::size_t amount, std::size_t most) {
    std::size_t now = *sum_;
    do {
      if (now > most || amount > most - now) return {};
    } while (!sum_->compare_exchange_weak(now, now + amount));
    return Share(sum_, amount);
  }
  // Without a limit.
  Share take(std::size_t amount) {
    *sum_ += amount;
    return Share(sum_, amount);
  }
  std::size_t sum() const { return *sum_; }

 private:
  const Sum sum_ = std::make_shared<std::atomic<std::size_t>>(0);
};

}  // namespace hexapla::serve
