#include "serve/http/form.h"

#include <algorithm>

#include "base/error.h"
#include "data/packed/compression.h"
#include "text/encoding.h"
#include "text/utf8.h"

namespace hexapla::serve {
namespace {

[[noreturn]] void not_understood() {
  throw HttpError(400, "The browser (or proxy) sent a request that this server could not understand.");
}

int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  not_understood();
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
  return lower;
}

// The value of an attribute of `form-data; name="q"; filename="x"`; nothing if it is missing.
std::optional<std::string> attribute(std::string_view header, const std::string& name) {
  const std::string lower = in_lower_case(header);
  for (size_t at = 0; (at = lower.find(name + "=", at)) != std::string::npos; ++at) {
    if (at > 0 && lower[at - 1] != ';' && lower[at - 1] != ' ' && lower[at - 1] != '\t') continue;
    std::string_view value = header.substr(at + name.size() + 1);
    if (value.empty() || value.front() != '"') return std::string(value.substr(0, value.find_first_of("; \t\r\n")));
    std::string quoted;
    for (size_t i = 1; i < value.size() && value[i] != '"'; ++i) {
      if (value[i] == '\\' && i + 1 < value.size()) ++i;
      quoted += value[i];
    }
    return quoted;
  }
  return {};
}

// The Content-Disposition in the header lines of a part, "form-data; name=..."; "" if missing.
std::string_view disposition_of_part(std::string_view header) {
  const size_t at = in_lower_case(header).find("content-disposition:");
  return at == std::string::npos ? "" : header.substr(at, header.find("\r\n", at) - at);
}

bool packed(const Request& request) {
  const std::string encoding = in_lower_case(request.header("content-encoding"));
  if (encoding.empty() || encoding == "identity") return false;
  if (encoding == "gzip" || encoding == "x-gzip") return true;
  throw HttpError(415, "this server reads no Content-Encoding but gzip; send the body as it is, or packed with that",
                  {{"Accept-Encoding", "gzip"}});
}

// Counted before any is made: a field of two bytes takes a hundred.
void check_fields(size_t fields) {
  if (fields > kMostFields)
    throw HttpError(413, cat("the form has more than ", kMostFields, " fields; send fewer at a time, or JSON"));
}

struct StringBytes final : data::Bytes {
  explicit StringBytes(std::string_view text) : left(text) {}
  size_t read(char* to, size_t size) override {
    const size_t some = left.copy(to, size);
    left.remove_prefix(some);
    return some;
  }
  std::string_view left;
};

// Calls f() with every block of a gzipped body.
template <class F>
void unpack(const Request& request, F&& f) {
  std::vector<char> block(64 << 10);
  size_t size = 0;
  try {
    const auto bytes = data::decompressed(data::Compression::gzip, std::make_unique<StringBytes>(request.body));
    while (const size_t some = bytes->read(block.data(), block.size())) {
      if ((size += some) > request.most_bytes)
        throw HttpError(413, cat("the request has more than ", request.most_bytes,
                                 " bytes, unpacked, which is all that this server takes; send less at a time"));
      f(std::string_view(block.data(), some));
    }
  } catch (const data::DamagedBytes& damage) {
    throw HttpError(400, "the body is no whole gzip: " + damage.what + "; pack it again");
  }
}

std::string unpacked(const Request& request) {
  std::string text;
  unpack(request, [&](std::string_view block) { text += block; });
  return text;
}

[[noreturn]] void refuse_encoding(const std::string& bytes) {
  throw HttpError(400, "the request is not UTF-8; " + text::advice(text::encoding_of(bytes)));
}

}  // namespace

std::optional<size_t> unpacked_size(const Request& request) {
  if (!packed(request)) return {};
  size_t size = 0;
  unpack(request, [&](std::string_view block) { size += block.size(); });
  return size;
}

