#pragma once
// Translating and scoring text with one trained model, or with several together.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hexapla/error.h"
#include "hexapla/glossary.h"
#include "hexapla/options.h"
#include "hexapla/owned.h"

namespace hexapla {

// The same as the options of `hexapla translate`; docs/commands.md says more of each. What is not given is as the
// model's file records it (`hexapla import` writes what its system sets for it: beam_size, length_penalty, ..), else as
// said here; a value that is given counts, also where it is the one said here. UsageError: out of range, or given
// although it does nothing beside the others (temperature without sample) or in a call (n_best in translate()).
struct TranslatorOptions {
  std::optional<int> beam_size;          // 4: hypotheses kept at every step; 1 is greedy decoding; at most 1,000
  std::optional<int> n_best;             // 1: translations per line in translate_n_best(), at most beam_size
  std::optional<double> length_penalty;  // 0.6: the exponent alpha below, -100 to 100; 0: scores are not normalized
  // "paper": score / ((5 + length) / 6)^alpha, or "power": score / length^alpha.
  std::optional<std::string> length_normalization;
  std::optional<int> extra_length;  // 50: a translation has at most so many tokens more than its source, to 1,000,000
  std::optional<int> max_length;    // 512: tokens at a time, from 2; longer lines are split, in score() truncated
  std::optional<int> batch_sentences;  // 64: lines that are translated at the same time, 1 to 1,000,000
  std::optional<int> batch_tokens;     // 4096: and their tokens, 1 to 16,777,216: working memory grows with both
  std::optional<double> word_penalty;  // 0: subtracted from the score for each token, before normalization, -1e6 to 1e6
  std::optional<double> coverage_penalty;  // 0: for source tokens left untranslated, up to 1e6
  std::optional<int> longest;              // 0, no limit: maximum length in tokens, up to 1,000,000
  std::optional<double> longest_ratio;  // 0, no limit: maximum length as a multiple of the source's tokens, up to 1e6
  std::optional<int> min_length;        // 0: minimum length in tokens, up to 1,000,000
  // 1, off: the log-probability of a token that the translation already has is multiplied by this, above 0 to 100
  std::optional<double> repetition_penalty;
  std::optional<int> no_repeat_ngram;  // 0, off: never repeat a sequence of this many tokens, up to 1,000,000
  std::optional<int> max_repetition;   // 0, off: repeat letters or words at most so many times in a row
  std::optional<std::string> unk;      // "keep" unknown tokens, "forbid" them, or "copy" the word that they come from
  // "full": a line is done when beam_size translations are finished; "outscored": only when the best unfinished one
  // scores no higher, at its length so far, than the worst of them; "never": when it can be no better at any length;
  // "shrinking": what is finished leaves its place in the beam empty.
  std::optional<std::string> stop_when;
  // "auto": a line with several sentences is translated one by one where the model has not learned from such lines;
  // "split": always; "keep": never
  std::optional<std::string> sentences;
  std::optional<std::string> long_input;  // "split" lines longer than max_length, "refuse" or "truncate" them
  // "auto": the model does not see placeholders, tags, addresses, @names, #tags, emoji, `code` and what its vocabulary
  // cannot spell; they go along with the words beside them. "none": it sees them as text
  std::optional<std::string> protect;
  std::optional<std::vector<std::string>> protect_pattern;  // regular expressions (RE2) of more that is protected
  std::optional<bool> sample;         // false; true: sample n_best translations (up to 1,000) instead of searching
  std::optional<double> temperature;  // 1; above: flatter distribution, between 0 and 1: sharper
  std::optional<int> top_k;           // 0, all: sample from this many most probable tokens, up to 4,194,304
  std::optional<double> top_p;        // 1, all: sample from the fewest tokens whose probabilities sum to at least this
  std::optional<std::uint64_t> seed;  // 1: random seed; a line's samples depend on it and on the line's index
  // Units of the word alignments that translate_n_best() and submit() give: "words" (in scripts without spaces,
  // characters), "blanks" (whitespace-separated words) or "pieces" (tokens); "": none.
  std::string alignment;
  // What certain terms are translated by, with their constraints on top of those of the lines. Needs beam search.
  Glossary glossary;
  // Called for every line, and in score() for every translation, that was split or truncated at max_length or was not
  // UTF-8, with its index in the input, from 0, and what was done.
  std::function<void(std::size_t line, const std::string& what)> warn;
  // Once it is true, the call ends with Canceled before the next step of decoding or batch of scoring. May be null; not
  // for submit().
  const std::atomic<bool>* stop = nullptr;

