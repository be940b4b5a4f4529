#pragma once
// The translation service without its transport: models, limits, routes.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/compute/parallel.h"
#include "documents/document.h"
#include "serve/files/document_jobs.h"
#include "serve/files/file_shelf.h"
#include "serve/glossaries/glossary_shelf.h"
#include "serve/http/form.h"
#include "serve/http/router.h"
#include "serve/http/server.h"
#include "serve/languages/served_models.h"
#include "serve/work/api_keys.h"
#include "serve/work/lines_job.h"
#include "serve/work/log_queue.h"
#include "serve/work/metrics.h"
#include "serve/work/request_memory.h"
#include "serve/work/translation_cache.h"
#include "serve/work/waiting_lines.h"
#include "serve/work/warnings.h"

namespace hexapla::serve {

struct ServiceOptions {
  std::vector<ModelPlace> models;
  ModelOptions model;                              // how to load them, and search defaults for requests
  std::int64_t char_limit = -1, batch_limit = -1;  // characters per text, texts per request; -1: no limit
  std::int64_t alternatives_limit = 10;
  std::size_t waiting_lines = 10'000;  // most lines in flight
  std::size_t memory = 0;              // budget in bytes; 0: four fifths of usable_memory()
  std::size_t cache = 0;               // bytes of cached translations; 0: no cache
  std::size_t files = 64 << 20;        // bytes of translated files kept for download; 0: files are not translated
  std::chrono::milliseconds timeout{120'000};  // per translation
  std::string api_keys;                        // path of the key file; "": no key needed
  int requests_per_minute = 0;                 // per address, if no key is needed; 0: no limit
  std::string spec_title = "hexapla";
  std::string runs;  // folder of training runs to watch; "": none
  bool log_texts = false;
  // Receives a line of JSON per request and per reload, on a thread of the log; may block.
  std::function<void(const std::string& line)> log = {};
};

class Service {
 public:
  using Call = std::shared_ptr<Exchange>;

  // Loads the models; add_routes() (serve/routes/routes.h) adds the routes. Throws the errors of
  // ServedModels and ApiKeys.
  explicit Service(ServiceOptions options);
  ~Service();  // cancels pending translations and waits for their end
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Called by Server. A request that is not answered within the timeout gets 504, and its work is canceled.
  void answer(const Call& call);
  bool at_once(const Request& request) const;  // whether its route is
  void answered(const Answered& what);
  // Reloads the models in the background; a call during a reload starts another one afterwards.
  // Errors are logged and leave everything unchanged.
  void reload();
  static Headers headers();  // of every answer: CORS for any site, browser policies
  void watch(const ServerState& state) { state_ = &state; }

  // Used by the routes.
  const ServiceOptions& options() const { return options_; }
  std::shared_ptr<const ModelSet> models() const { return models_.now(); }
  const Router& router() const { return router_; }
  Router& router() { return router_; }
  // Throws HttpError like ApiKeys::admit_key(). -> most characters per text of this request; -1: no
  // limit
  std::int64_t admit(const Parameters& parameters, const Request& request);
  // Starts a translation and calls then() on a worker. An error of the translation or of then()
  // becomes the answer. Canceled if the client disconnects.
  void translate(const Call& call, LinesTask task, std::function<void(PendingTranslation::Lines)> then) {
    translate(call, std::move(task), std::move(then), [call](const Response& why) { call->answer(why); });
  }
  // Errors after the start go to failed() instead.
  void translate(const Call& call, LinesTask task, std::function<void(PendingTranslation::Lines)> then,
                 std::function<void(const Response& why)> failed);
  // A task for all lines of these texts, with the alignments they need. `warnings` gets those about its lines.
  static LinesTask task_of(Hops hops, const std::shared_ptr<const text::document::Document>& parts,
                           std::shared_ptr<Warnings> warnings);
  // Runs f(stop) on a thread for slow work; 503 if its short queue is full. bytes: memory for f and
  // its answer. Exceptions become the answer. stop: call->is_gone(), which cancels this thread's work, too.
  void compute(const Call& call, std::size_t bytes, std::function<void(const std::atomic<bool>& stop)> f);
  // Counts a body of this size, with everything that is made of it, until the exchange is over. HttpError as
  // RequestMemory::take().
  void keep_body(Exchange& exchange, std::size_t bytes);
  int threads() const { return threads_; }  // compute threads per model
  bool needs_key() const { return keys_.needed(); }
  std::string metrics() const;
  // The key of a request, needed or not; "" if it has none. One in the header comes first, because it is checked before
  // the body is parsed.
  static std::string key_of(const Parameters& parameters, const Request& request);
  GlossaryShelf& glossaries() { return glossaries_; }
  FileShelf& files() { return files_; }
  const FileShelf& files() const { return files_; }
  DocumentJobs& documents() { return documents_; }
  bool has_room() const { return lines_.now() < options_.waiting_lines; }

 private:
  Response in_form_of(const Request& request, Response error) const;       // of the API of its route
  void answering(const Call& call, const std::function<void()>& f) const;  // answers what f() throws
  void log(const Answered& what);
  void count(const PendingTranslation::Lines& lines);
  void begin(const Call& call, LinesTask task, std::function<void(LinesResult)> ended);
  std::function<void(LinesResult)> leave_out_known(const Call& call, LinesTask& task,
                                                   std::function<void(LinesResult)> ended);

  const ServiceOptions options_;
  const int threads_ = hexapla::threads();
  ServedModels models_;
  RequestMemory memory_;
  ApiKeys keys_;
  WaitingLines lines_;
  TranslationCache cache_;
  FileShelf files_;
  DocumentJobs documents_;
  GlossaryShelf glossaries_{64 << 20};
  Metrics metrics_;
  LogQueue log_;
  Router router_;
  const ServerState* state_ = nullptr;
  std::mutex mutex_;
  std::vector<std::weak_ptr<LinesJob>> jobs_;  // canceled by the destructor
  std::size_t jobs_begun_ = 0;
  bool closing_ = false;
  std::atomic<bool> reload_asked_ = false;
  TaskPool quick_, slow_, upkeep_{1};  // last members: destroyed first
};

// The answer to a request that failed with this error.
Response response_of(const std::exception_ptr& error);
Response response_of(const HttpError& error);
Response json_response(const Json& value);
Response json_response(const nlohmann::ordered_json& value);

}  // namespace hexapla::serve
