// The API description in OpenAPI 3.0, generated from the routes.
#include <algorithm>

#include "base/system/machine.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

using OrderedJson = nlohmann::ordered_json;
using Choice = std::map<std::string, std::vector<std::string>>;

OrderedJson schema_of(const RouteField& field, const Choice& choices) {
  OrderedJson schema, text{{"type", "string"}};
  for (const auto& [name, value] : field.more.items()) (field.type == "text" ? text : schema)[name] = value;
  if (field.type == "text")
    schema["oneOf"] = {text, {{"type", "array"}, {"minItems", 1}, {"items", {{"type", "string"}}}}};
  else if (field.type == "file")
    schema["type"] = "string", schema["format"] = "binary";
  else
    schema["type"] = field.type;
  if (field.type == "array" && !schema.contains("items")) schema["items"] = {{"type", "object"}};
  if (const auto found = choices.find(field.name); found != choices.end()) schema["enum"] = found->second;
  if (!field.required) {  // null counts as missing
    schema["nullable"] = true;
    if (schema.contains("enum")) schema["enum"].push_back(nullptr);
  }
  if (!field.help.empty()) schema["description"] = field.help;
  return schema;
}

OrderedJson body_of(const Route& route, const Choice& choices) {
  OrderedJson properties = OrderedJson::object(), required = OrderedJson::array();
  for (const RouteField& field : route.fields) {
    properties[field.name] = schema_of(field, choices);
    if (field.required) required.push_back(field.name);
  }
  OrderedJson schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  const bool file =
      std::any_of(route.fields.begin(), route.fields.end(), [](const auto& f) { return f.type == "file"; });
  return {{"required", true},
          {"content", {{file ? "multipart/form-data" : "application/json", {{"schema", std::move(schema)}}}}}};
}

OrderedJson answer_json(const std::string& what, const std::string& type) {
  return {{"description", what}, {"content", {{type, {{"schema", OrderedJson::object()}}}}}};
}

OrderedJson operation_of(const Route& route, const Choice& choices) {
  OrderedJson answers{{"200", answer_json("the answer", route.type)}};
  if (route.method == "POST" || !route.open)
    for (const auto& [status, what] : {std::pair{"400", "the request is not as described here"},
                                       {"403", "a wrong API key, or something that this server does not offer"},
                                       {"413", "the request, or the answer that it asks for, is too large"},
                                       {"415", "a Content-Encoding that is not gzip"},
                                       {"429", "too many requests; Retry-After says when to come back"},
                                       {"503", "the server is busy; Retry-After says when to come back"},
                                       {"504", "it took too long"}})
      answers[status] = answer_json(what, "application/json");
  if (route.path.find("/v1/runs") == 0 || route.path.ends_with("/*"))
    answers["404"] = answer_json("there is nothing of this name", "application/json");
  if (route.path == "/ready") answers["503"] = answer_json("the queue of lines is full", "application/json");
  OrderedJson operation{{"summary", route.purpose}, {"responses", std::move(answers)}};
  if (route.path.ends_with("/*"))
    operation["parameters"] =
        OrderedJson::array({{{"name", "name"}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}}});
  if (!route.fields.empty()) operation["requestBody"] = body_of(route, choices);
  return operation;
}

}  // namespace

OrderedJson description_of(const Router& router, const std::string& title, const Choice& choices) {
  OrderedJson paths = OrderedJson::object();
  for (const Route& route : router.routes()) {
    const std::string path =
        route.path.ends_with("/*") ? route.path.substr(0, route.path.size() - 1) + "{name}" : route.path;
    std::string method = route.method;
    std::transform(method.begin(), method.end(), method.begin(),
                   [](char c) { return static_cast<char>(c - 'A' + 'a'); });
    paths[path][method] = operation_of(route, choices);
  }
  return {{"openapi", "3.0.3"},
          {"info",
           {{"title", title},
            {"version", build().version},
            {"description", "Translations by hexapla. Errors are {\"error\": message}."}}},
          {"paths", std::move(paths)}};
}

}  // namespace hexapla::serve
