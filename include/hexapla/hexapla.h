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

// Out of range is an error: beam_size and n_best 1 to 1,000, length_penalty -100 to 100, extra_length 0 to 1,000,000,
// max_length 2 to 1,048,576, batch_sentences 1 to 1,000,000, batch_tokens 1 to 16,777,216.
struct TranslatorOptions {
  int beam_size = 4;                           // hypotheses kept at every step; 1 is greedy decoding
  int n_best = 1;                              // translations per line in translate_n_best(), at most beam_size
  double length_penalty = 0.6;                 // the exponent alpha below; 0: scores are not normalized
  std::string length_normalization = "paper";  // score / ((5 + length) / 6)^alpha, or "power": score / length^alpha
  int extra_length = 50;                       // a translation has at most this many tokens more than its source
  int max_length = 512;                        // tokens at a time; longer lines are split, in score() truncated
  int batch_sentences = 64;                    // lines that are translated at the same time, at most
  int batch_tokens = 4096;                     // and their tokens: working memory grows with both
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
  // Reads the file once; it may be replaced, overwritten or removed later. std::runtime_error naming the file: it is
  // missing, or not a complete and undamaged hexapla model.
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