  // From options by name; the rest is not given. UsageError: no such option, a value that it does not have, or
  // an option that can do nothing beside the others.
  static TranslatorOptions from(const Options& options);
};

// What translations of one line must and must not be.
struct Constraints {
  std::string prefix;                // the translation begins so; it may end inside a word
  std::vector<std::string> require;  // phrases that it contains
  std::vector<std::string> forbid;   // phrases that it does not contain
};

// A matrix, row after row.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  double operator()(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
};

// Which source words a translation's words came from: the decoder's attention over the encoder.
struct Alignment {
  std::vector<std::string> source_words, target_words;
  Matrix weights;                          // [target words + 1, source words + 1]; the last ones are </s>
  std::vector<std::pair<int, int>> links;  // for each target word the source word with most of its attention: (source,
                                           // target), from 0
};

struct Translation {
  std::string text;
  double score = 0;       // log-probability of the tokens, the end of the sentence included
  double normalized = 0;  // divided by the length penalty; the best translation has the largest. If a line was split,
                          // both are sums over its parts. -infinity: nothing satisfies the constraints
  std::vector<std::string> tokens;  // as the vocabulary writes them, without the end of the sentence
  std::vector<std::int32_t> ids;    // of the tokens
  std::vector<float> token_scores;  // log-probability of each token, and of the end of the sentence
  Alignment alignment;              // where TranslatorOptions::alignment asks for it
};

struct ScoreResult {
  double score = 0;                  // log-probability of the translation, the end of the sentence included
  double normalized = 0;             // divided by the length penalty
  std::vector<std::string> tokens;   // of the translation
  std::vector<double> token_scores;  // log-probability of each of them, and of the end of the sentence
};

// How models are loaded, and how several translate together.
struct ModelOptions {
  // Precision of products with weights: "f32" (the default), "bf16" or "int8". UsageError: anything but int8 for a
  // quantized model, which is computed from its integers.
  std::optional<std::string> precision;
  std::string ensemble = "linear";  // the mean of probabilities, or "log-linear"
  std::vector<double> weights;      // of the models, as many; none: all alike
  // Languages of a multilingual model, as it calls them ("de", "deu_Latn"); "": as it was imported. UsageError: it is
  // told none, or does not have this one.
  std::string source_language, target_language;
  int threads = 0;  // that each call computes with, and all requests of submit() together; 0: as set_threads() says
  Options search;   // of calls that do not give them; on top of what the model's file records
};

// Upper bounds for the translations of a request: how many, their tokens, and the cells of their alignments, where they
// are asked for (with units "words" an estimate: a token may have several words).
struct RequestSize {
  std::size_t translations = 0, tokens = 0, alignment_cells = 0;
};

// Options of a request beside those of its search.
struct RequestOptions {
  std::vector<Constraints> constraints;  // one per line, or none
  std::vector<bool> aligned;  // for each line whether its alignment is wanted; none: of all, if `alignment` asks for it
  std::chrono::milliseconds timeout{0};  // from now on; 0, and milliseconds::max(): none. UsageError: below 0
  // Whose it is, any number: clients take turns, and while several are there, none has more than 2 lines per loop on
  // their way, so that one with a single line does not wait for the long steps of one with thousands.
  std::uint64_t client = 0;
  // Called once by submit(), before anything is translated: what it throws comes out of submit().
  std::function<void(const RequestSize& at_most)> on_size;
  // What a line reads as so far, without what is protected, called between steps from the translator's own thread.
  // What it throws ends the request, and comes out of get().
  std::function<void(std::size_t line, const std::string& so_far)> on_progress;
  std::function<void()> on_end;  // called once, from the translator's own thread: get() does not wait any more
};

// A request on its way. Copies, and what it is moved to, are the same request; dropping it does not cancel it.
class PendingTranslation {
 public:
  using Lines = std::vector<std::vector<Translation>>;

  PendingTranslation(const PendingTranslation&) = default;
  PendingTranslation& operator=(const PendingTranslation&) = default;

  // Waits. For each line its translations, best first. Canceled: by cancel(), or its time was up. May be called again.
  // UsageError: it would wait inside of a callback of the same translator, whose thread would wait for itself.
  Lines get() const;
  bool ready() const;
  // Whether it is ready; milliseconds::max() waits for as long as it takes. UsageError: a time below 0; as get().
  bool wait_for(std::chrono::milliseconds time) const;
  void cancel() const;

