#pragma once
// For tests: malformed requests, mutated from valid ones. The same seed gives the same requests.
#include <cstdio>
#include <string>
#include <vector>

#include "base/compute/random.h"
#include "serve/http/form.h"

namespace hexapla::serve::test {

// Valid requests for every route that answers at once.
inline std::vector<Request> sound_requests() {
  const std::string json = "application/json", form = "application/x-www-form-urlencoded",
                    multipart = "multipart/form-data; boundary=b";
  const auto part = [](const std::string& name, const std::string& more, const std::string& value) {
    return "-"
           "-b\r\nContent-Disposition: form-data; name=\"" +
           name + "\"" + more + "\r\n\r\n" + value + "\r\n";
  };
  const std::string languages = part("source", "", "en") + part("target", "", "de") +
                                "-"
                                "-b--\r\n";
  const struct {
    std::string method, target, type, body;
  } all[] = {
      {"POST", "/translate", json,
       R"({"q":"a dog runs","source":"en","target":"de","format":"text","alternatives":2})"},
      {"POST", "/translate", json,
       R"({"q":["a dog","two <b>red</b> cats"],"source":"auto","target":"de","format":"html"})"},
      {"POST", "/translate", form, "q=a+dog%20runs&source=en&target=de&api_key=abc"},
      {"POST", "/translate?q=a%20dog&source=en&target=fr", "", ""},
      {"POST", "/translate", multipart, part("q", "", "a dog") + languages},
      {"POST", "/detect", json, R"({"q":"a dog runs here"})"},
      {"POST", "/translate_file", multipart,
       part("file", "; filename=\"x.srt\"", "1\r\n00:00:01,000 --> 00:00:02,000\r\na dog\r\n") + languages},
      {"POST", "/translate_file", multipart,
       part("file", "; filename=\"x.html\"", "<p>a <i>dog</i><!-- no --></p>") + languages},
      {"GET", "/languages", "", ""},
      {"GET", "/frontend/settings", "", ""},
      {"GET", "/health", "", ""},
      {"GET", "/metrics", "", ""},
      {"GET", "/v1/models", "", ""},
      {"GET", "/v1/runs", "", ""},
      {"GET", "/v1/info", "", ""},
      {"GET", "/download_file/0123456789abcdef", "", ""},
      {"OPTIONS", "/translate", "", ""},
      {"POST", "/v1/translate", json,
       R"({"q":["a dog","two cats"],"model":"en-de","options":{"beam_size":3,"n_best":2,"extra_length":2,"alignment":"words"},)"
       R"("constraints":[{"prefix":"two","require":["red"],"forbid":["cat"]},{}],"timeout_ms":5000})"},
      {"POST", "/v1/translate", json,
       R"({"q":"a dog","source":"en","target":"fr","options":{"sample":true,"top_k":4,"seed":7}})"},
      {"POST", "/v1/translate", json, R"({"q":"a dog","model":"en-de","glossary":{"dog":"red|two cats","a":"b"}})"},
      {"POST", "/v2/glossaries", json,
       R"({"name":"a","source_lang":"EN","target_lang":"DE","entries":"dog\tred\ncat\tblue|two","entries_format":"tsv"})"},
      {"POST", "/v2/glossaries", form, "name=a&source_lang=en&target_lang=de&entries=dog,%22red%22&entries_format=csv"},
      {"GET", "/v2/glossaries/00000000-0000-0000-0000-000000000000/entries", "", ""},
      {"DELETE", "/v2/glossaries/00000000-0000-0000-0000-000000000000", "", ""},
      {"POST", "/v1/translate/stream", json,
       R"({"q":"a dog\nb","source":"en","target":"de","options":{"beam_size":2}})"},
      {"POST", "/v1/score", json, R"({"q":"a dog","t":"two cats","source":"en","target":"de"})"},
      {"POST", "/v1/inspect", json,
       R"({"q":"a dog","t":"two","source":"en","target":"de","tensors":["encoder.layers.0.self_attention.weights"]})"},
      {"POST", "/v1/trace", json,
       R"({"q":"a dog","source":"en","target":"de","options":{"beam_size":2,"extra_length":1}})"},
      {"POST", "/v2/translate", json,
       R"({"text":["a <x>dog</x>"],"source_lang":"EN","target_lang":"DE","tag_handling":"xml"})"},
      {"POST", "/v2/translate", form, "text=a+dog&text=b&target_lang=DE"},
      {"GET", "/v2/languages?type=target", "", ""},
      {"GET", "/v2/usage", "", ""},
  };
  std::vector<Request> found;
  for (const auto& [method, target, type, body] : all) {
    Request& r = found.emplace_back();
    r.method = method, r.target = target, r.body = body, r.peer = "127.0.0.1";
    r.headers = {{"host", "x"}, {"content-type", type}};
    if (type.empty()) r.headers.pop_back();
  }
  return found;
}

class AstrayRequests {
 public:
  explicit AstrayRequests(uint64_t seed) : random_(seed) {}

