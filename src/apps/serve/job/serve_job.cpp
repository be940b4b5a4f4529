#include "serve/job/serve_job.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "serve/job/last_resort.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

// Each connection is an open file.
void raise_file_limit() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return;
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
}

std::string where(const ServerOptions& server, const Service& service, const Server& http) {
  std::string said;
  const auto set = service.models();
  for (const auto& model : set->models())
    said += fmt::format("{}: from {} to {}\n", model->path, model->source, model->target);
  if (!server.socket.empty()) return said + fmt::format("serving at {}\n", server.socket);
  const std::string scheme = server.certificate.empty() ? "http" : "https";
  const bool brackets = server.host.find(':') != std::string::npos;
  return said + fmt::format("serving at {}://{}{}{}:{}\n", scheme, brackets ? "[" : "", server.host,
                            brackets ? "]" : "", http.port());
}

// The last part of the time after SIGTERM, in which threads end whose answers nobody waits for any longer.
constexpr std::chrono::milliseconds kToEnd{2000};

// A log that cannot be written must not keep the process.
[[noreturn]] void end_at_once(const std::function<void(const std::string&)>& log, const std::string& socket) {
  if (!socket.empty()) unlink(socket.c_str());
  std::promise<void> logged;
  std::thread([&] {
    if (log)
      log(R"({"event":"end","message":"a thread did not end in time after the signal, so the server ended it"})");
    logged.set_value();
  }).detach();
  logged.get_future().wait_for(std::chrono::milliseconds(500));
  std::_Exit(EXIT_FAILURE);
}

}  // namespace

void serve(ServeJob job, const std::function<void(const std::string& where)>& started) {
  raise_file_limit();
  for (const std::string& word : job.models) job.service.models.push_back(ModelPlace::parse(word));
  job.server.always = Service::headers();
  const auto whole = job.server.limits.grace;
  job.server.limits.grace -= kToEnd;
  const auto end = [log = job.service.log, socket = job.server.socket] { end_at_once(log, socket); };
  std::optional<LastResort> last_resort;  // lives longer than the service, whose threads it does not wait for
  Service service(std::move(job.service));
  add_routes(service);
  job.server.at_once = [&](const Request& request) { return service.at_once(request); };
  Server http(
      job.server, [&](const auto& call) { service.answer(call); },
      [&](const Answered& what) { service.answered(what); });
  service.watch(http.state());
  last_resort.emplace(whole, kToEnd, end);
  http.obey_signals([&] { service.reload(); });
  std::signal(SIGPIPE, SIG_IGN);
  started(where(job.server, service, http));
  http.run();
}

}  // namespace hexapla::serve
