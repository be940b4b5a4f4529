#include "serve/http/router.h"

#include "serve/http/form.h"

namespace hexapla::serve {
namespace {

bool fits(const Route& route, const std::string& path) {
  if (!route.path.ends_with("/*")) return route.path == path;
  return path.size() >= route.path.size() &&
         path.compare(0, route.path.size() - 1, route.path, 0, route.path.size() - 1) == 0;
}

}  // namespace

std::string Router::methods(const std::string& path) const {
  std::string all;
  for (const Route& route : routes_)
    if (fits(route, path)) all += route.method + (route.method == "GET" ? ", HEAD, " : ", ");
  return all.empty() ? "" : all + "OPTIONS";
}

const Route& Router::find(const Request& request) const {
  const std::string path = path_of(request.target), method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes_)
    if (route.method == method && fits(route, path)) return route;
  const std::string allowed = methods(path);
  if (allowed.empty()) throw HttpError(404, "Not found: " + path);
  throw HttpError(405, request.method + " is not allowed for " + path + ", but " + allowed, {{"Allow", allowed}});
}

std::string Router::label(const Request& request) const noexcept {
  try {
    const std::string path = path_of(request.target);
    for (const Route& route : routes_)
      if (fits(route, path)) return route.path;
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): no path of ours
  }
  return "other";
}

}  // namespace hexapla::serve