  // As passed on by the HTTP server; method, target, headers and body are arbitrary.
  Request next() {
    Request r = pick(sound_);
    for (uint32_t changes = 1 + random_.below(3); changes > 0; --changes) change(r);
    if (random_.below(16) == 0) r.target = changed_bytes(r.target);
    return r;
  }
  // The bytes of a request, in most cases mutated at random places.
  std::string next_bytes() {
    const Request r = random_.below(4) == 0 ? next() : pick(sound_);
    std::string text = r.method + " " + r.target + " HTTP/1.1\r\n";
    for (const auto& [name, value] : r.headers) text += name + ": " + value + "\r\n";
    if (random_.below(4) == 0) {
      text += "Transfer-Encoding: chunked\r\n\r\n";
      const std::size_t first = random_.below(static_cast<uint32_t>(r.body.size() + 1));
      text += chunk(r.body.substr(0, first)) + chunk(r.body.substr(first)) + "0\r\n\r\n";
    } else {
      text += "Content-Length: " + std::to_string(r.body.size()) + "\r\n\r\n" + r.body;
    }
    return random_.below(4) == 0 ? text : changed_bytes(std::move(text));
  }

 private:
  static std::string chunk(const std::string& data) {
    if (data.empty()) return "";
    char size[20];
    std::snprintf(size, sizeof size, "%zx", data.size());
    return size + ("\r\n" + data + "\r\n");
  }
  template <class T>
  const T& pick(const std::vector<T>& all) {
    return all[random_.below(static_cast<uint32_t>(all.size()))];
  }

  void change(Request& r) {
    switch (random_.below(8)) {
      case 0:
        r.body = changed_bytes(std::move(r.body));
        break;
      case 1:
        r.target = pick(sound_).target;
        break;
      case 2:
        r.method = pick(methods_);
        break;
      case 3:
        r.headers = pick(sound_).headers;
        if (random_.below(2) == 0) r.headers.emplace_back(pick(names_), odd_text());
        break;
      default:
        change_json(r.body);
    }
  }

  void change_json(std::string& body) {
    Json j = Json::parse(body, nullptr, false);
    if (!j.is_object()) {
      if (random_.below(8) == 0) body = json_text(odd_value(0));
      return;
    }
    Json* at = &j;
    while (at->is_structured() && !at->empty() && random_.below(3) > 0) {
      auto member = at->begin();
      std::advance(member, random_.below(static_cast<uint32_t>(at->size())));
      at = &*member;
    }
    if (at->is_object() && random_.below(2) == 0)
      (*at)[random_.below(4) == 0 ? odd_text() : pick(keys_)] = odd_value(0);
    else
      *at = odd_value(0);
    body = json_text(j);
  }

  Json odd_value(int depth) {
    switch (random_.below(depth > 3 ? 8 : 11)) {
      case 0:
        return nullptr;
      case 1:
        return random_.below(2) == 0;
      case 2:
        return pick(numbers_);
      case 3:
        return static_cast<int>(random_.below(20)) - 5;
      case 8:
        return Json::array({odd_value(depth + 1), odd_value(depth + 1)});
      case 9:
        return Json{{pick(keys_), odd_value(depth + 1)}, {odd_text(), odd_value(depth + 1)}};
      case 10: {
        Json deep = odd_text();
        for (uint32_t n = random_.below(200); n > 0; --n) deep = Json::array({std::move(deep)});
        return deep;
      }
      default:
        return odd_text();
    }
  }

