// The page and its requests.
#include "serve/look/look.h"
#include "base/error.h"
#include "base/files/file.h"
#include "lib/translate/translator_options.h"
#include "serve/look/page.h"
#include "serve/look/runs.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

using Look = Answer (*)(const Inspector&, const Json&);
using Cost = std::size_t (*)(const Json& request);

// Like model_of(), for a checkpoint of a training.
std::string asked_checkpoint(const Service& service, const Parameters& p) {
  const std::string& folder = service.options().runs;
  if (folder.empty()) throw HttpError(404, "this server watches no trainings; start it with a folder of `runs`");
  if (!p["run"].is_string() || !p["update"].is_number_integer())
    throw HttpError(400, "a checkpoint is named by run, a text, and update, a whole number");
  const auto path = checkpoint_of(folder, p["run"], p["update"]);
  if (!path) throw HttpError(404, "there is no checkpoint of this update, or no training of this name");
  return *path;
}

// The checkpoint is opened for this request alone; its file bounds the memory that it takes.
void look_into_run(Service& service, const Service::Call& call, const std::shared_ptr<const Parameters>& p, Look f,
                   Cost cost) {
  const std::string path = asked_checkpoint(service, *p);
  const std::size_t bytes = cost(p->all()) + FileReader(path + "/tensors.safetensors").size();
  service.compute(call, bytes, [call, p, path, f](const std::atomic<bool>&) {
    call->answer(json_response(f(Inspector(path), p->all())));
  });
}

void look(Service& service, const Service::Call& call, Look f, Cost cost) {
  const auto p = std::make_shared<const Parameters>(call->request());
  const std::int64_t most = service.admit(*p, call->request());
  for (const char* field : {"q", "t"})
    if ((*p)[field].is_string()) check_characters(field, (*p)[field], most);
  if (!(*p)["run"].is_null()) return look_into_run(service, call, p, f, cost);
  const auto model = model_of(*p, *service.models(), p->text_or("q", ""));
  service.compute(call, cost(p->all()), [call, p, model, f](const std::atomic<bool>&) {
    call->answer(json_response(f(model->inspector(), p->all())));
  });
}

nlohmann::ordered_json schema_of_trace() {
  nlohmann::ordered_json schema = api::schema_of_options();
  schema["properties"]["beam_size"]["maximum"] = kWidestBeam;
  return schema;
}

nlohmann::ordered_json schema_of_changes() {
  const nlohmann::ordered_json part{{"type", "boolean"}, {"default", true}};
  const nlohmann::ordered_json head{{"type", "array"}, {"description", "encoder, decoder or cross; layer; head"}};
  return {{"properties",
           {{"scale", part},
            {"mask", part},
            {"positions", part},
            {"heads", {{"type", "array"}, {"items", head}}},
            {"source_tokens", {{"type", "array"}, {"items", {{"type", "string"}}}}}}},
          {"additionalProperties", false}};
}

void answer_runs(Service& service, const Service::Call& call) {
  service.admit(Parameters(call->request()), call->request());
  const std::string& folder = service.options().runs;
  if (folder.empty()) throw HttpError(404, "this server watches no trainings; start it with a folder of `runs`");
  service.compute(call, cost_of_runs(), [call, folder](const std::atomic<bool>&) {
    const std::string path = path_of(call->request().target), above = "/v1/runs/";
    if (!path.starts_with(above)) return call->answer(json_response(runs(folder)));
    const auto found = run(folder, path.substr(above.size()));
    if (!found) throw HttpError(404, "there is no training of this name");
    call->answer(json_response(*found));
  });
}

void answer_page(const Service::Call& call) {
  const Request& request = call->request();
  const PageFile* file = page_file(path_of(request.target));
  if (file == nullptr) throw HttpError(404, "Not found: " + path_of(request.target));
  const Headers cached{{"ETag", std::string(file->etag)}, {"Cache-Control", "no-cache"}};
  if (request.header("if-none-match") == file->etag) return call->answer({304, "", "", cached});
  call->answer({200, std::string(file->content), std::string(file->content_type), cached});
}

}  // namespace

void add_look_routes(Router& router, Service& service) {
  const std::vector<RouteField> of_model{{"source", "string", false, "language of q, or auto"},
                                         {"target", "string", false, "language to translate into"},
                                         {"model", "string", false, "name of a model, instead of the languages"},
                                         {"api_key", "string"}};
  std::vector<RouteField> pair{
      {"q", "string", true, "a line", {{"pattern", "\\S"}}},
      {"t", "string", false, "its translation; without it and tokens the model's own"},
      {"tokens", "array", false, "its translation's tokens, instead of t", {{"items", {{"type", "string"}}}}},
      {"top",
       "integer",
       false,
       "how many of the most probable tokens to give at each position",
       {{"minimum", 0}, {"maximum", kMostTop}}},
      {"tensors", "array", false, "names of the tensors to give, * for any text", {{"items", {{"type", "string"}}}}},
      {"distribution",
       "object",
       false,
       "give the distributions to sample from, after a temperature and top_p",
       {{"properties", {{"temperature", {{"type", "number"}}}, {"top_p", {{"type", "number"}}}}},
        {"additionalProperties", false}}},
      {"changes", "object", false, "parts of the model to take away, or other source tokens", schema_of_changes()},
      {"run", "string", false, "a training that is watched, instead of a model: look into its checkpoint"},
      {"update", "integer", false, "the update of this checkpoint"}};
  pair.insert(pair.end(), of_model.begin(), of_model.end());
  std::vector<RouteField> search{{"q", "string", true, "a line", {{"pattern", "\\S"}}},
                                 {"options", "object", false, "search options", schema_of_trace()},
                                 {"changes", "object", false, "parts of the model to take away", schema_of_changes()}};
  search.insert(search.end(), of_model.begin(), of_model.end());
  router.add({"POST", "/v1/inspect", "Every intermediate result of one pair of lines",
              [&](const auto& call) { look(service, call, inspect, cost_of_inspection); }, pair});
  router.add({"POST", "/v1/trace", "Beam search for one line, step by step",
              [&](const auto& call) { look(service, call, trace, cost_of_trace); }, search});
  const auto watched = [&](const auto& call) { answer_runs(service, call); };
  router.add({"GET", "/v1/runs", "Trainings that are watched", watched});
  router.add({"GET", "/v1/runs/*", "The logs of a training", watched});
  router.add_open({"GET", "/", "The page", answer_page, {}, "text/html"});
  router.add_open({"GET", "/assets/*", "Files of the page", answer_page, {}, "*/*"});
  router.add_open({"GET", "/course/*", "Lessons of the course", answer_page, {}, "text/plain"});
}

}  // namespace hexapla::serve