 private:
  friend class Translator;
  struct State;
  explicit PendingTranslation(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// A trained model with its vocabularies. The const functions may be called from any number of threads at once; of calls
// that wait for their result, as many run at the same time as there are processors. A translation depends on its line,
// the model, the options of the search and the processor's instruction set (the environment variable HEXAPLA_ISA lowers
// it), never on other lines or threads. Vectors of lines are held in memory with their results: pass long files in
// portions. All functions throw UsageError, RunError and OutOfMemory.
class Translator {
 public:
  // A model file, or the folder of a training. Reads the file once; it may be replaced, overwritten or removed later.
  // DataError naming the file: it is missing, or not a complete and undamaged hexapla model.
  explicit Translator(const std::string& model_path, const ModelOptions& options = {});
  // Several models of the same vocabularies: an ensemble.
  explicit Translator(const std::vector<std::string>& model_paths, const ModelOptions& options = {});
  explicit Translator(std::initializer_list<const char*> model_paths, const ModelOptions& options = {})
      : Translator(std::vector<std::string>(model_paths.begin(), model_paths.end()), options) {}
  // Requests on their way are canceled. In a callback of one of them, too: then the translator goes, in a thread of its
  // own, as soon as the callback has returned.
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // All options with the values that they have in a search of this translator: given, recorded in the model's file, or
  // usual.
  TranslatorOptions complete(const TranslatorOptions& options = {}) const;

  // A blank line gives an empty text. A translation is one line of UTF-8 without control characters, whatever the line
  // contains.
  std::string translate(const std::string& line, const TranslatorOptions& options = {}) const;
  // The best translation of each line. constraints: one per line, or none. UsageError, too: n_best above 1 and
  // alignment, which are for translate_n_best().
  std::vector<std::string> translate(const std::vector<std::string>& lines, const TranslatorOptions& options = {},
                                     const std::vector<Constraints>& constraints = {}) const;
  std::vector<std::string> translate(std::initializer_list<const char*> lines, const TranslatorOptions& options = {},
                                     const std::vector<Constraints>& constraints = {}) const {
    return translate(std::vector<std::string>(lines.begin(), lines.end()), options, constraints);
  }
  // For each line, one to n_best translations, best first.
  std::vector<std::vector<Translation>> translate_n_best(const std::vector<std::string>& lines,
                                                         const TranslatorOptions& options = {},
                                                         const std::vector<Constraints>& constraints = {}) const;

  // A whole document with its text translated: everything that is no text keeps its bytes, and markup within a sentence
  // goes along with its words. name: its ending says the format, one of document_formats(). The lines that options.warn
  // is told of are those of the document's text, from 0. UsageError, too: another ending. DataError: the content is not
  // of this format.
  std::string translate_document(const std::string& content, const std::string& name,
                                 const TranslatorOptions& options = {}) const;

  // The tokens of a line as the encoder reads them, without </s>: pieces of the source vocabulary. UsageError: the line
  // chooses the language of the translation, which no token of the source says.
  std::vector<std::string> tokens(const std::string& line) const;
  // As translate_n_best(), of sentences in such tokens: tokens(line) has the translations that the line has if nothing
  // is protected. UsageError: a piece that the vocabulary does not have; options.alignment, options.unk "copy",
  // options.protect "auto" or patterns, which are about words of a line.
  // DataError: a sentence of more than options.max_length tokens.
  std::vector<std::vector<Translation>> translate_tokens(const std::vector<std::vector<std::string>>& sentences,
                                                         const TranslatorOptions& options = {},
                                                         const std::vector<Constraints>& constraints = {}) const;

  // Begins to translate and returns at once; requests of several threads are translated together, and the bytes of each
  // are those of translate_n_best(). It is computed with the threads of whoever made the translator
  // (ModelOptions::threads, set_threads()). UsageError, too: batch_sentences and batch_tokens, which requests have no
  // use for. RunError: too many wait.
  PendingTranslation submit(const std::vector<std::string>& lines, const TranslatorOptions& options = {},
                            const RequestOptions& request = {}) const;

  // The log-probability of translations[i] given lines[i], including the end of the sentence. A pair is never split: of
  // a line or translation of more than max_length tokens, including the end of the sentence, only the first max_length
  // are scored, and options.warn is called. UsageError: lines and translations differ in number; an option of the
  // search.
  std::vector<double> score(const std::vector<std::string>& lines, const std::vector<std::string>& translations,
                            const TranslatorOptions& options = {}) const;
  // The same with the scores of the tokens.
  std::vector<ScoreResult> score_tokens(const std::vector<std::string>& lines,
                                        const std::vector<std::string>& translations,
                                        const TranslatorOptions& options = {}) const;
  // Word alignments of given pairs; units as in TranslatorOptions::alignment.
  std::vector<Alignment> align(const std::vector<std::string>& lines, const std::vector<std::string>& translations,
                               const TranslatorOptions& options = {}, const std::string& units = "words") const;

 private:
  struct Impl;
  api::Owned<Impl> impl_;
};

// The endings of names that documents have: ".html", ".srt", ..
std::vector<std::string> document_formats();

}  // namespace hexapla
