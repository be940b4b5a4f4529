#include "serve/job/explain_job.h"

#include <openssl/evp.h>
#include <openssl/sha.h>

#include <algorithm>
#include <future>
#include <limits>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "base/range.h"
#include "serve/explain/script.h"
#include "serve/look/page.h"
#include "serve/routes/routes.h"
#include "serve/service.h"

namespace hexapla::serve {
namespace {

using Answer = nlohmann::ordered_json;

constexpr size_t kMostBytes = 1'950'000;
constexpr int kWidestBeam = 16, kBeam = 4;  // of the page's requests

std::string base64(const unsigned char* bytes, size_t size) {
  std::string text(4 * ((size + 2) / 3), '\0');
  // Writes a 0 after the text, where a string has one.
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), bytes, static_cast<int>(size));
  return text;
}

std::string base64(std::string_view bytes) {
  return base64(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
}

std::string hash_of(std::string_view text) {
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest);
  return cat("'sha256-", base64(digest, sizeof digest), "'");
}

// As the page's trim(): without white space around it.
std::string without_outer_blanks(std::string text) {
  constexpr const char* kBlank = " \t\r\n";
  text.erase(0, std::min(text.find_first_not_of(kBlank), text.size()));
  text.resize(text.find_last_not_of(kBlank) + 1);
  return text;
}

// {"shape", "values"} with the values as base64 of f32, little-endian; null is -inf.
Answer packed_tensor(const Answer& tensor) {
  std::vector<float> values;
  for (const Answer& value : tensor["values"])
    values.push_back(value.is_null() ? -std::numeric_limits<float>::infinity() : value.get<float>());
  return {{"shape", tensor["shape"]},
          {"f32", base64({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)})}};
}

// A request whose client waits in this process.
class Asking final : public Exchange {
 public:
  explicit Asking(Request request) : request_(std::move(request)) {}
  std::future<Response> response() { return promise_.get_future(); }

  const Request& request() const override { return request_; }
  void answer(Response response) override {
    std::vector<std::shared_ptr<void>> kept;  // may be what holds this
    const std::lock_guard lock(mutex_);
    if (std::exchange(answered_, true)) return;
    kept.swap(kept_);
    promise_.set_value(std::move(response));
  }
  void keep(std::shared_ptr<void> what) override {
    const std::lock_guard lock(mutex_);
    if (!answered_) kept_.push_back(std::move(what));
  }

 private:
  const Request request_;
  std::promise<Response> promise_;
  std::mutex mutex_;
  bool answered_ = false;
  std::vector<std::shared_ptr<void>> kept_;
};

Request request_of(const std::string& path, const Answer& body) {
  Request request;
  request.method = body.is_null() ? "GET" : "POST";
  request.target = path;
  if (!body.is_null()) request.headers = {{"content-type", "application/json"}}, request.body = json_text(body);
  return request;
}

// The answer to a request, without a network, as a client gets it. body: null for GET. UsageError:
// the service refuses it; RunError: it cannot answer.
Answer ask(Service& service, const std::string& path, const Answer& body = nullptr) {
  auto call = std::make_shared<Asking>(request_of(path, body));
  std::future<Response> response = call->response();
  service.answer(std::exchange(call, nullptr));
  const Response given = response.get();
  Answer answer = json_or_null<Answer>(given.body);
  if (given.status == 200) return answer;
  const std::string why = answer.is_object() ? answer.value("error", given.body) : given.body;
  if (given.status >= 500) throw RunError(why);
  throw UsageError(why);
}

// The service's answers to what the tour asks about one sentence.
class Answers {
 public:
  explicit Answers(const ExplainJob& job) : service_(options(job)) { add_routes(service_); }

  Answer all(const ExplainJob& job) {
    const std::string q = without_outer_blanks(job.source);
    Answer kept{{"models", ask(service_, "/v1/models")}, {"info", ask(service_, "/v1/info")}};
    const Answer model = kept["models"]["models"][0]["name"];
    kept["translations"] =
        ask(service_, "/v1/translate",
            {{"q", q},
             {"model", model},
             {"options", {{"n_best", kBeam}, {"beam_size", kBeam}, {"length_penalty", 0.6}, {"alignment", "words"}}}});
    about_ = {{"q", q}, {"model", model}};
    if (job.target)
      about_["t"] = *job.target;
    else
      about_["tokens"] = kept["translations"]["translations"][0][0]["tokens"];
    kept["state"] = {{"q", q},     {"model", model}, {"forced", job.target.value_or("")},
                     {"t", ""},    {"line", 0},      {"hop", 0},
                     {"n", kBeam}, {"beam", kBeam},  {"penalty", 0.6}};
    kept["lang"] = job.language;
    kept["about"] = about_;
    kept["traces"] = Answer::array({traced(kBeam), traced(kWidestBeam)});
    kept["inspected"] = ask(service_, "/v1/inspect", about_);
    kept["tensors"] = tensors(
        {"encoder.tokens", "encoder.positions", "encoder.embedded", "decoder.mask", "generator.log_probabilities"});
    return kept;
  }

