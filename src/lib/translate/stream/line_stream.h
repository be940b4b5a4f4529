#pragma once
// The work of a TranslationStream; a translator gives it the function that translates.
#include <cstdint>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "decode/text/preprocess.h"
#include "hexapla/translator.h"
#include "lib/guard.h"

namespace hexapla::api {

// A line's constraints for decoding. line: from 1, for messages. UsageError: one is not UTF-8.
decode::LineConstraints constraints_of(const Constraints& asked, uint64_t line);

// Lines that are translated together by a call that reports its progress: enough for batches of similar lengths.
constexpr size_t kProgressStep = 256;

// Reads a portion of lines, translates it in steps, and gives the translations line by line.
class LineStream {
 public:
  static constexpr size_t kBytes = size_t{16} << 20;  // of a portion

  // Translates lines whose numbers are in the whole stream. decode::LineError: as TextTranslator.
  using Translate = std::function<PendingTranslation::Lines(const decode::Lines& lines, CallerFunctions& functions)>;

  // UsageError: source.read_ahead is out of range.
  LineStream(LineSource source, const TranslatorOptions& options, Translate translate);

  bool next(std::vector<Translation>& translations);
  size_t ready() const { return found_.size() - given_; }

 private:
  void go_on();                                     // reads, translates or ends
  void read();                                      // the next portion
  bool may_read(CallerFunctions& functions) const;  // one more line of it
  bool read_line(CallerFunctions& functions);
  void translate_step(CallerFunctions& functions);
  decode::Lines step() const;
  void fail_later(std::exception_ptr error, size_t lines);
  void end();

  const LineSource source_;
  const Translate translate_;
  const std::function<void(size_t lines)> on_progress_;
  const std::atomic<bool>* const stop_;
  const size_t step_;  // most lines that are translated together

  // A portion, and the number of lines before it.
  std::vector<std::string> text_;
  std::vector<decode::LineConstraints> asked_;
  size_t bytes_ = 0, translated_ = 0;
  uint64_t first_ = 0;

  PendingTranslation::Lines found_;  // of a step
  size_t given_ = 0;
  std::exception_ptr later_;  // thrown once the portion is given
  bool ended_ = false;        // nothing more is read
  bool working_ = false;
};

}  // namespace hexapla::api

namespace hexapla {

struct TranslationStream::Impl : api::LineStream {
  static constexpr const char* kind = "stream";
  using LineStream::LineStream;
};

}  // namespace hexapla
