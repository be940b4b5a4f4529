#pragma once
// For tests: a service with small models on a real socket.
#include <gmock/gmock.h>

#include "hexapla/hexapla.h"
#include "lib/test_models.h"
#include "serve/http/test_client.h"
#include "serve/routes/routes.h"

namespace hexapla::serve::test {

using api::test::made_up_lines;
using api::test::model_file;
using api::test::second_model_file;

// English to German and German to French; translations are short.
inline ServiceOptions small_service() {
  ServiceOptions o;
  o.models = {{model_file(), "en", "de"}, {model_file(), "de", "fr"}};
  o.model.search = {{"extra-length", 5}};
  return o;
}
inline TranslatorOptions small_search() { return TranslatorOptions::from({{"extra-length", 5}}); }

class RunningService {
 public:
  explicit RunningService(const ServiceOptions& options = small_service(), ServerOptions http = {})
      : service(options),
        server_(
            with_headers(std::move(http)), [this](const auto& call) { service.answer(call); },
            [this](const Answered& a) { service.answered(a); }) {
    add_routes(service);
    service.watch(server_.server.state());
  }
  std::uint16_t port() const { return server_.server.port(); }
  Received get(const std::string& target) { return Client(port()).get(target); }
  Received post(const std::string& target, const Json& body) { return Client(port()).post(target, body); }
  Received ask(const std::string& method, const std::string& target, const std::string& body = "",
               const std::string& type = "application/json", const std::string& more = "") {
    return Client(port()).ask(method, target, body, type, more);
  }
  void stop() { server_.stop(); }

  Service service;

 private:
  ServerOptions with_headers(ServerOptions options) {
    options.always = Service::headers();
    options.at_once = [this](const Request& request) { return service.at_once(request); };
    return options;
  }
  RunningServer server_;
};

// The fields of `all` that the POST route of this path has: /v1 refuses others.
inline Json fields_of(RunningService& s, const std::string& path, const Json& all) {
  Json its = Json::object();
  const auto& router = s.service.router();
  for (const Route& route : router.routes())
    for (const RouteField& field : route.fields)
      if (route.path == path && route.method == "POST" && all.contains(field.name)) its[field.name] = all[field.name];
  return its;
}

// Tests that share one service.
struct WithService : testing::Test {
  static void SetUpTestSuite() { server = std::make_unique<RunningService>(); }
  static void TearDownTestSuite() { server.reset(); }
  static std::string error(const Received& r) { return r.json().value("error", "no error: " + r.body); }
  inline static std::unique_ptr<RunningService> server;
};

}  // namespace hexapla::serve::test
