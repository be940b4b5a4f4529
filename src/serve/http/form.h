#pragma once
// The parameters of a request, in any form that clients use: the query of its target, a form, JSON.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "serve/http/message.h"

namespace hexapla::serve {

using Json = nlohmann::json;
using Fields = std::vector<std::pair<std::string, std::string>>;

// Bytes of a body; of one packed with gzip (Content-Encoding) as many as it says itself that it has unpacked.
// HttpError: 415 for another encoding, 413 for more than request.most_bytes.
std::size_t unpacked_size(const Request& request);

// "%C3%BC" -> "ü", and with plus "+" -> " ". HttpError 400: no two hexadecimal digits after a percent sign.
std::string percent_decoded(std::string_view text, bool plus);
// "q=a+dog&target=de" -> pairs
Fields parse_query(std::string_view text);
struct FormPart {
  std::string name, value;
  std::optional<std::string> file_name;  // of a file
};
// The parts of a multipart/form-data body that have a name (RFC 7578). HttpError 400.
std::vector<FormPart> parse_multipart(std::string_view body, std::string_view content_type);

// The path of a target, decoded: "/v1/runs/a b" of "/v1/runs/a%20b?x=1" and of "http://host/v1/runs/a%20b". HttpError
// 400: not UTF-8, or with a NUL in it.
std::string path_of(std::string_view target);

// The JSON of a body. HttpError 400: it is none, is not UTF-8, or beyond a limit of parse_json() (base/json.h).
Json json_of_body(const std::string& body);

// The parameters of one request, by name: an object.
class Parameters {
 public:
  // HttpError 400: not readable, damaged where it came packed, or not UTF-8; and as unpacked_size().
  explicit Parameters(const Request& request);

  bool is_json() const { return is_json_; }  // else strings, and lists of strings where a name came several times
  const Json& all() const { return all_; }
  // null where there is none
  const Json& operator[](const std::string& name) const;
  // A string, or a number or true as they are written; of a form the first that came. Nothing where there is none, or
  // null. HttpError 400: an object or a list of JSON.
  std::optional<std::string> text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& other) const { return text(name).value_or(other); }
  // The file that a form brought by this name: of any bytes, and no parameter. Null where there is none.
  struct File {
    std::string name, content;
  };
  const File* file(const std::string& name) const;

 private:
  void add(const std::string& name, std::string value);
  Json all_ = Json::object();
  std::map<std::string, File> files_;
  bool is_json_ = false;
};

}  // namespace hexapla::serve
