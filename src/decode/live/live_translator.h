#pragma once
// Text that arrives while other text is translated: what TextTranslator is to lists of lines. What a request becomes is
// what TextTranslator::translate() makes of its lines with its options, to the bit, whatever comes beside it.
#include <map>
#include <mutex>

#include "decode/live/serve.h"
#include "decode/text/postprocess.h"

namespace hexapla::decode {

struct TextWarning {
  size_t line;  // of the request, from 0
  std::string what;
  bool operator==(const TextWarning&) const = default;
};

struct TextResult {
  LiveEnd end;
  std::vector<std::vector<Translation>> lines = {};  // of one that is finished, as TextTranslator::translate() has them
  std::vector<TextWarning> warnings = {};            // as it gives them
  std::exception_ptr error = {};                     // of one that has failed
};

// Upper bounds for the translations of a request: n_best for each line that is not blank, their tokens, and pairs of
// these with the tokens of their lines, </s> counted on both sides.
struct TextSize {
  size_t translations = 0, tokens = 0, pairs = 0;
};

// Callbacks come from the threads that LiveRequest names, and on_end from submit() too, where all lines are blank. They
// should be short, and may submit and cancel. Those of one request never run at the same time.
struct TextRequest {
  std::vector<std::string> lines;
  std::vector<LineConstraints> constraints = {};  // as many, or none
  uint64_t client = 0;                            // whose it is: ClientTurns
  uint64_t first = 0;                             // the number of the first line: it names what is drawn
  TranslateOptions options = {};                  // but batches and memory, which all requests have in common
  std::optional<LiveRequest::Clock::time_point> deadline = {};
  // Called once by submit(), before anything is translated; what it throws comes out.
  std::function<void(const TextSize& at_most)> on_size = {};
  // What a line reads as so far: its best hypothesis at this moment, of every part that has been begun; what the model
  // does not see comes at the end. Steps that follow each other while one is told of are told of together. Where it
  // throws, the request has failed.
  std::function<void(size_t line, const std::string& so_far)> on_step = {};
  // Exactly once. What it throws is lost.
  std::function<void(TextResult)> on_end;
};

class LiveTranslator {
 public:
  // Borrows models and vocabularies. Errors as those of TextTranslator.
  LiveTranslator(const Ensemble& ensemble, const text::Vocabulary& source, const text::Vocabulary& target,
                 const LiveLimits& limits = {});
  ~LiveTranslator();  // answers what is left, canceled; nothing may serve it any more

  // -> its name, for cancel(). UsageError and LineError as TextTranslator::translate(), and UsageError where a sentence
  // is beyond the limits; RunError: too many wait, or it is closed. on_end is not called where it throws. Each part of
  // a line counts as one that waits.
  size_t submit(TextRequest request);
  // Whether it was still there.
  bool cancel(size_t name);
  // As LiveQueue::close().
  void close(bool finish = true) { queue_.close(finish); }
  size_t waiting() const { return queue_.waiting(); }  // sentences

  // As decode::serve() does: from as many threads as there are to be loops, until it is closed and empty. cx: of
  // dtype(), with arena_memory() bytes.
  void serve(Context& cx) { decode::serve(cx, ensemble_, queue_); }
  DType dtype() const { return ensemble_.models.front()->target_embedding().table.value.dtype; }
  size_t arena_memory() const { return live_memory(ensemble_, queue_.limits(), dtype()); }
  // Bytes that each loop takes, the arena among them.
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
