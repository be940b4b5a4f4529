#pragma once
// Which function answers which path.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "serve/http/message.h"

namespace hexapla::serve {

// A parameter of a request, for the description of the interface.
struct RouteField {
  std::string name, type;  // a type of JSON Schema; "text": a string or a list of strings; "file": of a form
  bool required = false;
  std::string help = "";
  nlohmann::json more = nlohmann::json::object();  // of its schema: {"minimum": 1}; of a "text", of the string
};

struct Route {
  std::string method;   // "GET" (HEAD is answered by it, too), "POST"
  std::string path;     // "/translate", or "/v1/runs/*" for every path that begins so
  std::string purpose;  // one line, for the description of the interface
  std::function<void(const std::shared_ptr<Exchange>&)> answer;
  std::vector<RouteField> fields = {};
  std::string type = "application/json";  // of the answer
  bool open = false;                      // to whoever has no key; limits of requests do not count it
};

class Router {
 public:
  void add(Route route) { routes_.push_back(std::move(route)); }
  void add_open(Route route) {
    route.open = true;
    add(std::move(route));
  }
  const std::vector<Route>& routes() const { return routes_; }

  // The route of a request. HttpError: 400 for a path that is none, 404, 405 with the methods that there are.
  const Route& find(const Request& request) const;
  // Its path for statistics, or "other".
  std::string label(const Request& request) const noexcept;
  // The methods of a path, with HEAD and OPTIONS: "GET, HEAD, OPTIONS"; "" where there is no such path.
  std::string methods(const std::string& path) const;

 private:
  std::vector<Route> routes_;
};

}  // namespace hexapla::serve
