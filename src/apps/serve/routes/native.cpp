// hexapla's own API, under /v1.
#include <charconv>
#include <chrono>

#include "base/error.h"
#include "hexapla/hexapla.h"
#include "lib/translate/translator_options.h"
#include "serve/languages/detect.h"
#include "serve/languages/languages.h"
#include "serve/look/request.h"
#include "serve/routes/routes.h"

namespace hexapla::serve {
namespace {

using Clock = std::chrono::steady_clock;
using OrderedJson = nlohmann::ordered_json;

constexpr std::int64_t kLongestTimeout = 86'400'000;  // milliseconds
constexpr int kMostScored = 512;                      // tokens in a line or a translation
constexpr std::size_t kMostTerms = 10'000;            // in a glossary

constexpr const char* kNotAGlossary =
    "glossary must be an object with a translation for each term, {\"dog\": \"Hund|Hunde\"}, or a list of such pairs";

[[noreturn]] void refuse_request(const std::string& why) { throw HttpError(400, why); }

// The double with the float's shortest digits.
double shortest(float value) {
  char digits[32];
  double result = value;
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  std::from_chars(digits, end, result);
  return result;
}

Json shortest(const std::vector<float>& values) {
  Json list = Json::array();
  for (const float value : values) list.push_back(shortest(value));
  return list;
}

OptionValue option_value_of(const std::string& name, const Json& value) {
  const auto word = [&](const Json& one) {
    if (one.is_string()) return one.get<std::string>();
    if (one.is_number() || one.is_boolean()) return json_text(one);
    refuse_request(cat("options: ", name, " must be a number, a string, true or false"));
  };
  if (!value.is_array()) return word(value);
  std::vector<std::string> words;
  for (const Json& one : value) words.push_back(word(one));
  return words;
}

TranslatorOptions translator_options(const Json& given) {
  Options options;
  if (!given.is_null() && !given.is_object()) refuse_request("options must be an object, as in {\"beam_size\": 5}");
  for (const auto& [name, value] : given.items()) options.emplace(name, option_value_of(name, value));
  return options_of_request(options);
}

// Splits a text into lines; each element of a list is a line.
std::vector<std::string> lines_of(const Json& q) {
  std::vector<std::string> lines;
  if (q.is_array()) {
    for (const Json& line : q) {
      if (!line.is_string()) refuse_request("q must be a string, or a list of strings");
      lines.push_back(line);
    }
  } else if (q.is_string()) {
    const std::string& text = q.get_ref<const std::string&>();
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  if (lines.empty())
    refuse_request(
        "q is missing: a string, or a list of strings, in JSON with the header Content-Type: application/json");
  return lines;
}

std::vector<std::string> words_of(const Json& constraint, const char* name) {
  const Json& words = constraint.value(name, Json::array());
  std::vector<std::string> all;
  if (!words.is_array()) refuse_request(cat("constraints: ", name, " must be a list of strings"));
  for (const Json& word : words) {
    if (!word.is_string()) refuse_request(cat("constraints: ", name, " must be a list of strings"));
    all.push_back(word);
  }
  return all;
}

std::vector<Constraints> constraints_of(const Json& given) {
  std::vector<Constraints> all;
  if (given.is_null()) return all;
  if (!given.is_array()) refuse_request("constraints must be a list with an object for each line");
  for (const Json& one : given) {
    if (!one.is_object()) refuse_request("constraints must be a list with an object for each line");
    const Json prefix = one.value("prefix", Json(""));
    if (!prefix.is_string()) refuse_request("constraints: prefix must be a string");
    all.push_back({prefix, words_of(one, "require"), words_of(one, "forbid")});
  }
  return all;
}

// {"dog": "Hund|Hunde"}, or [["dog", "Hund|Hunde"]].
Glossary glossary_of(const Json& given) {
  std::vector<std::pair<std::string, std::string>> terms;
  const auto add = [&](const Json& source, const Json& target) {
    if (!source.is_string() || !target.is_string()) refuse_request(kNotAGlossary);
    terms.emplace_back(source, target);
  };
  if (given.is_object())
    for (const auto& [source, target] : given.items()) add(source, target);
  else if (given.is_array())
    for (const Json& pair : given) {
      if (!pair.is_array() || pair.size() != 2) refuse_request(kNotAGlossary);
      add(pair[0], pair[1]);
    }
  else if (!given.is_null())
    refuse_request(kNotAGlossary);
  if (terms.size() > kMostTerms)
    refuse_request(cat("glossary has ", terms.size(), " terms, but at most ", kMostTerms, " are allowed"));
  return terms.empty() ? Glossary() : Glossary(terms);
}

std::string name_of(const Hops& hops) {
  return hops.size() == 1 ? hops.front()->name : hops.front()->name + "+" + hops.back()->name;
}

// Finds models by name or by languages, or takes the only model.
Hops hops_of(const Parameters& p, const ModelSet& models, const std::string& text) {
  for (const char* name : {"source", "target", "model"})
    if (!p[name].is_null() && !p[name].is_string()) refuse_request(cat(name, " must be a string"));
  if (const auto name = p.text("model")) {
    if (const auto model = models.named(*name)) return {model};
    for (const auto& first : models.models())
      for (const auto& second : models.models())
        if (first->target == second->source && name_of({first, second}) == *name) return {first, second};
    refuse_request(cat("there is no model ", *name, "; see /v1/models"));
  }
  const std::string source = p.text_or("source", ""), target = p.text_or("target", "");
  const auto& all = models.models();
  const auto code = [codes = all_languages(models)](const std::string& word) {
    const std::string one = language_among(codes, word);
    return one.empty() ? language_code(word) : one;
  };
  const bool any = source.empty() || source == "auto" || code(source) == all.front()->source;
  if (all.size() == 1 && target.empty() && any) return all;
  if (target.empty())
    refuse_request("target is missing: the language to translate into, or model: the name of a model");
  const bool detected = source.empty() || source == "auto";
  const std::vector<std::string> readers = detected ? models.sources_of(code(target)) : std::vector<std::string>();
  const std::string from = readers.empty() ? code(source) : detect_language(text, readers).front().code;
  Hops hops = models.find(from, code(target));
  if (hops.empty())
    refuse_request(
        cat("nothing here translates from ", from.empty() ? source : from, " to ", target, "; see /v1/models"));
  return hops;
}

OrderedJson alignment_json(const Alignment& a) {
  OrderedJson links = OrderedJson::array(), rows = OrderedJson::array();
  for (const auto& [source, target] : a.links) links.push_back({source, target});
  for (std::size_t row = 0; row < a.weights.rows; ++row) {
    OrderedJson& list = rows.emplace_back(OrderedJson::array());
    for (std::size_t column = 0; column < a.weights.columns; ++column)
      list.push_back(shortest(static_cast<float>(a.weights(row, column))));
  }
  OrderedJson j{{"links", std::move(links)}, {"source_words", a.source_words}, {"target_words", a.target_words}};
  j["weights"] = std::move(rows);
  return j;
}

OrderedJson translation_json(const Translation& t) {
  OrderedJson j{{"text", t.text},
                {"score", t.score},
                {"normalized", t.normalized},
                {"tokens", t.tokens},
                {"token_scores", shortest(t.token_scores)}};
  if (t.alignment.weights.rows > 0) j["alignment"] = alignment_json(t.alignment);
  return j;
}

// A parsed request for translations.
struct NativeCall {
  LinesTask task;
  std::shared_ptr<Warnings> warnings = std::make_shared<Warnings>();
  std::string model;
  std::vector<std::string> pivot = {};
  Clock::time_point begun = Clock::now();

  // Builds text, because the JSON of all translations at once would take several times the memory.
  std::string answer(const PendingTranslation::Lines& found) const {
    std::string text = R"({"translations":[)";
    for (std::size_t line = 0; line < found.size(); ++line) {
      text += line > 0 ? ",[" : "[";
      for (std::size_t i = 0; i < found[line].size(); ++i)
        text.append(i > 0 ? "," : "").append(json_text(translation_json(found[line][i])));
      text += "]";
    }
    return text + "]," + json_text(about()).substr(1);
  }
  OrderedJson about() const {
    OrderedJson j{{"model", model}};
    if (!pivot.empty()) j["pivot"] = pivot;
    warnings->put_into(j);
    j["ms"] = std::chrono::duration<double, std::milli>(Clock::now() - begun).count();
    return j;
  }
};

std::shared_ptr<NativeCall> native_call(Service& service, const Service::Call& call) {
  const Parameters p(call->request());
  const std::int64_t most = service.admit(p, call->request());
  auto asked = std::make_shared<NativeCall>();
  LinesTask& task = asked->task;
  task.lines = lines_of(p["q"]);
  if (p["q"].is_array()) check_texts("q", task.lines.size(), service.options().batch_limit);
  for (const std::string& line : task.lines) check_characters("a line of q", line, most);
  task.hops = hops_of(p, *service.models(), together(task.lines));
  task.options = translator_options(p["options"]);
  task.constraints = constraints_of(p["constraints"]);
  task.options.glossary = glossary_of(p["glossary"]);
  if (task.options.glossary.size() > 0) check_one_hop(task.hops);
  if (const Json& timeout = p["timeout_ms"]; !timeout.is_null()) {
    if (!timeout.is_number_integer() || timeout < 1 || timeout > kLongestTimeout)
      refuse_request(cat("timeout_ms must be a whole number from 1 to ", kLongestTimeout));
    const std::chrono::milliseconds given(timeout.get<std::int64_t>());
    task.timeout = std::min(service.options().timeout, given);
    if (task.timeout == given)
      task.late = cat("the request's time was up: timeout_ms is ", given.count(), "; raise it, or ask for less");
  }
  collect_warnings(task, asked->warnings);
  asked->model = name_of(task.hops);
  if (task.hops.size() > 1) asked->pivot = {task.hops.front()->target};
  return asked;
}

void translate_native(Service& service, const Service::Call& call) {
  const auto asked = native_call(service, call);
  service.translate(call, std::move(asked->task), [call, asked](const auto& found) {
    call->answer({200, asked->answer(found)});
  });
}

std::string event(const std::string& name, const std::string& data) {
  return "event: " + name + "\ndata: " + data + "\n\n";
}

void stream(Service& service, const Service::Call& call) {
  const auto asked = native_call(service, call);
  asked->task.on_progress = [weak = std::weak_ptr(call)](std::size_t line, const std::string& so_far) {
    if (const auto there = weak.lock())
      there->offer(event("progress", json_text(OrderedJson{{"line", line}, {"text", so_far}, {"final", false}})));
  };
  service.translate(
      call, std::move(asked->task),
      [call, asked](const auto& found) {
        call->send(event("done", asked->answer(found)));
        call->end();
      },
      [call](const Response& why) {
        call->send(event("error", why.body));
        call->end();
      });
  call->begin({200, "", "text/event-stream", {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}});
}

void score(Service& service, const Service::Call& call) {
  const auto p = std::make_shared<const Parameters>(call->request());
  const std::int64_t most = service.admit(*p, call->request());
  if (!(*p)["q"].is_string() || !(*p)["t"].is_string())
    refuse_request("q and t must be strings: a line and its translation");
  const std::string q = (*p)["q"], t = (*p)["t"];
  check_characters("q", q, most), check_characters("t", t, most);
  const auto model = model_of(*p, *service.models(), q);
  TranslatorOptions options = translator_options((*p)["options"]);
  if (options.max_length > kMostScored)
    refuse_request(cat("max_length is ", *options.max_length, ", but this server scores at most ", kMostScored,
                       " tokens of a ", "line or a translation; lower it"));
  service.compute(call, cost_of_score(), [call, model, q, t, options](const std::atomic<bool>& stop) mutable {
    Warnings warnings;
    options.stop = &stop;
    options.warn = [&](std::size_t line, const std::string& what) { warnings.add({{"line", line}}, what); };
    const ScoreResult s = model->translator.score_tokens({q}, {t}, options).front();
    OrderedJson answer{
        {"score", s.score}, {"normalized", s.normalized}, {"tokens", s.tokens}, {"token_scores", s.token_scores}};
    warnings.put_into(answer);
    call->answer(json_response(answer));
  });
}

OrderedJson model_json(const ServedModel& m) {
  return {{"name", m.name},
          {"source", m.source},
          {"target", m.target},
          {"parameters", m.parameters},
          {"precision", m.precision},
          {"device", m.device},
          {"layers", {m.encoder_layers, m.decoder_layers}},
          {"heads", m.heads},
          {"d_model", m.d_model}};
}

OrderedJson models(const ModelSet& set) {
  OrderedJson list = OrderedJson::array();
  for (const auto& model : set.models()) list.push_back(model_json(*model));
  for (const std::string& source : set.sources())
    for (const std::string& target : set.targets_of(source))
      if (const Hops hops = set.find(source, target); hops.size() > 1)
        list.push_back({{"name", name_of(hops)},
                        {"source", source},
                        {"target", target},
                        {"parameters", hops[0]->parameters + hops[1]->parameters},
                        {"precision", hops[0]->precision},
                        {"device", hops[0]->device},
                        {"pivot", {hops[0]->target}}});
  return {{"models", list}};
}

Json schema_of_constraints() {
  const Json phrases{{"type", "array"}, {"items", {{"type", "string"}, {"pattern", "\\S"}}}};
  return {{"items",
           {{"type", "object"},
            {"properties", {{"prefix", {{"type", "string"}}}, {"require", phrases}, {"forbid", phrases}}}}}};
}

}  // namespace

void check_one_hop(const Hops& hops) {
  if (hops.size() > 1)
    refuse_request(cat("a glossary is for one model, but from ", hops.front()->source, " to ", hops.back()->target,
                       " there are two, by way of ", hops.front()->target, "; leave it out"));
}

std::shared_ptr<const ServedModel> model_of(const Parameters& p, const ModelSet& models, const std::string& text) {
  const Hops hops = hops_of(p, models, text);
  if (hops.size() > 1) refuse_request(cat(name_of(hops), " is two models; name one of them"));
  return hops.front();
}

void add_native_routes(Router& router, Service& service) {
  const std::vector<RouteField> languages{{"source", "string", false, "language of q, or auto"},
                                          {"target", "string", false, "language to translate into"},
                                          {"model", "string", false, "name of a model, instead of the languages"},
                                          {"options", "object", false, "search options", api::schema_of_options()},
                                          {"api_key", "string"}};
  std::vector<RouteField> to_translate{
      {"q", "text", true, "a text, line by line, or a list of lines"},
      {"constraints", "array", false, "for each line: {prefix, require, forbid}", schema_of_constraints()},
      {"glossary", "object", false, "for each term its translation, or its forms: Hund|Hunde"},
      {"timeout_ms",
       "integer",
       false,
       "time limit of the request in milliseconds",
       {{"minimum", 1}, {"maximum", kLongestTimeout}}}};
  to_translate.insert(to_translate.end(), languages.begin(), languages.end());
  std::vector<RouteField> to_score{{"q", "string", true, "a line"}, {"t", "string", true, "its translation"}};
  to_score.insert(to_score.end(), languages.begin(), languages.end());
  router.add({"POST", "/v1/translate", "Translations with scores, tokens and alignments",
              [&](const auto& call) { translate_native(service, call); }, to_translate});
  router.add({"POST", "/v1/translate/stream", "The same, as server-sent events while it is translated",
              [&](const auto& call) { stream(service, call); }, to_translate, "text/event-stream"});
  router.add({"POST", "/v1/score", "How probable a given translation is",
              [&](const auto& call) { score(service, call); }, to_score});
  router.add_open({"GET", "/v1/models", "The models and their languages",
                   [&](const auto& call) { call->answer(json_response(models(*service.models()))); }});
  router.add_open(
      {"GET", "/v1/info", "Version, instruction set and threads", [&](const auto& call) {
         call->answer(json_response(OrderedJson{
             {"version", version()}, {"instruction_set", instruction_set()}, {"threads", service.threads()}}));
       }});
}

}  // namespace hexapla::serve
