#include "serve/job/serve_job.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <csignal>
#include <utility>

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

}  // namespace

void serve(ServeJob job, const std::function<void(const std::string& where)>& started) {
  raise_file_limit();
  for (const std::string& word : job.models) job.service.models.push_back(ModelPlace::parse(word));
  job.server.always = Service::headers();
  Service service(std::move(job.service));
  add_routes(service);
  Server http(
      job.server, [&](const auto& call) { service.answer(call); },
      [&](const Answered& what) { service.answered(what); });
  service.watch(http.state());
  http.obey_signals([&] { service.reload(); });
  std::signal(SIGPIPE, SIG_IGN);
  started(where(job.server, service, http));
  http.run();
}

}  // namespace hexapla::serve