  // Adds the tensors of a layer that the tour shows.
  void add_layer(Answer& kept, int layer) {
    std::vector<std::string> names{cat("encoder.layers.", layer, ".*")};
    for (const char* part : {"self_attention.unscaled", "self_attention.weights", "cross_attention.q",
                             "cross_attention.k", "cross_attention.weights"})
      names.push_back(cat("decoder.layers.", layer, ".", part));
    const Answer all = tensors(names);
    for (const auto& [name, tensor] : all.items()) kept["tensors"][name] = tensor;
  }

 private:
  static ServiceOptions options(const ExplainJob& job) {
    ServiceOptions options;
    options.models = {ModelPlace::parse(job.model)};
    return options;
  }

  // The tensors with these names; names that the model lacks are left out.
  Answer tensors(const std::vector<std::string>& names) {
    Answer request = about_, found = Answer::object();
    request["tensors"] = names;
    const Answer answer = ask(service_, "/v1/inspect", request);
    for (const auto& [name, tensor] : answer["tensors"].items()) found[name] = packed_tensor(tensor);
    return found;
  }

  Answer traced(int beam) {
    const Answer body{{"q", about_["q"]},
                      {"model", about_["model"]},
                      {"options", {{"beam_size", beam}, {"n_best", kBeam}, {"length_penalty", 0.6}}}};
    return {{"body", body}, {"answer", ask(service_, "/v1/trace", body)}};
  }

  Service service_;
  Answer about_;
};

int layers_of(const Answer& kept) {
  const std::vector<int> both = kept["models"]["models"][0]["layers"];
  return *std::max_element(both.begin(), both.end());
}

// Whether a name is of one of the first layers, or of none.
bool is_kept(const std::string& name, int layers) {
  const size_t at = name.find(".layers.");
  return at == name.npos || std::atoi(name.c_str() + at + 8) < layers;
}

void forget_layers(Answer& kept, int layers) {
  Answer names = Answer::array();
  for (Answer& one : kept["inspected"]["names"])
    if (is_kept(one["name"], layers)) names.push_back(std::move(one));
  kept["inspected"]["names"] = std::move(names);
}

// JSON in a script element: no "<" can end it.
std::string embedded(const Answer& answers) {
  std::string text;
  for (const char c : json_text(answers)) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

std::string page_of(const std::string& language, const std::string& answers) {
  const std::string script = page_script(), style = page_style();
  const PageFile* icon = page_file("/assets/icon.svg");
  return cat(
      "<!DOCTYPE html>\n<html lang=\"", language.empty() ? "en" : language,
      "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"",
      "default-src 'none'; script-src ", hash_of(script), "; style-src ", hash_of(style),
      "; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n",
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>hexapla</title>\n",
      "<link rel=\"icon\" href=\"data:image/svg+xml;base64,", base64(icon->content), "\">\n<style>", style,
      "</style>\n</head>\n<body>\n",
      "<noscript><p>This page needs JavaScript, which is all in this file. / 本页需要 JavaScript，全部在此文件中。"
      "</p></noscript>\n<header id=\"header\"></header>\n<main id=\"main\"></main>\n",
      "<footer id=\"footer\"></footer>\n<script type=\"application/json\" id=\"answers\">", answers,
      "</script>\n<script>", script, "</script>\n</body>\n</html>\n");
}

void check(const ExplainJob& job) {
  check_choice({"", "en", "zh"}, "lang", job.language);
  if (without_outer_blanks(job.source).empty()) throw UsageError("`src` is empty; give a sentence", "src", job.source);
  if (without_outer_blanks(job.source).find('\n') != std::string::npos)
    throw UsageError("`src` has several lines; give one sentence", "src", job.source);
}

}  // namespace

ExplainedFile explain(const ExplainJob& job) {
  check(job);
  Answers answers(job);
  Answer kept = answers.all(job);
  const int all = layers_of(kept);
  const size_t around = page_of(job.language, "").size();
  int layers = 0;
  std::string text;
  while (layers < all) {
    Answer more = kept;
    answers.add_layer(more, layers);
    const std::string longer = embedded(more);
    if (layers > 0 && around + longer.size() > kMostBytes) break;
    kept = std::move(more), ++layers;
  }
  forget_layers(kept, layers);
  text = page_of(job.language, embedded(kept));
  write_file_atomically(job.out, text);
  return {text.size(), layers, all, kept["inspected"].value("warnings", std::vector<std::string>())};
}

}  // namespace hexapla::serve
