#include "serve/http/responses.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/json.h"

namespace hexapla::serve {

Response error_response(int status, const std::string& message, Headers headers) {
  return {status, json_text(nlohmann::json{{"error", message}}), "application/json", std::move(headers)};
}

std::string http_date() {
  static const char* const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static const char* const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                       "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  // strftime() would use the user's locale.
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", days[utc.tm_wday], utc.tm_mday, months[utc.tm_mon],
                     1900 + utc.tm_year, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

bool is_host(std::string_view text) {
  const auto all = [](std::string_view part, std::string_view others) {
    return std::all_of(part.begin(), part.end(), [&](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
             others.find(c) != std::string_view::npos;
    });
  };
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return false;
  const std::size_t colon = std::min(text.find(':', bracket), text.size());
  const std::string_view port = text.substr(std::min(colon + 1, text.size()));
  if (port.find_first_not_of("0123456789") != std::string_view::npos) return false;
  if (bracket == 0) return all(text.substr(0, colon), "-._~%");
  const std::string_view address = text.substr(1, bracket - 1);
  return address.find(':') != std::string_view::npos && colon - bracket <= 1 && all(address, ":.%");
}

std::optional<Response> fault_of(const Request& request, unsigned version) {
  const auto count = [&](const char* name) {
    return std::count_if(request.headers.begin(), request.headers.end(),
                         [&](const auto& header) { return header.first == name; });
  };
  const auto encodings = count("transfer-encoding"), lengths = count("content-length");
  if (encodings > 0 && (lengths > 0 || version == 10))
    return error_response(400,
                          "the request has both Content-Length and Transfer-Encoding, or is HTTP/1.0 with the latter");
  std::string encoding(request.header("transfer-encoding"));
  std::transform(encoding.begin(), encoding.end(), encoding.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  if (encodings > 1 || (encodings == 1 && encoding != "chunked"))
    return error_response(501, "this server knows no Transfer-Encoding but chunked");
  const std::string_view length = request.header("content-length");
  if (length.find_first_not_of("0123456789") != std::string_view::npos)
    return error_response(400, "the request's Content-Length is not a number");
  if (lengths > 1) return error_response(400, "the request has several headers Content-Length");
  if (count("host") > 1 || (version == 11 && count("host") == 0))
    return error_response(400, "a request of HTTP/1.1 has one header Host");
  if (!is_host(request.header("host"))) return error_response(400, "the header Host is no name or address of a server");
  return {};
}

}  // namespace hexapla::serve
