#include "serve/explain/ask.h"

#include <future>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace hexapla::serve {
namespace {

using Answer = nlohmann::ordered_json;

// A request whose client waits in this process.
class Asking final : public Exchange {
 public:
  explicit Asking(Request request) : request_(std::move(request)) {}
  std::future<Response> response() { return promise_.get_future(); }

  const Request& request() const override { return request_; }
  void answer(Response response) override {
    std::vector<std::shared_ptr<void>> kept;  // may be what holds this
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    kept.swap(kept_);
    promise_.set_value(std::move(response));
  }
  // No stream is asked for, and the client does not leave.
  void begin(Response) override {}
  void send(std::string) override {}
  void offer(std::string) override {}
  void end() override {}
  void on_gone(std::function<void()>) override {}
  void answer_at(std::chrono::steady_clock::time_point, Response) override {}
  void keep(std::shared_ptr<void> what) override {
    const std::lock_guard lock(mutex_);
    if (!answered_) kept_.push_back(std::move(what));
  }

 private:
  const Request request_;
  std::promise<Response> promise_;
  std::mutex mutex_;
  bool answered_ = false;
  std::vector<std::shared_ptr<void>> kept_;
};

Request request_of(const std::string& path, const Answer& body) {
  Request request;
  request.method = body.is_null() ? "GET" : "POST";
  request.target = path;
  if (!body.is_null()) request.headers = {{"content-type", "application/json"}}, request.body = json_text(body);
  return request;
}

}  // namespace

Answer ask(Service& service, const std::string& path, const Answer& body) {
  auto call = std::make_shared<Asking>(request_of(path, body));
  std::future<Response> response = call->response();
  service.answer(std::exchange(call, nullptr));
  const Response given = response.get();
  Answer answer = json_or_null<Answer>(given.body);
  if (given.status == 200) return answer;
  const std::string why = answer.is_object() ? answer.value("error", given.body) : given.body;
  if (given.status >= 500) throw RunError(why);
  throw UsageError(why);
}

}  // namespace hexapla::serve
