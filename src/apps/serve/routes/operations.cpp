// Routes for the operator of the server.
#include <algorithm>

#include "serve/http/responses.h"
#include "serve/languages/languages.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

// Whether a load balancer should send requests here.
void ready(const Service& service, const Service::Call& call) {
  if (service.has_room()) return call->answer(json_response(Json{{"status", "ok"}}));
  call->answer(error_response(503, "the queue of lines is full", {{"Retry-After", "1"}}));
}

std::vector<std::string> in_capitals(std::vector<std::string> codes) {
  std::transform(codes.begin(), codes.end(), codes.begin(), code_in_capitals);
  return codes;
}

// The languages and names of the current models; no languages if those of the models are
// undetermined.
std::map<std::string, std::vector<std::string>> choices(const ModelSet& models) {
  std::vector<std::string> sources = models.sources(), names;
  for (const auto& model : models.models()) names.push_back(model->name);
  if (sources.front() == kUndetermined) return {{"model", names}};
  const std::vector<std::string> for_deepl = in_capitals(sources);
  sources.emplace_back("auto");
  return {{"source", sources},
          {"target", models.targets()},
          {"model", names},
          {"source_lang", for_deepl},
          {"target_lang", in_capitals(models.targets())}};
}

}  // namespace

void add_operation_routes(Router& router, Service& service) {
  router.add_at_once({"GET",
                      "/health",
                      "Whether the server is running",
                      [](const auto& call) {
                        call->answer(json_response(Json{{"status", "ok"}}));
                      },
                      {},
                      "application/json",
                      true});
  router.add_at_once({"GET",
                      "/ready",
                      "Whether there is room for requests",
                      [&](const auto& call) { ready(service, call); },
                      {},
                      "application/json",
                      true});
  router.add_at_once({"GET",
                      "/metrics",
                      "Metrics for Prometheus",
                      [&](const auto& call) {
                        const Request head = without_body(call->request());  // reading a body may take long
                        service.admit(Parameters(head), head);
                        call->answer({200, service.metrics(), "text/plain; version=0.0.4; charset=utf-8"});
                      },
                      {},
                      "text/plain"});
  router.add_open({"GET", "/spec", "This description (OpenAPI)", [&](const auto& call) {
                     call->answer(json_response(
                         description_of(service.router(), service.options().spec_title, choices(*service.models()))));
                   }});
}

}  // namespace hexapla::serve
