#pragma once
// What a C++ program includes to translate with a trained model:
//
//   const hexapla::Translator translator("model.safetensors");
//   std::cout << translator.translate("A dog runs.") << '\n';
//
// Errors are std::runtime_error with a message that says what to do next; too little memory is one of them, and nothing
// else comes out but what options.warn throws, which comes out as it is. The header asks for C++17 or later.
//
// fork(): a child may translate, too, with the translators of its parent or with its own, to the same results. If its
// parent had several threads when it forked, the child uses one, whatever set_threads() says: the others are not in it.
// Fork while no other thread is inside of a function of this library.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hexapla {

std::string version();  // "0.1.0"

// How many threads the library uses when it is called from this thread; 0, and the default: one for each processor that
// the process may use, by its affinity and the quota of its container. Fewer, where the system does not start so many.
// std::runtime_error: below 0 or above 4096.
// The number of threads never changes a result.
void set_threads(int n);

// The same as the options of `hexapla translate`, with their defaults; docs/commands.md says more of each. Out of range
// is an error.
struct TranslatorOptions {
  int beam_size = 4;                           // hypotheses kept at every step; 1 is greedy decoding; at most 1,000
  int n_best = 1;                              // translations of each line in translate_n_best(), at most beam_size
  double length_penalty = 0.6;                 // the exponent alpha below, -100 to 100; 0: scores are not normalised
  std::string length_normalization = "paper";  // score / ((5 + length) / 6)^alpha, or "power": score / length^alpha
  int extra_length = 50;        // a translation has at most so many tokens more than its source; 0 to 1,000,000
  int max_length = 512;         // tokens at a time, 2 to 1,048,576; a longer line is split, in score() cut
  int batch_sentences = 64;     // lines that are translated at the same time, 1 to 1,000,000
  int batch_tokens = 4096;      // and their tokens, 1 to 16,777,216: working memory grows with both
  double word_penalty = 0;      // taken from a score for each token before it is normalised, -1e6 to 1e6
  double coverage_penalty = 0;  // times how much of the source was left out, 0 to 1e6: reorders what the beam found
  int longest = 0;              // a translation has at most so many tokens, up to 1,000,000; 0: no such limit
  double longest_ratio = 0;     // at most so many times the tokens of its source, up to 1e6; 0: no such limit
  int min_length = 0;           // at least so many tokens, 0 to 1,000,000
  int no_repeat_ngram = 0;      // no so many tokens twice in a translation, up to 1,000,000; 0: off
  int max_repetition = 0;       // no letters or words more than so many times in a row, up to 1,000,000; 0: off
  std::string unk = "keep";     // the unknown piece: "keep", "forbid", or "copy" what it came from in the source
  std::string long_input = "split";  // a line above max_length: "split", "refuse" or "truncate"
  bool sample = false;               // draw n_best translations (any number up to 1,000) instead of searching
  double temperature = 1;            // of what is drawn, above 0: more flattens the distribution, less sharpens it
  int top_k = 0;                     // draw among the so many most probable tokens, up to 4,194,304; 0: all
  double top_p = 1;                  // draw among the fewest tokens of so much probability together; 1: all
  std::uint64_t seed = 1;            // of what is drawn; a line's samples depend on it and on the line's place
  // Told of every line, and in score() of every translation, that was split or cut at max_length or was not UTF-8: its
  // place in the input, from 0, and what was done.
  std::function<void(std::size_t line, const std::string& what)> warn;
};

struct ScoredTranslation {
  std::string text;
  double score;       // log-probability of the tokens, the end of the sentence included
  double normalised;  // divided by the length penalty: the best translation has the largest. Of a line that was split
                      // both are the sums over its parts
};

// A trained model with its vocabularies. The const functions may be called from several threads at once. A translation
// depends on its line, the model, the options of the search and the processor's instruction set (the environment
// variable HEXAPLA_ISA lowers it), never on other lines or threads. Vectors of lines are held in memory with their
// results: give long files in portions.
class Translator {
 public:
  // A model file, or the folder of a training. Reads the file once: it may be replaced, written over or removed later.
  // std::runtime_error naming the file: there is none, or it is not a whole and undamaged hexapla model.
  explicit Translator(const std::string& model_path);
  ~Translator();
  Translator(Translator&&) noexcept;
  Translator& operator=(Translator&&) noexcept;

  // All of them throw std::runtime_error: an option out of range, or no memory left. A blank line gives an empty text.
  // A translation is one line of UTF-8 without control characters, whatever the line holds and the model writes.
  std::string translate(const std::string& line, const TranslatorOptions& options = {}) const;
  // The best translation of each line.
  std::vector<std::string> translate(const std::vector<std::string>& lines,
                                     const TranslatorOptions& options = {}) const;
  // For each line up to n_best translations, best first, at least one.
  std::vector<std::vector<ScoredTranslation>> translate_n_best(const std::vector<std::string>& lines,
                                                               const TranslatorOptions& options = {}) const;
  // The log-probability of each given translation of the line at the same place, the end of the sentence included. A
  // pair is scored whole, never in parts: of a line or translation of more than max_length tokens only the first
  // max_length are read, the end of the sentence counted, and options.warn is told; the score is that of what was read.
  // std::runtime_error, too, where there are not as many of the one as of the other.
  std::vector<double> score(const std::vector<std::string>& lines, const std::vector<std::string>& translations,
                            const TranslatorOptions& options = {}) const;

 private:
  struct Impl;
  std::unique_ptr<const Impl> impl_;
};

}  // namespace hexapla
