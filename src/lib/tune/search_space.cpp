#include "lib/tune/search_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/compute/random.h"
#include "train/plan/resolve/recipes.h"

namespace hexapla::train::tune {
namespace {

// Each coordinate selects one way to change a knob; 0 leaves it alone.
enum Knob { vocabulary, dropout, width, segmentation, rate, knobs };
using Point = std::array<int, knobs>;
constexpr Point kWays = {4, 3, 2, 2, 3};

// Tried before any random points.
constexpr std::array<Point, 9> kFirstPoints = {{
    {0, 0, 0, 0, 0},
    {1, 0, 0, 0, 0},
    {2, 0, 0, 0, 0},
    {1, 0, 1, 0, 0},
    {2, 1, 0, 0, 0},
    {1, 0, 0, 1, 0},
    {3, 0, 0, 0, 0},
    {2, 1, 1, 0, 0},
    {1, 0, 0, 0, 1},
}};

const std::array<std::set<std::string>, knobs> kOptionsOfKnobs = {{
    {"vocab-size", "vocab", "vocabs", "init-from"},
    {"dropout"},
    {"dim-model", "dim-ff", "init-from"},
    {"subword-alpha", "vocab", "vocabs", "init-from"},
    {"lr", "lr-factor"},
}};

// Is the knob open, given the options that the user settled?
bool is_open(int knob, const std::set<std::string>& settled) {
  const std::set<std::string>& own = kOptionsOfKnobs[static_cast<size_t>(knob)];
  return std::none_of(own.begin(), own.end(), [&](const std::string& name) { return settled.contains(name); });
}

// Rounds to two significant digits: 4,876 becomes 4,900.
int64_t rounded(int64_t n) {
  int64_t unit = 1;
  while (n / unit >= 100) unit *= 10;
  return (n + unit / 2) / unit * unit;
}

std::vector<GivenOption> changes_at(const Point& p, const train::TrainOptions& o, int64_t pieces) {
  std::vector<GivenOption> all;
  const auto set = [&](const char* name, auto value) { all.push_back({name, {fmt::format("{}", value)}}); };
  if (p[vocabulary] > 0) set("vocab-size", std::max<int64_t>(8, rounded(pieces >> p[vocabulary])));
  if (p[dropout] > 0) set("dropout", std::min(0.9, std::round(o.architecture.dropout * 100 + 10 * p[dropout]) / 100));
  if (p[width] > 0) set("dim-model", 2 * o.architecture.d_model), set("dim-ff", 2 * o.architecture.d_ff);
  if (p[segmentation] > 0) set("subword-alpha", o.text.vocab_type == "bpe" ? 0.1 : 0.2);
  constexpr std::array factors = {1., 1.4, 0.7};
  const double factor = factors[p[rate]];
  if (p[rate] > 0 && o.lr > 0) set("lr", o.lr * factor);
  if (p[rate] > 0 && o.lr == 0) set("lr-factor", o.lr_factor * factor);
  return all;
}

std::string name_of(const std::vector<GivenOption>& changes) {
  std::string name;
  for (const GivenOption& c : changes) name += cat(name.empty() ? "" : ", ", c.name, " ", c.values.front());
  return name;
}

// "preset tiny", or "preset tiny with the given dim-model, dropout" if options of the recipe are the user's.
std::string name_of_baseline(const train::TrainOptions& baseline, const std::set<std::string>& settled) {
  std::set<std::string> of_recipe = train::options_of_recipes();
  for (const auto& knob : kOptionsOfKnobs) of_recipe.insert(knob.begin(), knob.end());
  for (const OptionRow& row : rows_of(baseline.architecture)) of_recipe.insert(row.name);
  std::string given;
  for (const std::string& name : settled)
    if (of_recipe.contains(name)) given += cat(given.empty() ? " with the given " : ", ", name);
  return cat("preset ", baseline.preset, given);
}

Point drawn(Random& random) {
  Point p{};
  for (size_t k = 0; k < p.size(); ++k) p[k] = static_cast<int>(random.below(static_cast<uint32_t>(kWays[k])));
  return p;
}

}  // namespace

std::vector<Candidate> make_candidates(const train::TrainOptions& baseline, const std::set<std::string>& settled,
                                       int64_t pieces, size_t count) {
  std::vector<Candidate> all;
  std::set<Point> seen;
  const auto add = [&](Point p) {
    for (int k = 0; k < knobs; ++k)
      if (!is_open(k, settled)) p[k] = 0;
    if (all.size() == count || !seen.insert(p).second) return;
    std::vector<GivenOption> changes = changes_at(p, baseline, pieces);
    std::string name = changes.empty() ? name_of_baseline(baseline, settled) : name_of(changes);
    all.push_back({std::move(name), std::move(changes)});
  };
  for (const Point& p : kFirstPoints) add(p);
  Random random(1);
  for (int tries = 0; tries < 2000; ++tries) add(drawn(random));  // enough to draw all 144 points
  return all;
}

double expected_cost(const Candidate& candidate) {
  const bool wide = std::any_of(candidate.changes.begin(), candidate.changes.end(),
                                [](const GivenOption& c) { return c.name == "dim-model"; });
  return wide ? 3 : 1;  // twice the multiplications in the output layer, four times as many elsewhere
}

}  // namespace hexapla::train::tune
