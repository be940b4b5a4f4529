#include "evaluate/bleu.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "base/error.h"
#include "evaluate/counts.h"
#include "evaluate/unicode.h"

namespace hexapla {
namespace {

constexpr size_t kOrders = 4;

bool digit(char c) { return c >= '0' && c <= '9'; }
bool point(char c) { return c == '.' || c == ','; }

// sacreBLEU's [\{-\~\[-\` -\&\(-\+\:-\@\/]: ASCII punctuation but for ' , - and .
bool punctuation(char c) {
  return (c >= '{' && c <= '~') || (c >= '[' && c <= '`') || (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') ||
         (c >= ':' && c <= '@') || c == '/';
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at; (at = text.find(from)) != std::string_view::npos; text.remove_prefix(at + from.size())) {
    out.append(text.substr(0, at)).append(to);
  }
  return out.append(text);
}

std::string punctuation_apart(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (punctuation(c)) {
      out.append({' ', c, ' '});
    } else {
      out += c;
    }
  }
  return out;
}

// re.sub of two neighbours: from left to right, matches do not overlap. `write(out, a, b)` puts the replacement.
template <class First, class Second, class Write>
std::string replace_pairs(std::string_view text, First first, Second second, Write write) {
  std::string out;
  size_t at = 0;
  for (; at + 1 < text.size(); ++at) {
    if (first(text[at]) && second(text[at + 1])) {
      write(out, text[at], text[at + 1]);
      ++at;
    } else {
      out += text[at];
    }
  }
  if (at < text.size()) out += text[at];
  return out;
}

using Counts = std::unordered_map<std::string, int64_t>;

// The n-grams of a sentence; words have no blank inside, so a blank may join them.
Counts count_ngrams(const std::vector<std::string>& words, size_t n) {
  Counts counts;
  for (size_t i = 0; i + n <= words.size(); ++i) {
    std::string ngram = words[i];
    for (size_t k = 1; k < n; ++k) ngram.append(" ").append(words[i + k]);
    ++counts[ngram];
  }
  return counts;
}

int64_t clipped_matches(const Counts& hypothesis, const Counts& reference) {
  int64_t matches = 0;
  for (const auto& [ngram, count] : hypothesis) {
    if (const auto found = reference.find(ngram); found != reference.end()) matches += std::min(count, found->second);
  }
  return matches;
}

void add_sentence(BleuScore& score, const std::vector<std::string>& hypothesis,
                  const std::vector<std::string>& reference) {
  score.hypothesis_length += static_cast<int64_t>(hypothesis.size());
  score.reference_length += static_cast<int64_t>(reference.size());
  for (size_t n = 1; n <= kOrders; ++n) {
    score.matches[n - 1] += clipped_matches(count_ngrams(hypothesis, n), count_ngrams(reference, n));
    if (hypothesis.size() >= n) score.totals[n - 1] += static_cast<int64_t>(hypothesis.size() - n + 1);
  }
}

double brevity_penalty(int64_t hypothesis, int64_t reference) {
  if (hypothesis >= reference) return 1;
  return hypothesis > 0 ? std::exp(1 - static_cast<double>(reference) / static_cast<double>(hypothesis)) : 0;
}

// Every further order without a match is given half as much of a match ("exp", method 3 of Chen and Cherry 2014).
void set_precisions(BleuScore& score) {
  double halvings = 1;
  for (size_t n = 0; n < kOrders && score.totals[n] > 0; ++n) {
    const auto total = static_cast<double>(score.totals[n]);
    if (score.matches[n] == 0) halvings *= 2;
    score.precisions[n] =
        score.matches[n] == 0 ? 100. / (halvings * total) : 100. * static_cast<double>(score.matches[n]) / total;
  }
}

void finish(BleuScore& score) {
  score.brevity_penalty = brevity_penalty(score.hypothesis_length, score.reference_length);
  if (std::all_of(score.matches.begin(), score.matches.end(), [](int64_t n) { return n == 0; })) return;
  set_precisions(score);
  double sum = 0;
  for (const double p : score.precisions) sum += p == 0 ? -9999999999. : std::log(p);
  score.score = score.brevity_penalty * std::exp(sum / kOrders);
}

}  // namespace

std::vector<std::string> tokenize_13a(std::string_view line) {
  std::string text = replaced(strip_right(line), "<skipped>", "");
  text = replaced(replaced(text, "-\n", ""), "\n", " ");
  for (const auto& [from, to] : {std::pair{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}}) {
    text = replaced(text, from, to);
  }
  text = punctuation_apart(" " + text + " ");
  const auto other = [](char c) { return !digit(c); };
  const auto dash = [](char c) { return c == '-'; };
  const auto apart_after = [](std::string& out, char a, char b) { out.append({a, ' ', b, ' '}); };
  const auto apart_before = [](std::string& out, char a, char b) { out.append({' ', a, ' ', b}); };
  text = replace_pairs(text, other, point, apart_after);
  text = replace_pairs(text, point, other, apart_before);
  text = replace_pairs(text, digit, dash, apart_after);
  return split(text);
}

BleuScore corpus_bleu(std::span<const std::string> hypotheses, std::span<const std::string> references,
                      const BleuOptions& options) {
  check_sentence_counts("BLEU", hypotheses.size(), references.size());
  BleuScore score;
  const auto tokens = [&](const std::string& line) { return tokenize_13a(options.lowercase ? lower(line) : line); };
  for (size_t i = 0; i < hypotheses.size(); ++i) add_sentence(score, tokens(hypotheses[i]), tokens(references[i]));
  finish(score);
  score.signature = cat("BLEU|nrefs:1|case:", options.lowercase ? "lc" : "mixed",
                        "|eff:no|tok:13a|smooth:exp|version:", metric_version());
  return score;
}

double BleuScore::ratio() const {
  return reference_length > 0 ? static_cast<double>(hypothesis_length) / static_cast<double>(reference_length) : 0;
}

std::string BleuScore::text() const {
  char line[256];
  std::snprintf(line, sizeof line,
                "BLEU = %.1f %.1f/%.1f/%.1f/%.1f (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)", score,
                precisions[0], precisions[1], precisions[2], precisions[3], brevity_penalty, ratio(),
                static_cast<long long>(hypothesis_length), static_cast<long long>(reference_length));
  return line;
}

}  // namespace hexapla
