#include "serve/service.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <new>

#include "base/error.h"
#include "base/nearest.h"
#include "base/system/cancellation.h"
#include "base/system/machine.h"
#include "serve/http/responses.h"
#include "serve/look/page.h"

namespace hexapla::serve {
namespace {

constexpr const char* kLate = "the request's time was up: ask for less, or start the server with a longer --timeout";
constexpr int kQuickThreads = 2, kSlowThreads = 1;
constexpr std::size_t kSlowTasks = 16;

// DeepL's clients read "message", and expect 403 without a key.
Response in_form_of_deepl(Response r) {
  const std::string why = parse_json(r.body, "an answer").value("error", "");
  r.body = json_text(Json{{"message", why}});
  if (r.status == 400 && why.find("API key") != std::string::npos) r.status = 403;
  return r;
}

// Requests get half of the memory that the models leave; computing gets the rest.
std::size_t memory_for_requests(const ServiceOptions& o) {
  constexpr std::size_t least = 32 << 20;
  const std::size_t kept = resident_memory() + o.cache + o.files,
                    all = o.memory > 0 ? o.memory : usable_memory() / 5 * 4;
  if (o.memory > 0 && all < kept + least)
    throw UsageError(cat("`memory` is ", all >> 20, " MiB, but models, `cache` and `files` take ", kept >> 20,
                         ", and requests need ", least >> 20, "; give at least ", ((kept + least) >> 20) + 1));
  return std::max(least, all - std::min(all, kept)) / 2;
}

// Names the options that make this answer large.
std::string answer_described(const LinesTask& task) {
  const TranslatorOptions o = task.hops.back()->translator.complete(task.options);
  std::string what =
      cat("the answer (", task.lines.size(), " lines, n_best ", *o.n_best, ", extra_length ", *o.extra_length);
  if (o.min_length > 0) what += cat(", min_length ", *o.min_length);
  if (!o.alignment.empty()) what += cat(", alignment ", o.alignment);
  return what + ")";
}
constexpr const char* kSmallerAnswer = "ask for fewer lines, a lower n_best, shorter translations or no alignment";

// Masks every member that may be a key. parameters_of() logs nothing of an unreadable body, which
// may contain one, too.
void leave_out_keys(Json& value) {
  for (auto& [name, member] : value.items()) {
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); });
    if (value.is_object() && lower.find("key") != std::string::npos)
      member = "***";
    else if (member.is_structured())
      leave_out_keys(member);
  }
}
Json parameters_of(const Request& request) {
  constexpr std::size_t enough = 4096;
  try {
    Json all = Parameters(request).all();
    leave_out_keys(all);
    std::string text = json_text(all);
    return text.size() <= enough ? all : Json(text.substr(0, enough));
  } catch (const std::exception&) {
    return {};
  }
}

// Rejects unknown parameters. Only for /v1: clients of LibreTranslate and DeepL may send more than
// these routes know.
void check_names(const Parameters& parameters, const Route& route) {
  std::vector<std::string> names{"api_key", "auth_key"};
  for (const RouteField& field : route.fields) names.push_back(field.name);
  const Json& all = parameters.all();
  for (const auto& [name, value] : all.items()) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest(names, name);
    throw HttpError(400, cat(route.path, " has no '", name, "'",
                             near.empty() ? "; leave it out" : "; did you mean '" + near + "'?"));
  }
}

}  // namespace

Response json_response(const Json& value) { return {200, json_text(value)}; }
Response json_response(const nlohmann::ordered_json& value) { return {200, json_text(value)}; }

Response response_of(const HttpError& e) { return error_response(e.status, e.what(), e.headers); }

Response response_of(const std::exception_ptr& error) {
  const Headers later{{"Retry-After", "1"}};
  try {
    std::rethrow_exception(error);
  } catch (const HttpError& e) {
    return response_of(e);
  } catch (const Canceled&) {
    return error_response(504, kLate);
  } catch (const OutOfMemory&) {
    return error_response(503, "the server is short of memory; try again in a while", later);
  } catch (const RunError& e) {
    return error_response(503, e.what(), later);
  } catch (const UserError& e) {
    return error_response(400, e.what());
  } catch (const std::bad_alloc&) {
    return error_response(503, "the server is short of memory; try again in a while", later);
  } catch (const std::exception&) {
    return error_response(500, "the server cannot answer this request");
  }
}