std::string percent_decoded(std::string_view text, bool plus) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus) {
      result += ' ';
    } else if (text[i] == '%') {
      if (i + 2 >= text.size()) not_understood();
      result += static_cast<char>(16 * hexadecimal(text[i + 1]) + hexadecimal(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

Fields parse_query(std::string_view text) {
  check_fields(static_cast<size_t>(std::count(text.begin(), text.end(), '&')));
  Fields fields;
  while (!text.empty()) {
    const size_t end = std::min(text.find('&'), text.size());
    const std::string_view field = text.substr(0, end);
    const size_t equals = std::min(field.find('='), field.size());
    if (!field.empty())
      fields.emplace_back(percent_decoded(field.substr(0, equals), true),
                          percent_decoded(equals < field.size() ? field.substr(equals + 1) : "", true));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return fields;
}

std::vector<FormPart> parse_multipart(std::string_view body, std::string_view content_type) {
  const auto boundary = attribute(content_type, "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) not_understood();
  const std::string dashes(2, '-'), first = dashes + *boundary, next = "\r\n" + first;
  size_t at = body.substr(0, first.size()) == first ? first.size() : body.find(next);
  if (at == std::string_view::npos) not_understood();
  if (at != first.size() || body.substr(0, first.size()) != first) at += next.size();
  std::vector<FormPart> parts;
  size_t count = 0;
  while (body.substr(at, 2) != dashes) {
    const size_t begin = body.find("\r\n", at), header_end = body.find("\r\n\r\n", at);
    const size_t end = header_end == std::string_view::npos ? header_end : body.find(next, header_end + 2);
    if (end == std::string_view::npos) not_understood();
    check_fields(++count);
    const std::string_view disposition = disposition_of_part(body.substr(begin, header_end - begin));
    const std::string name = attribute(disposition, "name").value_or("");
    const size_t value = std::min(header_end + 4, end);
    if (!name.empty())
      parts.push_back({name, std::string(body.substr(value, end - value)), attribute(disposition, "filename")});
    at = end + next.size();
  }
  return parts;
}

std::string path_of(std::string_view target) {
  if (const size_t scheme = target.find("://"); scheme != std::string_view::npos && target.front() != '/') {
    target.remove_prefix(scheme + 3);
    target.remove_prefix(std::min(target.find('/'), target.size()));
  }
  std::string path = percent_decoded(target.substr(0, target.find('?')), false);
  if (text::invalid_utf8(path) || path.find('\0') != std::string::npos) not_understood();
  return path.empty() ? "/" : path;
}

Json json_of_body(const std::string& body) {
  const JsonExtent extent = extent_of_json(body);
  if (extent.depth > kDeepestJson)
    throw HttpError(400, cat("the JSON has more than ", kDeepestJson, " lists and objects inside each other"));
  if (extent.values > kMostJsonValues) throw HttpError(400, cat("the JSON has more than ", kMostJsonValues, " values"));
  try {
    return parse_json(body, "the body");
  } catch (const DataError&) {
    if (text::invalid_utf8(body)) refuse_encoding(body);
    not_understood();
  }
}

Parameters::Parameters(const Request& request) {
  const std::string opened = packed(request) ? unpacked(request) : "";
  const std::string& body = packed(request) ? opened : request.body;
  const std::string type = in_lower_case(request.header("content-type"));
  const std::string kind = type.substr(0, type.find_first_of("; "));
  const bool json = kind == "application/json" || (kind.starts_with("application/") && kind.ends_with("+json"));
  // Some clients name a type for requests without a body.
  if (json && (request.method == "POST" || !body.empty())) {
    all_ = json_of_body(body);
    if (!all_.is_object()) throw HttpError(400, "Invalid JSON format");
    is_json_ = true;
    return;
  }
  const size_t query = request.target.find('?');
  const auto add_all = [&](Fields fields) {
    for (auto& [name, value] : fields) add(name, std::move(value));
  };
  if (query != std::string::npos) add_all(parse_query(std::string_view(request.target).substr(query + 1)));
  if (kind == "application/x-www-form-urlencoded") add_all(parse_query(body));
  if (kind != "multipart/form-data") return;
  for (FormPart& part : parse_multipart(body, request.header("content-type"))) {
    if (part.file_name && text::invalid_utf8(*part.file_name))
      throw HttpError(400, "the name of the file is not UTF-8");
    if (part.file_name)
      files_.emplace(part.name, File{*part.file_name, std::move(part.value)});
    else
      add(part.name, std::move(part.value));
  }
}

void Parameters::add(const std::string& name, std::string value) {
  if (text::invalid_utf8(name) || text::invalid_utf8(value)) refuse_encoding(value);
  Json& there = all_[name];
  if (there.is_null())
    there = std::move(value);
  else if (there.is_array())
    there.push_back(std::move(value));
  else
    there = Json::array({std::move(there), std::move(value)});
}

const Parameters::File* Parameters::file(const std::string& name) const {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : &found->second;
}

const Json& Parameters::operator[](const std::string& name) const {
  static const Json none;
  const auto found = all_.find(name);
  return found == all_.end() ? none : *found;
}

std::optional<std::string> Parameters::text(const std::string& name) const {
  const Json* value = &(*this)[name];
  if (value->is_array() && !value->empty() && !is_json_) value = &value->front();
  if (value->is_string()) return value->get<std::string>();
  if (value->is_number() || value->is_boolean()) return json_text(*value);
  if (value->is_object()) throw HttpError(400, name + " must be a single value, not an object");
  if (value->is_array()) throw HttpError(400, name + " must be a single value, not a list");
  return {};
}

}  // namespace hexapla::serve
