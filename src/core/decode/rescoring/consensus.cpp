#include "decode/rescoring/consensus.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::decode {
namespace {

// A text as a sequence of its characters or words: equal ones have equal numbers.
using UnitNumbers = std::u32string;

std::vector<std::string_view> characters(std::string_view text) {
  std::vector<std::string_view> all;
  for (; !text.empty(); text.remove_prefix(text::character_bytes(text)))
    if (text.front() != ' ') all.push_back(text.substr(0, text::character_bytes(text)));
  return all;
}

std::vector<UnitNumbers> units_of(Likeness likeness, std::span<const std::string> texts) {
  std::vector<UnitNumbers> all;
  std::unordered_map<std::string_view, char32_t> numbers;
  for (const std::string& text : texts) {
    UnitNumbers& units = all.emplace_back();
    for (const std::string_view unit : likeness == Likeness::chrf ? characters(text) : text::words(text))
      units += numbers.try_emplace(unit, static_cast<char32_t>(numbers.size())).first->second;
  }
  return all;
}

using Counts = std::unordered_map<std::u32string_view, double>;  // the keys point into the units

void add_ngrams(Counts& counts, const UnitNumbers& units, size_t n, double weight) {
  for (size_t i = 0; i + n <= units.size(); ++i) counts[std::u32string_view(units).substr(i, n)] += weight;
}

// The n-grams of one order: those of a text, those expected, and what both have.
struct Overlap {
  double own = 0, expected = 0, common = 0;
};

// [text][order]
std::vector<std::vector<Overlap>> overlaps(std::span<const UnitNumbers> texts, std::span<const double> shares,
                                           size_t orders) {
  std::vector<std::vector<Overlap>> all(texts.size());
  for (size_t n = 1; n <= orders; ++n) {
    Counts expected;
    double total = 0;
    for (size_t i = 0; i < texts.size(); ++i) {
      add_ngrams(expected, texts[i], n, shares[i]);
      total += shares[i] * static_cast<double>(texts[i].size() < n ? 0 : texts[i].size() - n + 1);
    }
    for (size_t i = 0; i < texts.size(); ++i) {
      Counts counts;
      add_ngrams(counts, texts[i], n, 1);
      Overlap& here = all[i].emplace_back(Overlap{.expected = total});
      for (const auto& [ngram, count] : counts) {
        here.own += count;
        here.common += std::min(count, expected[ngram]);
      }
    }
  }
  return all;
}

double chrf(std::span<const Overlap> orders) {
  double precision = 0, recall = 0;
  int counted = 0;
  for (const Overlap& o : orders) {
    if (o.own == 0 || o.expected == 0) continue;
    precision += o.common / o.own, recall += o.common / o.expected;
    ++counted;
  }
  constexpr double kWeight = 2 * 2;  // beta^2
  return precision == 0 ? 0 : 100 * (1 + kWeight) * precision * recall / (kWeight * precision + recall) / counted;
}

// One is added to matches and totals from 2-grams on (Lin and Och 2004).
double bleu(std::span<const Overlap> orders) {
  if (orders[0].common == 0) return 0;
  double logs = 0;
  int counted = 0;
  for (const Overlap& o : orders) {
    if (o.own == 0) break;
    const double more = counted == 0 ? 0 : 1;
    logs += std::log((o.common + more) / (o.own + more));
    ++counted;
  }
  return 100 * std::exp(logs / counted + std::min(0.0, 1 - orders[0].expected / orders[0].own));
}

}  // namespace

std::vector<double> consensus(Likeness likeness, std::span<const std::string> texts, std::span<const double> weights) {
  const std::vector<UnitNumbers> units = units_of(likeness, texts);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> shares;
  for (const double w : weights) shares.push_back(w / total);
  std::vector<double> scores;
  for (const auto& orders : overlaps(units, shares, likeness == Likeness::chrf ? 6 : 4))
    scores.push_back(likeness == Likeness::chrf ? chrf(orders) : bleu(orders));
  return scores;
}

}  // namespace hexapla::decode