Service::Service(ServiceOptions options)
    : options_(std::move(options)),
      models_(options_.models, options_.model),
      memory_(memory_for_requests(options_)),
      keys_(options_.api_keys, options_.requests_per_minute),
      lines_(options_.waiting_lines),
      cache_(options_.cache),
      files_(options_.files),
      log_(options_.log),
      quick_(kQuickThreads),
      slow_(kSlowThreads, kSlowTasks) {
  if (!options_.runs.empty() && !std::filesystem::is_directory(options_.runs))
    throw UsageError(cat("`runs` ", options_.runs, " is no folder; give the one that has the folders of trainings"));
}

Service::~Service() {
  std::vector<std::weak_ptr<LinesJob>> jobs;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    jobs.swap(jobs_);
  }
  for (const auto& weak : jobs)
    if (const auto job = weak.lock()) job->cancel();
  lines_.wait_until_empty();
}

bool Service::at_once(const Request& request) const {
  try {
    return router_.find(request).at_once;
  } catch (const HttpError&) {
    return false;
  }
}

Headers Service::headers() {
  return {{"Access-Control-Allow-Origin", "*"},
          {"Access-Control-Allow-Headers", "Authorization, Content-Type, Content-Encoding"},
          {"Access-Control-Expose-Headers", "Authorization"},
          {"Access-Control-Allow-Methods", "GET, POST, DELETE"},
          {"Access-Control-Allow-Credentials", "true"},
          {"Access-Control-Max-Age", "1728000"},
          {"Content-Security-Policy", kPagePolicy},
          {"X-Content-Type-Options", "nosniff"},
          {"Referrer-Policy", "no-referrer"}};
}

Response Service::in_form_of(const Request& request, Response error) const {
  return router_.label(request).starts_with("/v2/") ? in_form_of_deepl(std::move(error)) : error;
}

// Work for a call that nobody waits for any longer is not begun, and canceled if it was.
void Service::answering(const Call& call, const std::function<void()>& f) const {
  const CancelScope scope(&call->is_gone());
  try {
    check_canceled();
    f();
  } catch (...) {
    call->answer(in_form_of(call->request(), response_of(std::current_exception())));
  }
}

void Service::answer(const Call& call) {
  answering(call, [&] {
    const Request& request = call->request();
    if (request.method == "OPTIONS") {
      const std::string path = path_of(request.target),
                        allowed = path == "*" ? "GET, HEAD, POST, DELETE, OPTIONS" : router_.methods(path);
      if (allowed.empty()) throw HttpError(404, "Not found: " + path);
      return call->answer({204, "", "", {{"Allow", allowed}, {"Access-Control-Allow-Methods", allowed}}});
    }
    const Route& route = router_.find(request);
    // Checked before parameters are parsed, so that those who ask too often or have no key delay nobody else.
    if (!route.open) {
      auto refused = keys_.refusal_of_address(request.peer);
      if (!refused) refused = keys_.refusal_of_key(key_in_header(request), request.peer);
      if (refused) return call->answer(in_form_of(request, response_of(*refused)));
    }
    if (route.at_once) return route.answer(call);
    keep_body(*call, request.body.size());
    call->answer_at(std::chrono::steady_clock::now() + options_.timeout,
                    in_form_of(request, error_response(504, kLate)));
    quick_.post([this, call, &route] {
      answering(call, [&] {
        if (const auto bytes = unpacked_size(call->request())) keep_body(*call, *bytes);
        route.answer(call);
      });
    });
  });
}

void Service::keep_body(Exchange& exchange, std::size_t bytes) {
  exchange.keep(memory_.take(cost_of_body(bytes), cat("a body of ", bytes, " bytes"), "send less at a time"));
}

std::string Service::key_of(const Parameters& parameters, const Request& request) {
  std::string key = key_in_header(request);
  if (key.empty()) key = parameters.text_or("api_key", parameters.text_or("auth_key", ""));
  const std::string_view authorization = request.header("authorization");
  if (const std::size_t blank = authorization.rfind(' '); key.empty() && blank != std::string_view::npos)
    key = authorization.substr(blank + 1);  // another scheme, which may also be meant for a proxy
  return key;
}

std::int64_t Service::admit(const Parameters& parameters, const Request& request) {
  const Json& given = parameters["api_key"];
  if (parameters.is_json() && !given.is_null() && !given.is_string()) throw HttpError(400, "api_key must be a string");
  const auto characters = keys_.admit_key(key_of(parameters, request), request.peer);
  if (const Route& route = router_.find(request); route.method == "POST" && route.path.starts_with("/v1/"))
    check_names(parameters, route);
  return characters ? static_cast<std::int64_t>(*characters) : options_.char_limit;
}

