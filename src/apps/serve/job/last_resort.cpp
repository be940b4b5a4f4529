#include "serve/job/last_resort.h"

#include <csignal>
#include <thread>

#include "serve/http/asio.h"

namespace hexapla::serve {

struct LastResort::Impl {
  asio::io_context io{1};
  asio::signal_set signals{io, SIGTERM, SIGINT};
  asio::steady_timer countdown{io};
  Milliseconds after, after_second;
  std::function<void()> end;
  std::thread thread;

  void await_signal() {
    signals.async_wait([this](const error_code& ec, int) {
      if (ec) return;
      countdown.expires_after(std::exchange(after, after_second));
      countdown.async_wait([this](const error_code& canceled) {
        if (!canceled) end();
      });
      await_signal();
    });
  }
};

LastResort::LastResort(std::chrono::milliseconds after, std::chrono::milliseconds after_second,
                       std::function<void()> end)
    : impl_(new Impl{.after = after, .after_second = after_second, .end = std::move(end)}) {
  impl_->await_signal();
  impl_->thread = std::thread([this] { impl_->io.run(); });
}

LastResort::~LastResort() {
  impl_->io.stop();
  impl_->thread.join();
}

}  // namespace hexapla::serve
