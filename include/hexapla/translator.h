#pragma once
// Translates and scores text with one trained model or an ensemble.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/export.h"
#include "hexapla/glossary.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"
#include "hexapla/search_trace.h"
#include "hexapla/stream.h"
#include "hexapla/translation.h"

namespace hexapla {

// The same as the options of `hexapla translate`; see docs/guide/translating.md for details. An
// option that is not given has the value recorded in the model's file (`hexapla import` records the
// original system's: beam_size, length_penalty, ..), or else the default below; a given value always
// takes precedence, even if it equals the default. UsageError: out of range, or given although it has no
// effect with the other options (temperature without sample) or in a call (n_best in translate()).
struct TranslatorOptions {
  std::optional<int> beam_size;  // 4: hypotheses kept at every step; 1 is greedy decoding; at most 1,000
  std::optional<int> n_best;     // 1: translations per line in translate_n_best(), at most beam_size
  std::optional<bool> distinct;  // false; true: those of equal text are one, and its probability is their sum
  // "off"; "chrf" or "bleu": minimum Bayes risk, the translation that is most like all that the beam has finished, or
  // that are sampled. Equal texts are one; the order is no longer that of `normalized`.
  std::optional<std::string> mbr;
  std::optional<int> candidates;         // 32: samples per line that `mbr` compares, at most 1,000
  std::optional<double> length_penalty;  // 0.6: the exponent alpha below, -100 to 100; 0: scores are not normalized
  // "paper": score / ((5 + length) / 6)^alpha, or "power": score / length^alpha.
  std::optional<std::string> length_normalization;
  std::optional<int> extra_length;     // 50: most tokens beyond the number of source tokens, up to 1,000,000
  std::optional<int> max_length;       // 512: tokens at a time, from 2; longer lines are split, in score() truncated
  std::optional<int> batch_sentences;  // 64: lines translated at the same time, 1 to 1,000,000
  std::optional<int> batch_tokens;     // 4096: their tokens, 1 to 16,777,216; working memory grows with both
  std::optional<double> word_penalty;  // 0: subtracted from the score for each token, before normalization, -1e6 to 1e6
  std::optional<double> coverage_penalty;  // 0: for source tokens left untranslated, up to 1e6
  std::optional<int> longest;              // 0, no limit: maximum length in tokens, up to 1,000,000
  std::optional<double> longest_ratio;  // 0, no limit: maximum length as a multiple of the source's tokens, up to 1e6
  std::optional<int> min_length;        // 0: minimum length in tokens, up to 1,000,000
  // 1, off: the log-probability of a token that the translation already has is multiplied by this, above 0 to 100
  std::optional<double> repetition_penalty;
  std::optional<int> no_repeat_ngram;  // 0, off: never repeat a sequence of this many tokens, up to 1,000,000
  std::optional<int> max_repetition;   // 0, off: most times in a row that letters or words may be repeated
  std::optional<std::string> unk;      // "keep" unknown tokens, "forbid" them, or "copy" the source word
  // "full": a line is done when beam_size translations are finished; "outscored": only when the
  // best unfinished one, normalized by its length so far, scores no higher than the worst of these;
  // "never": only when it cannot become better at any length; "shrinking": a finished translation
  // leaves its place in the beam empty.
  std::optional<std::string> stop_when;
  // "auto": split lines with several sentences, unless the model was trained on such lines;
  // "split": always; "keep": never
  std::optional<std::string> sentences;
  std::optional<std::string> long_input;  // "split" lines longer than max_length, "refuse" or "truncate" them
  // "auto": hide placeholders, tags, addresses, @names, #tags, emoji, `code`, and text that the
  // vocabulary cannot spell from the model, and put them next to the translations of their
  // neighbors; "none": translate them like other text
  std::optional<std::string> protect;
  std::optional<std::vector<std::string>> protect_pattern;  // further regular expressions (RE2) of protected text
  // "auto": translate a line in capitals as a sentence and put its translation into capitals, except
  // protected and required text and glossary terms; "keep": translate it as it is written
  std::optional<std::string> letter_case;
  std::optional<bool> sample;         // false; true: sample n_best translations (up to 1,000) instead of searching
  std::optional<double> temperature;  // 1; above: flatter distribution, between 0 and 1: sharper
  std::optional<int> top_k;           // 0, all: sample from this many most probable tokens, up to 4,194,304
  std::optional<double> top_p;        // 1, all: sample from the fewest tokens whose probabilities sum to at least this
  std::optional<std::uint64_t> seed;  // 1: random seed; a line's samples depend on it and on the line's index
  // Units of the word alignments that translate_n_best() and submit() give: "words" (in scripts without spaces,
  // characters), "blanks" (whitespace-separated words) or "pieces" (tokens); "": none.
  std::string alignment;
  // Required translations of terms, in addition to the constraints of the lines. Needs beam search.
  Glossary glossary;
  // Phrases that every translation must, and must not, contain, besides those that the constraints of its line name.
  std::vector<std::string> require, forbid;
  // Called for every line (in score() also every translation) that was split, truncated at
  // max_length, or not UTF-8, with its number in the input, from 1 as in messages, and what was done.
  std::function<void(std::size_t line, const std::string& what)> warn;
  // Set to true to end the call with Canceled, before the next step of decoding or batch of
  // scoring; a request of submit() also when its turn comes. May be null; must exist until the call
  // or request has ended.
  const std::atomic<bool>* stop = nullptr;
  // Called by the calling thread with the number of lines that are translated so far, after every
  // few hundred lines; of a document, lines of its text. An exception ends the call. Not for score()
  // and align(); for submit() there is RequestOptions::on_progress.
  std::function<void(std::size_t lines)> on_progress;

