#pragma once
// Processes simulated by threads, for tests.
#include <gtest/gtest.h>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

#include "train/cluster/processes.h"

namespace hexapla::train::cluster::test {

class Mailboxes {
 public:
  void put(int from, int to, std::string bytes) {
    const std::lock_guard lock(mutex_);
    waiting_[{from, to}].push_back(std::move(bytes));
    arrived_.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock lock(mutex_);
    std::deque<std::string>& box = waiting_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty() || closed_; });
    if (box.empty()) throw std::runtime_error("another thread has ended");
    std::string bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    arrived_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::string>> waiting_;
  bool closed_ = false;
};

class ThreadProcess final : public Processes {
 public:
  ThreadProcess(Mailboxes& mail, int number, int count) : mail_(mail), number_(number), count_(count) {}
  int number() const override { return number_; }
  int count() const override { return count_; }
  std::string host() const override { return "thread-" + std::to_string(number_); }
  void exchange(std::span<const Outgoing> out, std::span<const Incoming> in) override {
    for (const Outgoing& m : out) {
      mail_.put(number_, m.to, {static_cast<const char*>(m.bytes), m.size});
      sent_ += m.size;
    }
    for (const Incoming& m : in) {
      const std::string bytes = mail_.take(m.from, number_);
      ASSERT_EQ(bytes.size(), m.size) << "what process " << number_ << " waits for from " << m.from;
      std::memcpy(m.bytes, bytes.data(), bytes.size());
    }
  }
  size_t sent() const { return sent_; }  // bytes

 private:
  Mailboxes& mail_;
  int number_, count_;
  size_t sent_ = 0;
};

// Runs body(process) in `count` threads. Rethrows the first exception of the lowest number.
inline void in_threads(int count, const std::function<void(ThreadProcess&)>& body) {
  Mailboxes mail;
  std::vector<std::exception_ptr> errors(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      try {
        ThreadProcess process(mail, i, count);
        body(process);
      } catch (...) {
        errors[i] = std::current_exception();
        mail.close();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::exception_ptr& e : errors)
    if (e) std::rethrow_exception(e);
}

}  // namespace hexapla::train::cluster::test
