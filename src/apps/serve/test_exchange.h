#pragma once
// For tests: requests without connections, and a model that answers them in no time.
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "serve/routes/test_service.h"

namespace hexapla::serve::test {

// A model whose decoding steps take microseconds.
inline void save_small_model(const std::string& file) {
  const text::Vocabulary vocabulary = text::Vocabulary::train(api::test::made_up_lines(300, 1), {.size = 40});
  model::Config c = model::Config::preset("tiny");
  c.source_vocab = c.target_vocab = vocabulary.size();
  c.enc_layers = c.dec_layers = 1;
  c.d_model = c.d_ff = 16, c.heads = 2, c.d_k = c.d_v = 0;
  c.resolve();
  model::Transformer model(c);
  const model::Parameters parameters(model, DType::f32, model::Parameters::Use::inference);
  model::initialize(model, 5);
  model::save_model(file, model, {vocabulary.bytes(), vocabulary.bytes()}, {});
}

// Excludes 500: no input may be an internal error.
inline bool is_expected(int status) {
  const int all[] = {200, 201, 204, 400, 401, 403, 404, 405, 408, 411, 413,
                     414, 415, 417, 429, 431, 456, 501, 503, 504, 505};
  return std::find(std::begin(all), std::end(all), status) != std::end(all);
}

// Counts the requests in flight and keeps the first error.
struct Watched {
  std::mutex mutex;
  std::condition_variable changed;
  std::size_t open = 0;
  std::map<int, std::size_t> statuses;
  std::string wrong;

  void wait_for_room(std::size_t room) {
    std::unique_lock lock(mutex);
    ASSERT_TRUE(changed.wait_for(lock, std::chrono::minutes(2), [&] { return open <= room; }))
        << "some are not answered";
  }
};

// A request without a connection.
class Asked final : public Exchange {
 public:
  Asked(Watched& watched, Request request) : watched_(watched), request_(std::move(request)) {
    const std::lock_guard lock(watched_.mutex);
    ++watched_.open;
  }
  ~Asked() override {
    kept_.clear();
    const std::lock_guard lock(watched_.mutex);
    if (!begun_ || !ended_) says_wrong("no answer, or one without an end");
    --watched_.open;
    watched_.changed.notify_all();
  }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

  const Request& request() const override { return request_; }
  void answer(Response response) override {
    const std::lock_guard lock(watched_.mutex);
    if (begun_ || ended_) says_wrong("two answers");
    begun_ = ended_ = true;
    look_at(response);
  }
  void begin(Response head) override {
    const std::lock_guard lock(watched_.mutex);
    if (begun_) says_wrong("two answers");
    begun_ = true;
    look_at(head);
  }
  void send(std::string) override {
    const std::lock_guard lock(watched_.mutex);
    if (ended_) says_wrong("a part after the end");
  }
  void offer(std::string part) override { send(std::move(part)); }
  void end() override {
    const std::lock_guard lock(watched_.mutex);
    if (ended_) says_wrong("two ends");
    ended_ = true;
  }
  void on_gone(std::function<void()> gone) override {
    {
      const std::lock_guard lock(watched_.mutex);
      if (!left_) return gone_.swap(gone);
    }
    gone();
  }
  const std::atomic<bool>& is_gone() const override { return left_; }
  void keep(std::shared_ptr<void> what) override {
    const std::lock_guard lock(watched_.mutex);
    kept_.push_back(std::move(what));
  }
  // The client leaves, or its time is up.
  void leave() {
    std::function<void()> gone;
    {
      const std::lock_guard lock(watched_.mutex);
      ended_ = begun_ = true;  // later answers are ignored
      left_ = true;
      gone.swap(gone_);
    }
    if (gone) gone();
  }

 private:
  // The caller holds the mutex.
  void look_at(const Response& r) {
    ++watched_.statuses[r.status];
    if (!is_expected(r.status)) says_wrong("status " + std::to_string(r.status) + " " + r.body);
    if (r.status < 400) return;
    const Json j = Json::parse(r.body, nullptr, false);
    if (!j.is_object() || !(j.contains("error") || j.contains("message")))
      says_wrong("an error without JSON: " + r.body);
  }
  void says_wrong(const std::string& what) {
    if (left_ || !watched_.wrong.empty()) return;
    watched_.wrong = what + "\nof " + request_.method + " " + request_.target;
    for (const auto& [name, value] : request_.headers) watched_.wrong += "\n" + name + ": " + value;
    watched_.wrong += "\n\n" + request_.body;
  }

  Watched& watched_;
  const Request request_;
  bool begun_ = false, ended_ = false;
  std::atomic<bool> left_{false};
  std::function<void()> gone_;
  std::vector<std::shared_ptr<void>> kept_;
};

}  // namespace hexapla::serve::test