  // Converts options given by name; others are unset. UsageError: unknown option, invalid value, or
  // an option without effect.
  HEXAPLA_API static TranslatorOptions from(const Options& options);
  // The inverse: the options that are set.
  HEXAPLA_API Options named() const;
};

struct ScoreResult {
  double score = 0;                  // log-probability of the translation, including the end of the sentence
  double normalized = 0;             // as in Translation, with the usual penalties of the model
  std::vector<std::string> tokens;   // of the translation
  std::vector<double> token_scores;  // log-probability of each of them, and of the end of the sentence
  std::vector<std::string> words;    // of the translation; in scripts without spaces, characters
  std::vector<double> word_scores;   // the sum over the tokens of each of them, and of the end of the sentence; 0 for
                                     // words that were cut off
  std::size_t words_read = 0;        // those that were not cut off, and the end of the sentence
};

// How to load models, and how several of them translate together.
struct ModelOptions {
  // Precision of products with weights: "f32" (the default), "bf16" or "int8". UsageError: a
  // quantized model with anything but int8, since it is computed from its integers.
  std::optional<std::string> precision;
  std::string ensemble = "linear";  // "linear": mean of probabilities; or "log-linear"
  std::vector<double> weights;      // one per model; empty: equal
  // Languages of a multilingual model by its own names ("de", "deu_Latn"); "": as it was imported.
  // UsageError: the model selects no language, or does not have this one.
  std::string source_language, target_language;
  int threads = 0;  // used by each call, and by all submit() requests together; 0: as set by set_threads()
  // The attention that gives word alignments, and that `unk` "copy" and `coverage_penalty` use: that of a layer of the
  // first model's decoder, from 0, and of one of its heads, from 0, or "mean" of all. "": the head guided in training,
  // or else the mean of the last layer but one. UsageError: the model has no such layer or head.
  std::string alignment_layer, alignment_head;
  // A file, of `hexapla shortlist` or of Marian (lex.s2t.bin), with the pieces that the translation of each source
  // piece may have: the output layer is computed for these alone. "": for all. Not for submit(), prefixes, required
  // phrases and glossaries. UsageError: several models, or a target_language. DataError: the file is for other
  // vocabularies.
  std::string shortlist;
  Options search;  // defaults for calls, taking precedence over what the model's file records
  // Where to compute: "cpu", or a GPU: "opencl" (the first) or "opencl:N", in f32 (docs/gpu.md). UsageError with the
  // reason: it is missing or unsuitable, or `precision` is another.
  std::string device = "cpu";
};

// Upper bounds for the translations of a request: their number, tokens, and, if requested, cells of alignments. Those
// are first counted for translations of at most twice the tokens of their lines; a second bound has the rest alone.
struct RequestSize {
  std::size_t translations = 0, tokens = 0, alignment_cells = 0;
};

// The parts of a document to translate besides its text.
struct DocumentOptions {
  bool attributes = false;  // alt, title, placeholder and the description of an HTML page
};

// The request's own time limit was reached (RequestOptions::timeout).
class HEXAPLA_API TimedOut : public Canceled {
 public:
  using Canceled::Canceled;
};

// A request in progress. Copies, and the target of a move, refer to the same request; destroying
// them does not cancel it.
class PendingTranslation {
 public:
  using Lines = std::vector<std::vector<Translation>>;

  PendingTranslation(const PendingTranslation&) = default;
  PendingTranslation& operator=(const PendingTranslation&) = default;

  // Waits for the result: the translations of each line, best first. May be called again. Canceled:
  // by cancel() or TranslatorOptions::stop; TimedOut: by timeout. UsageError: called inside of a callback of the same
  // translator, whose thread would wait for itself.
  HEXAPLA_API Lines get() const;
  HEXAPLA_API bool ready() const;
  // Returns whether it is ready; milliseconds::max(): no time limit. UsageError: negative time; or
  // as in get().
  HEXAPLA_API bool wait_for(std::chrono::milliseconds time) const;
  HEXAPLA_API void cancel() const;