LinesTask Service::task_of(Hops hops, const std::shared_ptr<const text::document::Document>& parts,
                           std::shared_ptr<Warnings> warnings) {
  LinesTask task;
  task.hops = std::move(hops);
  task.lines = parts->lines();
  task.aligned = parts->aligned();
  collect_warnings(task, std::move(warnings), parts);
  if (std::find(task.aligned.begin(), task.aligned.end(), true) != task.aligned.end()) task.options.alignment = "words";
  return task;
}

void Service::translate(const Call& call, LinesTask task, std::function<void(PendingTranslation::Lines)> then,
                        std::function<void(const Response& why)> failed) {
  std::function<void(LinesResult)> ended = [this, call, late = task.late, then = std::move(then),
                                            failed = std::move(failed)](LinesResult result) {
    const CancelScope scope(&call->is_gone());
    try {
      if (result.error) std::rethrow_exception(result.error);
      count(result.lines);
      then(std::move(result.lines));
    } catch (const Canceled&) {
      failed(in_form_of(call->request(), error_response(504, late.empty() ? kLate : late)));
    } catch (...) {
      failed(in_form_of(call->request(), response_of(std::current_exception())));
    }
  };
  if (cache_.on()) ended = leave_out_known(call, task, std::move(ended));
  if (task.lines.empty()) return ended({});
  begin(call, std::move(task), std::move(ended));
}

void Service::begin(const Call& call, LinesTask task, std::function<void(LinesResult)> ended) {
  {
    const std::lock_guard lock(mutex_);
    if (closing_) throw HttpError(503, "the server is shutting down", {{"Retry-After", "1"}});
    task.place = lines_.enter(task.lines.size() * task.hops.size());
  }
  if (task.timeout.count() == 0) task.timeout = options_.timeout;
  task.client = std::hash<std::string>{}(call->request().peer);
  call->keep(memory_.take(cost_of_parts(task), cat("the parts of ", task.lines.size(), " lines with their constraints"),
                          "give shorter lines, fewer constraints or a larger max_length"));
  // `this` outlives the job, which has its place in lines_; answer_described() reads the task
  // before it is moved.
  task.on_size = [this, call, what = answer_described(task)](const RequestSize& most) {
    call->keep(memory_.take(cost_of_answer(most), what, kSmallerAnswer));
  };
  const auto job = LinesJob::begin(quick_, std::move(task), std::move(ended));
  call->on_gone([weak = std::weak_ptr(job)] {
    if (const auto there = weak.lock()) there->cancel();
  });
  const std::lock_guard lock(mutex_);
  if (++jobs_begun_ % 1024 == 0) std::erase_if(jobs_, [](const auto& weak) { return weak.expired(); });
  jobs_.push_back(job);
}

// Removes lines with cached translations from the task. -> a wrapper of `ended` that puts the
// translations back
std::function<void(LinesResult)> Service::leave_out_known(const Call& call, LinesTask& task,
                                                          std::function<void(LinesResult)> ended) {
  std::vector<std::uint64_t> numbers;
  for (const auto& model : task.hops) numbers.push_back(model->number);
  const auto context = TranslationCache::context_of(numbers, task.options);
  if (!context || !task.constraints.empty()) return ended;
  struct Known {
    PendingTranslation::Lines lines;
    std::vector<std::size_t> places;  // of uncached lines among all lines
    std::vector<std::string> asked;   // the uncached lines
    std::vector<bool> aligned;        // per uncached line
    std::vector<std::size_t> warned;  // uncached lines with warnings: not cached, so that the warnings come again
  };
  auto known = std::make_shared<Known>();
  std::size_t bytes = 0;
  for (const std::string& line : task.lines) {
    auto found = cache_.find(*context, line);
    bytes += found ? TranslationCache::bytes_of(*found) : 0;
    if (cost_of_known(bytes) > memory_.most_of_one()) break;
    if (!found && !task.aligned.empty()) known->aligned.push_back(task.aligned[known->lines.size()]);
    if (!found) known->places.push_back(known->lines.size()), known->asked.push_back(line);
    known->lines.push_back(found ? std::move(*found) : std::vector<Translation>());
  }
  call->keep(memory_.take(cost_of_known(bytes), answer_described(task), kSmallerAnswer));
  task.lines = known->asked;
  task.aligned = known->aligned;
  task.options.warn = [known, warn = task.options.warn](std::size_t line, const std::string& what) {
    known->warned.push_back(line - 1);
    if (warn) warn(known->places[line - 1] + 1, what);
  };
  if (task.on_progress)
    task.on_progress = [known, on_progress = task.on_progress](std::size_t line, const std::string& so_far) {
      on_progress(known->places[line - 1] + 1, so_far);
    };
  return [this, known, context = *context, ended = std::move(ended)](LinesResult result) {
    for (std::size_t i = 0; i < result.lines.size(); ++i) {
      const bool silent = std::find(known->warned.begin(), known->warned.end(), i) == known->warned.end();
      if (silent) cache_.keep(context, known->asked[i], result.lines[i]);
      known->lines[known->places[i]] = std::move(result.lines[i]);
    }
    if (!result.error) result.lines = std::move(known->lines);
    ended(std::move(result));
  };
}