  std::string odd_text() {
    switch (random_.below(6)) {
      case 0:
        return std::string(random_.below(3000), pick(letters_));
      case 1: {
        std::string lines;
        for (uint32_t n = random_.below(50); n > 0; --n) lines += pick(texts_) + "\n";
        return lines;
      }
      default:
        return pick(texts_);
    }
  }

  std::string changed_bytes(std::string text) {
    for (uint32_t changes = 1 + random_.below(4); changes > 0; --changes) {
      const auto size = static_cast<uint32_t>(text.size());
      const std::size_t at = random_.below(size + 1), length = random_.below(20);
      switch (random_.below(5)) {
        case 0:
          if (at < size) text[at] = static_cast<char>(random_.below(256));
          break;
        case 1:
          text.insert(at, pick(pieces_));
          break;
        case 2:
          text.erase(at, length);
          break;
        case 3:
          text.insert(at, text.substr(random_.below(size + 1), length));
          break;
        default:
          if (random_.below(8) == 0) text.resize(at);
      }
    }
    return text;
  }

  Random random_;
  const std::vector<Request> sound_ = sound_requests();
  const std::vector<std::string> methods_{"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"};
  const std::vector<std::string> names_{"authorization",    "x-api-key",       "origin", "accept",
                                        "content-encoding", "x-forwarded-for", "expect", "accept-language"};
  const std::vector<std::string> keys_{"q",
                                       "t",
                                       "source",
                                       "target",
                                       "model",
                                       "format",
                                       "alternatives",
                                       "options",
                                       "constraints",
                                       "glossary",
                                       "glossary_id",
                                       "entries",
                                       "entries_format",
                                       "beam_size",
                                       "n_best",
                                       "extra_length",
                                       "max_length",
                                       "tensors",
                                       "prefix",
                                       "require",
                                       "forbid",
                                       "timeout_ms",
                                       "text",
                                       "target_lang",
                                       "api_key",
                                       "temperature",
                                       "top_p",
                                       "alignment",
                                       "length_penalty",
                                       "no_repeat_ngram"};
  const std::vector<Json> numbers_{0,   -1,    1e308,       -1e-308,    9223372036854775807, 18446744073709551615u,
                                   0.5, 65536, 2147483648u, -2147483649};
  const std::vector<std::string> texts_{"",
                                        "a dog",
                                        "en",
                                        "de",
                                        "auto",
                                        "fr",
                                        "zz",
                                        "en-de",
                                        "html",
                                        "text",
                                        "words",
                                        "\xE4\xBD\xA0\xE5\xA5\xBD",
                                        "\xE0\xB8\x81\xE0\xB8\xB4\xE0\xB8\x99",
                                        "\xF0\x9F\x98\x80",
                                        "<b>a</b> dog<br",
                                        "&amp;&#x110000;&#0;",
                                        "%00",
                                        "../../etc/passwd",
                                        std::string("a\0b", 3),
                                        "\xEF\xBB\xBF",
                                        "\xE2\x80\xA8",
                                        "nan",
                                        "1e999",
                                        "00:00:01,000 --> x",
                                        "*",
                                        "\r\n\r\n"};
  const std::vector<char> letters_{'a', ' ', '\n', '<', '&', '[', '%'};
  const std::vector<std::string> pieces_{"\r\n",
                                         "\r\n\r\n",
                                         "\n",
                                         "\"",
                                         "{",
                                         "[",
                                         "[[[[[[[[",
                                         "]",
                                         "}",
                                         ",",
                                         "%",
                                         "%ff",
                                         "\\ud800",
                                         "\\u0000",
                                         "\xFF",
                                         "\xC0\x80",
                                         "\xED\xA0\x80",
                                         "-"
                                         "-b",
                                         "-"
                                         "-b--",
                                         "Content-Length: 5\r\n",
                                         "Transfer-Encoding: chunked\r\n",
                                         "Expect: 100-continue\r\n",
                                         "GET / HTTP/1.1\r\n",
                                         "0\r\n\r\n",
                                         "ffffffffffffffff\r\n",
                                         "&q=",
                                         ";",
                                         std::string(1, '\0')};
};

}  // namespace hexapla::serve::test
