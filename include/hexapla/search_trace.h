#pragma once
// A beam search, step by step.
#include <cstddef>
#include <string>
#include <vector>

namespace hexapla {

// A candidate in a step of beam search.
struct SearchCandidate {
  std::size_t beam = 0;        // the hypothesis that it extends, from 0
  std::string token;           // </s> ends the hypothesis
  double log_probability = 0;  // of the token
  double score = 0;            // of the hypothesis with this token
  double normalized = 0;       // the score divided by the length penalty, by which finished hypotheses are compared
  std::string fate;  // "goes on", "finished", "too low" (ends, below the first beam_size), "beaten" (beam_size better
                     // ones go on) or "left" (would go on, but the search ends)
  std::string why;   // the same in words: "dropped: 4 better ones go on"
};

struct SearchHypothesis {
  std::vector<std::string> tokens;  // without <s> and </s>
  std::string text;
  double score = 0, normalized = 0;  // normalized is 0 if it is not finished
};

struct SearchStep {
  std::vector<SearchHypothesis> beams;      // the hypotheses before it, best first
  std::vector<SearchCandidate> candidates;  // best first
};

// Beam search for one sentence, step by step.
struct SearchTrace {
  std::vector<std::string> source_tokens;  // </s> last
  std::vector<SearchStep> steps;
  std::string ending;  // "enough" (beam_size hypotheses are finished), "passed" (no live one can still beat the
                       // n_best finished ones) or "longest" (maximum length)
  std::string why;     // the same in words
  std::vector<SearchHypothesis> finished;  // the result of a Translator, best first
  std::vector<std::string> warnings;       // about the text: invalid UTF-8, letters missing from the vocabulary
  std::string table;                       // all of it in words, line by line, for a terminal
  std::string picture;                     // and as an SVG document
};

}  // namespace hexapla