 private:
  friend class Translator;
  struct State;
  explicit PendingTranslation(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// A function that is called with a request that has ended, or without an argument.
class EndFunction : public std::function<void(const PendingTranslation& ended)> {
  using Base = std::function<void(const PendingTranslation& ended)>;
  template <class F>
  static constexpr bool takes_it = std::is_invocable_v<F&, const PendingTranslation&>;

 public:
  EndFunction() = default;
  template <class F, std::enable_if_t<takes_it<F> && !std::is_same_v<F, EndFunction>, int> = 0>
  EndFunction(F f) : Base(std::move(f)) {}
  template <class F, std::enable_if_t<!takes_it<F> && std::is_constructible_v<std::function<void()>, F>, int> = 0>
  EndFunction(F f) {
    if (std::function<void()> call{std::move(f)})
      Base::operator=([call = std::move(call)](const PendingTranslation&) { call(); });
  }
};

// Options of a request besides those of its search.
struct RequestOptions {
  std::vector<Constraints> constraints;  // one per line, or none
  std::vector<bool> aligned;             // whether to align each line; empty: all, if `alignment` is set
  std::chrono::milliseconds timeout{0};  // from now on; 0 and milliseconds::max(): none. UsageError: below 0
  // Any number that identifies a client. Clients take turns, and while several are active, none has
  // more than 2 lines per loop in progress, so that a client with one line does not wait for the
  // long steps of one with thousands.
  std::uint64_t client = 0;
  // Called by submit(), before the translation, and again before larger alignments; its exceptions end the request.
  std::function<void(const RequestSize& at_most)> on_size;
  // Called between steps with the number of a line, from 1, and its current text, without protected
  // text, from the translator's own thread. An exception ends the request and is rethrown by get().
  std::function<void(std::size_t line, const std::string& so_far)> on_progress;
  // Called once if submit() succeeds, with the ended request, whose get() gives the result or the error there without
  // waiting. It runs on the translator's own thread, perhaps before submit() returns, or, if all lines are blank,
  // within submit(). In other threads get() waits until it has returned, and throws what it threw.
  EndFunction on_end;
};

// A trained model with its vocabularies. The const functions are thread-safe; at most as many
// blocking calls run at the same time as there are processors. A translation depends on its line,
// the model, the search options and the processor's instruction set (limited by the environment
// variable HEXAPLA_ISA), not on other lines or threads. Vectors of lines are held in memory with
// their results, so pass long files to stream(). All functions throw UsageError, RunError and
// OutOfMemory.
class Translator {
 public:
  // A model file, or the folder of a training. The file is read once and may be replaced,
  // overwritten or removed later. DataError naming the file: missing, or not a complete and
  // undamaged hexapla model.
  HEXAPLA_API explicit Translator(const std::string& model_path, const ModelOptions& options = {});
  // An ensemble of models with the same vocabularies.
  HEXAPLA_API explicit Translator(const std::vector<std::string>& model_paths, const ModelOptions& options = {});
  explicit Translator(std::initializer_list<const char*> model_paths, const ModelOptions& options = {})
      : Translator(std::vector<std::string>(model_paths.begin(), model_paths.end()), options) {}
  // Cancels requests in progress. May be called in a callback of one of them: the translator is
  // then destroyed by a thread of its own when the callback has returned.
  HEXAPLA_API ~Translator();
  HEXAPLA_API Translator(Translator&&) noexcept;
  HEXAPLA_API Translator& operator=(Translator&&) noexcept;

  // All options with their values in a search of this translator: given, recorded in the model's
  // file, or default.
  HEXAPLA_API TranslatorOptions complete(const TranslatorOptions& options = {}) const;

  // A blank line gives an empty text. A translation is one line of UTF-8 without control
  // characters, for any input.
  HEXAPLA_API std::string translate(const std::string& line, const TranslatorOptions& options = {}) const;
  // The best translation of each line. constraints: one per line, or none. UsageError also for
  // n_best above 1 and alignment, which are for translate_n_best().
  HEXAPLA_API std::vector<std::string> translate(const std::vector<std::string>& lines,
                                                 const TranslatorOptions& options = {},
                                                 const std::vector<Constraints>& constraints = {}) const;
  std::vector<std::string> translate(std::initializer_list<const char*> lines, const TranslatorOptions& options = {},
                                     const std::vector<Constraints>& constraints = {}) const {
    return translate(std::vector<std::string>(lines.begin(), lines.end()), options, constraints);
  }
  // For each line, one to n_best translations, best first.
  HEXAPLA_API std::vector<std::vector<Translation>> translate_n_best(
      const std::vector<std::string>& lines, const TranslatorOptions& options = {},
      const std::vector<Constraints>& constraints = {}) const;

  // Translates the lines of a source while the caller takes them: for each, what translate_n_best() gives for all
  // lines at once, byte for byte. Reads nothing before the first line is taken. A stream borrows the translator, which
  // may be moved, and a range given as an lvalue; with options.stop it ends with Canceled. UsageError: as
  // translate_n_best().
  HEXAPLA_API TranslationStream stream(LineSource lines, const TranslatorOptions& options = {}) const&;
  HEXAPLA_API TranslationStream stream(LineSource lines, const TranslatorOptions& options = {}) const&& = delete;

  // Translates the text of a whole document. Everything else keeps its bytes, and markup within a
  // sentence moves with its words. name: its ending gives the format, one of document_formats().
  // Line numbers passed to options.warn count the document's text, from 1. UsageError also for
  // another ending, and for attributes of a format that has none. DataError: the content does not
  // have this format.
  HEXAPLA_API std::string translate_document(const std::string& content, const std::string& name,
                                             const TranslatorOptions& options = {},
                                             const DocumentOptions& parts = {}) const;

  // UsageError naming the first term of which the model's vocabulary can write no form: translations
  // would leave it out.
  HEXAPLA_API void check(const Glossary& glossary) const;

  // The tokens of a line as the encoder reads them, without </s>: pieces of the source vocabulary.
  // UsageError: the line chooses the language of the translation, which the source's tokens cannot
  // express.
  HEXAPLA_API std::vector<std::string> tokens(const std::string& line) const;
  // As translate_n_best(), for sentences given as such tokens: tokens(line) has the same
  // translations as the line if nothing is protected. UsageError: a piece that the vocabulary does
  // not have; options.alignment, options.unk "copy", options.protect "auto" or patterns, which
  // refer to words of a line. DataError: a sentence of more than options.max_length tokens.
  HEXAPLA_API std::vector<std::vector<Translation>> translate_tokens(
      const std::vector<std::vector<std::string>>& sentences, const TranslatorOptions& options = {},
      const std::vector<Constraints>& constraints = {}) const;

  // Begins to translate and returns at once. Requests of several threads are translated together;
  // results are byte-identical to those of translate_n_best(). Uses the threads of the creator of
  // the translator (ModelOptions::threads, set_threads()). UsageError also for batch_sentences and
  // batch_tokens, which do not apply to requests. RunError: too many requests wait. OutOfMemory:
  // less is translated together if there is not enough memory, but the request does not fit even alone.
  HEXAPLA_API PendingTranslation submit(const std::vector<std::string>& lines, const TranslatorOptions& options = {},
                                        const RequestOptions& request = {}) const;

  // The log-probability of translations[i] given lines[i], including the end of the sentence. Pairs
  // are not split: of a line or translation of more than max_length tokens, including the end of
  // the sentence, only the first max_length are scored, and options.warn is called. UsageError:
  // different numbers of lines and translations, or a search option.
  HEXAPLA_API std::vector<double> score(const std::vector<std::string>& lines,
                                        const std::vector<std::string>& translations,
                                        const TranslatorOptions& options = {}) const;
  // The same, with the scores of the tokens.
  HEXAPLA_API std::vector<ScoreResult> score_tokens(const std::vector<std::string>& lines,
                                                    const std::vector<std::string>& translations,
                                                    const TranslatorOptions& options = {}) const;
  // The beam search for the translation of one line, step by step. UsageError: several models, a shortlist, or options
  // of another kind of search, as for Inspector::trace(); an empty line, or one of more than 512 tokens.
  HEXAPLA_API SearchTrace trace(const std::string& line, const TranslatorOptions& options = {}) const;
  // Word alignments of given pairs; units as in TranslatorOptions::alignment.
  HEXAPLA_API std::vector<Alignment> align(const std::vector<std::string>& lines,
                                           const std::vector<std::string>& translations,
                                           const TranslatorOptions& options = {},
                                           const std::string& units = "words") const;

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

// The file name endings of supported documents: ".html", ".srt", ..
HEXAPLA_API std::vector<std::string> document_formats();

struct DocumentFormat {
  std::string ending;  // ".html"; "": a document of this name is not translated
  std::string type;    // its media type, which its other endings have, too
  bool text = false;   // whether it is text, not an archive
  std::string advice;  // what to do with a document that is not translated, in words
};
// The format that the ending of a name tells.
HEXAPLA_API DocumentFormat document_format(const std::string& name);

// The lines of text that Translator::translate_document() translates, in the order of their numbers. Errors as there.
HEXAPLA_API std::vector<std::string> document_lines(const std::string& content, const std::string& name,
                                                    const DocumentOptions& parts = {});

}  // namespace hexapla
