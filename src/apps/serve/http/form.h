#pragma once
// The parameters of a request, from its query string, form or JSON body.
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

// The size of a gzipped body (Content-Encoding) after decompression, counted without keeping it; nothing for another
// body. HttpError: 415 for another encoding, 413 for more than request.most_bytes, 400 for damaged data.
std::optional<std::size_t> unpacked_size(const Request& request);

// "%C3%BC" -> "ü", and if plus, "+" -> " ". HttpError 400: a percent sign without two hexadecimal
// digits.
std::string percent_decoded(std::string_view text, bool plus);
// Fields of a form: as many lines as a server has places for, and some more.
constexpr std::size_t kMostFields = 16'000;
// "q=a+dog&target=de" -> pairs. HttpError 413: too many.
Fields parse_query(std::string_view text);
struct FormPart {
  std::string name, value;
  std::optional<std::string> file_name;  // only for files
};
// The named parts of a multipart/form-data body (RFC 7578). HttpError 400; 413: too many.
std::vector<FormPart> parse_multipart(std::string_view body, std::string_view content_type);

// The decoded path of a target: "/v1/runs/a b" of "/v1/runs/a%20b?x=1" and of
// "http://host/v1/runs/a%20b". HttpError 400: not UTF-8, or contains NUL.
std::string path_of(std::string_view target);

// Parses a body. HttpError 400: not JSON, not UTF-8, or beyond a limit of parse_json()
// (base/json.h).
Json json_of_body(const std::string& body);

class Parameters {
 public:
  // HttpError 400: malformed, or not UTF-8; 413: too many fields; also those of unpacked_size().
  explicit Parameters(const Request& request);

  bool is_json() const { return is_json_; }  // otherwise values are strings, or lists of strings for repeated names
  const Json& all() const { return all_; }
  // null if missing
  const Json& operator[](const std::string& name) const;
  // A string; a JSON number or boolean as text; of repeated form fields the first. Nothing if
  // missing or null. HttpError 400: a JSON object or list.
  std::optional<std::string> text(const std::string& name) const;
  std::string text_or(const std::string& name, const std::string& other) const { return text(name).value_or(other); }
  // The file that a form uploaded under this name, arbitrary bytes, not part of all(). Null if
  // there is none.
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
