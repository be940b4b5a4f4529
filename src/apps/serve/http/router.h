#pragma once
// Maps methods and paths to functions.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "serve/http/message.h"

namespace hexapla::serve {

// A request parameter, for the API description.
struct RouteField {
  std::string name, type;  // a JSON Schema type; "text": a string or a list of strings; "file": an uploaded file
  bool required = false;
  std::string help = "";
  nlohmann::json more = nlohmann::json::object();  // more schema members, {"minimum": 1}; for "text", of the string
};

struct Route {
  std::string method;   // "GET" (answers HEAD, too), "POST"
  std::string path;     // "/translate"; "/v1/runs/*" matches every path with this prefix
  std::string purpose;  // one line, for the API description
  std::function<void(const std::shared_ptr<Exchange>&)> answer;
  std::vector<RouteField> fields = {};
  std::string type = "application/json";  // of the answer
  bool open = false;                      // needs no key and does not count against request limits
  bool at_once = false;                   // short: answered on the server's thread, behind no other request
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  void add_open(Route route) {
    route.open = true;
    add(std::move(route));
  }
  void add_at_once(Route route) {
    route.at_once = true;
    add(std::move(route));
  }
  const std::vector<Route>& routes() const { return routes_; }

  // The route of a request. HttpError: 400 malformed path, 404 unknown path, 405 with the allowed
  // methods.
  const Route& find(const Request& request) const;
  // The route's path for statistics, or "other".
  std::string label(const Request& request) const noexcept;
  // The methods of a path, including HEAD and OPTIONS: "GET, HEAD, OPTIONS"; "" for an unknown
  // path.
  std::string methods(const std::string& path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace hexapla::serve