void Service::count(const PendingTranslation::Lines& lines) {
  std::uint64_t tokens = 0;
  for (const auto& line : lines)
    if (!line.empty()) tokens += line.front().tokens.size();
  metrics_.translated(lines.size(), tokens);
}

void Service::compute(const Call& call, std::size_t bytes, std::function<void(const std::atomic<bool>& stop)> f) {
  call->keep(memory_.take(bytes, "the answer", "ask for fewer tensors or a smaller beam"));
  const std::uint64_t number =
      slow_.post([this, call, f = std::move(f)] { answering(call, [&] { f(call->is_gone()); }); });
  if (number == 0) throw HttpError(503, "the server is busy; try again in a while", {{"Retry-After", "2"}});
  call->on_gone([this, number] { slow_.withdraw(number); });
}

void Service::reload() {
  if (reload_asked_.exchange(true)) return;
  upkeep_.post([this] {
    reload_asked_ = false;
    std::string said = "the models were loaded again";
    try {
      models_.reload();
    } catch (const std::exception& e) {
      said = cat("the models stay as they were: ", e.what());
    }
    log_.add(json_text(Json{{"event", "reload"}, {"message", said}}));
  });
}

void Service::answered(const Answered& what) {
  metrics_.answered(router_.label(*what.request), what.status, what.seconds);
  if (log_.on()) log(what);
}

void Service::log(const Answered& what) {
  const Request& r = *what.request;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  nlohmann::ordered_json line{{"time", std::chrono::duration<double>(now).count()},
                              {"peer", r.peer},
                              {"method", r.method},
                              {"path", r.target.substr(0, r.target.find('?'))},
                              {"status", what.status},
                              {"request_bytes", r.body.size()},
                              {"response_bytes", what.bytes},
                              {"ms", static_cast<double>(std::int64_t(what.seconds * 1e6)) / 1e3}};
  const bool too_long = r.body.size() > LogQueue::kMostBytes / 2;
  if (options_.log_texts && too_long) line["parameters"] = cat(r.body.size(), " bytes");
  if (!options_.log_texts || too_long) return log_.add(json_text(line));
  log_.add(r.target.size() + r.body.size(), [line = std::move(line), request = what.request]() mutable {
    line["parameters"] = parameters_of(*request);
    return json_text(line);
  });
}

std::string Service::metrics() const {
  std::vector<Metrics::Value> counters{
      {"hexapla_cache_hits_total", "Lines whose translations were found in the cache.", cache_.hits()},
      {"hexapla_cache_misses_total", "Lines that were not found in the cache.", cache_.misses()},
      {"hexapla_log_lines_dropped_total", "Lines that the log was too slow for.", log_.dropped()}};
  std::vector<Metrics::Value> gauges{
      {"hexapla_waiting_lines", "Lines on their way through the models.", lines_.now()},
      {"hexapla_queue_length", "Requests that wait for a thread.", quick_.waiting() + slow_.waiting()},
      {"hexapla_request_memory_bytes", "Bytes reserved for requests and their answers.", memory_.taken()},
      {"hexapla_cache_bytes", "Bytes of cached translations.", cache_.bytes()},
      {"hexapla_files_bytes", "Bytes of translated files kept for download.", files_.bytes()},
      {"hexapla_glossaries_bytes", "Bytes of glossaries that clients have stored.", glossaries_.bytes()},
      {"hexapla_documents", "Documents that are being translated.", documents_.in_progress()},
      {"hexapla_models", "Models that are loaded.", models()->models().size()},
      {"process_resident_memory_bytes", "Resident memory of the server in bytes.", resident_memory()}};
  if (state_ != nullptr) {
    gauges.push_back({"hexapla_requests_in_flight", "Requests that wait for their answers.", state_->requests});
    gauges.push_back({"hexapla_connections", "Open connections.", state_->connections});
    counters.push_back({"hexapla_connections_refused_total", "Connections that were refused.", state_->refused});
  }
  return metrics_.text(counters, gauges);
}

}  // namespace hexapla::serve
