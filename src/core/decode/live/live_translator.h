#pragma once
// Translates text that arrives while other text is being translated, as TextTranslator does for
// lists of lines. A request's result is bit-identical to that of TextTranslator::translate() for
// its lines and options.
#include <map>
#include <mutex>

#include "decode/live/live_loop.h"
#include "decode/text/postprocess.h"

namespace hexapla::decode {

struct TextWarning {
  size_t line;  // in the request, from 0
  std::string what;
  bool operator==(const TextWarning&) const = default;
};

struct TextResult {
  LiveEnd end;
  std::vector<std::vector<Translation>> lines = {};  // if finished, as from TextTranslator::translate()
  std::vector<TextWarning> warnings = {};            // as from TextTranslator::translate()
  std::exception_ptr error = {};                     // if failed
};

// Upper bounds for the translations of a request: n_best per non-blank line, and their tokens; tokens include </s>.
struct TextSize {
  size_t translations = 0, tokens = 0;
  // Per line, pairs of target and source tokens, if its translations have at most twice its tokens or min_length.
  std::vector<size_t> pairs = {};
};

// Callbacks come from the same threads as in LiveRequest; on_end also from submit() if all lines
// are blank. They should be short, and may call submit and cancel. Callbacks of the same request
// never overlap.
struct TextRequest {
  std::vector<std::string> lines;
  std::vector<LineConstraints> constraints = {};  // one per line, or none
  uint64_t client = 0;                            // for ClientTurns
  uint64_t first = 0;                             // number of the first line, which determines random samples
  TranslateOptions options = {};                  // except batches and memory, which are shared by all requests
  std::optional<LiveRequest::Clock::time_point> deadline = {};
  // Called once by submit(), before the translation; its exceptions propagate.
  std::function<void(const TextSize& at_most)> on_size = {};
  // Called with the current text of a line: the best hypothesis of every part in progress; text
  // hidden from the model is appended. Steps that complete during a call are reported together
  // afterwards. If it throws, the request fails.
  std::function<void(size_t line, const std::string& so_far)> on_step = {};
  // Called exactly once. Its exceptions are ignored.
  std::function<void(TextResult)> on_end;
};

class LiveTranslator {
 public:
  // Borrows models and vocabularies. Errors as in TextTranslator.
  LiveTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                 const LiveLimits& limits = {});
  ~LiveTranslator();  // cancels what is left; must not be served any more

  // Returns the request's name, for cancel(). UsageError and LineError as in
  // TextTranslator::translate(); UsageError if a sentence is beyond the limits; RunError if too
  // many sentences wait or it is closed. If it throws, on_end is not called. Each part of a line
  // counts as a waiting sentence.
  size_t submit(TextRequest request);
  // Returns whether it was still there.
  bool cancel(size_t name);
  // As LiveQueue::close().
  void close(bool finish = true) { queue_.close(finish); }
  size_t waiting() const { return queue_.waiting(); }  // sentences

  // As run_live_loop(): call it from one thread per loop; returns when closed and empty. cx: with
  // dtype() and arena_memory() bytes.
  void serve(Context& cx) { run_live_loop(cx, ensemble_, queue_); }
  DType dtype() const { return ensemble_.models.front()->target_embedding().table.value.dtype; }
  size_t arena_memory() const { return live_memory(ensemble_, queue_.limits(), dtype()); }
  // Bytes that each loop takes, including the arena.
  size_t loop_memory() const { return arena_memory() + live_memory_of_members(ensemble_, queue_.limits(), dtype()); }

 private:
  class Job;
  using JobPtr = std::shared_ptr<Job>;

  void check(const TextRequest& request) const;
  TextSize size_of(const Job& job) const;
  LiveRequest sentence_request(const JobPtr& job, size_t sentence);
  void begin(const JobPtr& job);
  void sentence_ended(const JobPtr& job, size_t sentence, const LiveResult& result);
  void give_up(const JobPtr& job, LiveEnd why, const std::exception_ptr& error);
  void tell(const JobPtr& job);
  void finish(const JobPtr& job, TextResult result);

  Ensemble ensemble_;
  TextSides sides_;
  std::mutex mutex_;
  std::map<size_t, JobPtr> jobs_;  // not yet answered
  size_t names_ = 0;
  LiveQueue queue_;
};

}  // namespace hexapla::decode
