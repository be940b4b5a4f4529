#pragma once
// Answers requests, whatever carries them: models, limits, routes.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/compute/parallel.h"
#include "document/document.h"
#include "serve/files/document_jobs.h"
#include "serve/files/file_shelf.h"
#include "serve/glossaries/glossary_shelf.h"
#include "serve/http/form.h"
#include "serve/http/router.h"
#include "serve/http/server.h"
#include "serve/models/served_models.h"
#include "serve/work/api_keys.h"
#include "serve/work/lines_job.h"
#include "serve/work/metrics.h"
#include "serve/work/request_memory.h"
#include "serve/work/translation_cache.h"
#include "serve/work/waiting_lines.h"

namespace hexapla::serve {

struct ServiceOptions {
  std::vector<ModelPlace> models;
  ModelOptions model;  // how they are loaded, and searched where a request does not say otherwise
  std::int64_t char_limit = -1, batch_limit = -1;  // characters of a text, texts of a request; -1: no limit
  std::int64_t alternatives_limit = 10;
  std::size_t waiting_lines = 10'000;  // on their way through the models
  std::size_t memory = 0;              // bytes that the server may use; 0: four fifths of usable_memory()
  std::size_t cache = 0;               // bytes of translations that are kept; 0: none
  std::size_t files = 64 << 20;        // bytes of translated files that wait to be fetched; 0: none are translated
  std::chrono::milliseconds timeout{120'000};  // of a translation
  std::string api_keys;                        // file; "": none is needed
  int requests_per_minute = 0;                 // of an address, where no key is needed; 0: any number
  std::string spec_title = "hexapla";
  std::string runs;  // folder of the trainings that are watched; "": none
  bool log_texts = false;
  std::function<void(const std::string& line)> log = {};  // a line of JSON for each request; from the server's thread
};

class Service {
 public:
  using Call = std::shared_ptr<Exchange>;

  // Loads the models. Errors as those of ServedModels and ApiKeys.
  explicit Service(ServiceOptions options);
  ~Service();  // cancels what is still on its way
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // For a Server.
  void answer(const Call& call);
  void answered(const Answered& what);
  // Loads the models again, in the background, and once more where it is called meanwhile; what goes wrong is logged,
  // and everything stays as it was.
  void reload();
  static Headers headers();  // of every answer: other sites may ask; what a browser may do with it
  void watch(const ServerState& state) { state_ = &state; }

  // For its routes.
  const ServiceOptions& options() const { return options_; }
  std::shared_ptr<const ModelSet> models() const { return models_.now(); }
  const Router& router() const { return router_; }
  // HttpError as ApiKeys::admit_key(). -> characters that a text of this request may have; -1: any number
  std::int64_t admit(const Parameters& parameters, const Request& request);
  // Begins to translate, and calls then() in a worker; what that throws becomes the answer, and so does what goes wrong
  // with the translation. Is canceled when the client leaves.
  void translate(const Call& call, LinesTask task, std::function<void(PendingTranslation::Lines)> then) {
    translate(call, std::move(task), std::move(then), [call](const Response& why) { call->answer(why); });
  }
  // The same, with another way to say what went wrong once it has begun.
  void translate(const Call& call, LinesTask task, std::function<void(PendingTranslation::Lines)> then,
                 std::function<void(const Response& why)> failed);
  // For all lines of these texts, with the server's options and the alignments that they need.
  LinesTask task_of(Hops hops, const document::Document& parts) const;
  // f(stop) in a thread for what takes long, of which few may wait: else 503. bytes: that it and its answer need. What
  // it throws becomes the answer. stop is true when the time of a translation is up, or the client has left.
  void compute(const Call& call, std::size_t bytes, std::function<void(const std::atomic<bool>& stop)> f);
  int threads() const { return threads_; }  // that a model computes with
  bool needs_key() const { return keys_.needed(); }
  std::string metrics() const;
  // The key that a request gives, needed or not; "" where it gives none.
  static std::string key_of(const Parameters& parameters, const Request& request);
  GlossaryShelf& glossaries() { return glossaries_; }
  FileShelf& files() { return files_; }
  const FileShelf& files() const { return files_; }
  DocumentJobs& documents() { return documents_; }
  bool has_room() const { return lines_.now() < options_.waiting_lines; }  // for more lines

 private:
  void add_routes();
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
  Router router_;
  const ServerState* state_ = nullptr;
  std::mutex mutex_;
  std::vector<std::weak_ptr<LinesJob>> jobs_;  // to be canceled at the end
  std::size_t jobs_begun_ = 0;
  bool closing_ = false;
  std::atomic<bool> reload_asked_ = false;
  Workers quick_, slow_, upkeep_{1};  // these go first
};

// The answer to a request that ended with this error.
Response response_of(const std::exception_ptr& error);
Response response_of(const HttpError& error);
Response json_response(const Json& value);
Response json_response(const nlohmann::ordered_json& value);

}  // namespace hexapla::serve
