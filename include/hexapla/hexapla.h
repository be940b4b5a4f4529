#pragma once
// What a C++ program includes to translate with a trained model:
//
//   const hexapla::Translator translator("model.safetensors");
//   std::cout << translator.translate("A dog runs.") << '\n';
//
// Every error, lack of memory included, is a std::runtime_error whose message says what to do next. Only what
// options.warn throws passes through unchanged. The header needs C++17 or later.
//
// fork(): a child may translate, too, with its parent's translators or its own, and gets the same results. If the
// parent had several threads when it forked, the child uses one, whatever set_threads() says: the others do not exist
// in it. Fork only while no other thread is inside a function of this library.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hexapla {

std::string version();  // "0.1.0"

// The number of threads that the library uses when it is called from this thread; 0, the default: one per processor
// that the process may use, by its affinity and the quota of its container; fewer if the system refuses to start them.
// std::runtime_error: below 0 or above 4096.
// The number of threads never changes a result.
void set_threads(int n);

// The same as the options of `hexapla translate`, with their defaults; docs/commands.md says more of each. Out of range
// is an error.
struct TranslatorOptions {
  int beam_size = 4;                           // hypotheses kept at every step; 1 is greedy decoding; at most 1,000
  int n_best = 1;                              // translations per line in translate_n_best(), at most beam_size
  double length_penalty = 0.6;                 // the exponent alpha below, -100 to 100; 0: scores are not normalized
  std::string length_normalization = "paper";  // score / ((5 + length) / 6)^alpha, or "power": score / length^alpha
  int extra_length = 50;        // a translation has at most this many tokens more than its source; 0 to 1,000,000
  int max_length = 512;         // tokens at a time, 2 to 1,048,576; longer lines are split, in score() truncated
  int batch_sentences = 64;     // lines that are translated at the same time, 1 to 1,000,000
  int batch_tokens = 4096;      // and their tokens, 1 to 16,777,216: working memory grows with both
  double word_penalty = 0;      // subtracted from the score for each token, before normalization, -1e6 to 1e6
  double coverage_penalty = 0;  // for source tokens left untranslated, 0 to 1e6: reranks finished hypotheses
  int longest = 0;              // maximum length in tokens, up to 1,000,000; 0: no limit
  double longest_ratio = 0;     // maximum length as a multiple of the source's tokens, up to 1e6; 0: no limit
  int min_length = 0;           // minimum length in tokens, 0 to 1,000,000
  int no_repeat_ngram = 0;      // never repeat a sequence of this many tokens, up to 1,000,000; 0: off
  int max_repetition = 0;       // repeat letters or words at most this many times in a row, up to 1,000,000; 0: off
  std::string unk = "keep";     // unknown tokens: "keep", "forbid", or "copy" the source word they come from
  std::string long_input = "split";  // lines longer than max_length: "split", "refuse" or "truncate"
  bool sample = false;               // sample n_best translations (up to 1,000) instead of searching
  double temperature = 1;            // above 1: flatter distribution, between 0 and 1: sharper
  int top_k = 0;                     // sample from this many most probable tokens, up to 4,194,304; 0: all
  double top_p = 1;                  // sample from the fewest tokens whose probabilities sum to at least this; 1: all
  std::uint64_t seed = 1;            // random seed; a line's samples depend on it and on the line's index
  // Called for every line, and in score() for every translation, that was split or truncated at max_length or was not
  // UTF-8, with its index in the input, from 0, and what was done.
  std::function<void(std::size_t line, const std::string& what)> warn;
};

struct ScoredTranslation {
  std::string text;
  double score;       // log-probability of the tokens, the end of the sentence included
  double normalised;  // divided by the length penalty; the best translation has the largest. If a line was split, both
                      // are sums over its parts
};

// A trained model with its vocabularies. The const functions may be called from several threads at once. A translation
// depends on its line, the model, the options of the search and the processor's instruction set (the environment
// variable HEXAPLA_ISA lowers it), never on other lines or threads. Vectors of lines are held in memory with their
// results: pass long files in portions.
class Translator {
 public:
  // A model file, or the folder of a training. Reads the file once; it may be replaced, overwritten or removed
  // later. std::runtime_error naming the file: it is missing, or not a complete and undamaged hexapla model.
  explicit Translator(const std::string& model_path);
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // All of them throw std::runtime_error: an option is out of range, or memory runs out. A blank line gives an empty
  // text. A translation is one line of UTF-8 without control characters, whatever the line contains.
  std::string translate(const std::string& line, const TranslatorOptions& options = {}) const;
  // The best translation of each line.
  std::vector<std::string> translate(const std::vector<std::string>& lines,
                                     const TranslatorOptions& options = {}) const;
  // For each line, one to n_best translations, best first.
  std::vector<std::vector<ScoredTranslation>> translate_n_best(const std::vector<std::string>& lines,
                                                               const TranslatorOptions& options = {}) const;
  // The log-probability of translations[i] given lines[i], including the end of the sentence. A pair is never split: of
  // a line or translation of more than max_length tokens, including the end of the sentence, only the first max_length
  // are scored, and options.warn is called. Also std::runtime_error: lines and translations differ in number.
  std::vector<double> score(const std::vector<std::string>& lines, const std::vector<std::string>& translations,
                            const TranslatorOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace hexapla
