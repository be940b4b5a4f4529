// The feed-forward network as a memory (Geva et al. 2021): what activates its keys, and what their
// values promote.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "inspect/recorder.h"
#include "lab/bench/training.h"
#include "lab/spread.h"
#include "text/quantities.h"

namespace hexapla::lab {
namespace {

constexpr size_t kPairs = 200;    // analyzed
constexpr size_t kTriggers = 20;  // strongest positions per key
constexpr const char* kLayer = "decoder.layers.1.feed_forward";

// A target position: the prefix written so far, and the next token.
struct Place {
  text::Ids prefix;  // with <s>
  int32_t next;
};

// Activations of the last layer's hidden units at every position.
struct Firings {
  std::vector<Place> places;
  std::vector<std::vector<double>> hidden;  // per place, [d_ff]
};

Firings watch(const decode::OpenModel& m, const data::Corpus& pairs) {
  Firings f;
  for (size_t i = 0; i < std::min(kPairs, pairs.source.size()); ++i) {
    const auto seen = Bench::look(m, pairs, i);
    const inspect::Recorded& hidden = seen.seen.get(cat(kLayer, ".hidden"));
    const int64_t units = hidden.shape[1];
    for (size_t t = 0; t < seen.target_out.size(); ++t) {
      const auto row = hidden.values.begin() + static_cast<std::ptrdiff_t>(t) * units;
      f.hidden.emplace_back(row, row + units);
      f.places.push_back(
          {{seen.target_in.begin(), seen.target_in.begin() + static_cast<std::ptrdiff_t>(t) + 1}, seen.target_out[t]});
    }
  }
  return f;
}

// For each row of the second matrix, the token whose embedding has the largest product with it.
std::vector<int32_t> promoted(model::Transformer& net) {
  Tensor rows;
  model::for_each<model::Parameter>(net, [&](const std::string& name, model::Parameter& p) {
    if (name == cat(kLayer, ".outer.weight")) rows = p.value;
  });
  HEXAPLA_CHECK(rows, "the model has no ", kLayer, ".outer.weight");
  const Tensor table = net.target_embedding().table.value;  // tied to the generator
  const int64_t d = table.shape[1];
  std::vector<int32_t> best;
  for (int64_t unit = 0; unit < rows.shape[0]; ++unit) {
    const float* value = rows.data<float>() + unit * d;
    const auto score = [&](int64_t id) {
      return std::inner_product(value, value + d, table.data<float>() + id * d, 0.0);
    };
    int64_t top = 0;
    for (int64_t id = 1; id < table.shape[0]; ++id)
      if (score(id) > score(top)) top = id;
    best.push_back(static_cast<int32_t>(top));
  }
  return best;
}

struct Key {
  size_t unit;
  double active = 0;  // share of positions at which it fires
  int32_t next = 0;   // most frequent next token at its strongest positions
  double purity = 0;  // share of these positions where it follows
  int32_t promotes = 0;
  std::vector<size_t> triggers;  // places, the strongest first
};

Key key_of(const Firings& f, size_t unit, int32_t promotes) {
  Key k{.unit = unit, .promotes = promotes, .triggers = {}};
  std::vector<size_t> order(f.places.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto stronger = [&](size_t a, size_t b) { return f.hidden[a][unit] > f.hidden[b][unit]; };
  std::stable_sort(order.begin(), order.end(), stronger);
  std::map<int32_t, size_t> follows;
  for (const size_t place : order) {
    if (f.hidden[place][unit] <= 0) break;
    ++k.active;
    if (k.triggers.size() == kTriggers) continue;
    k.triggers.push_back(place);
    ++follows[f.places[place].next];
  }
  k.active /= static_cast<double>(f.places.size());
  for (const auto& [token, times] : follows) {
    const double share = static_cast<double>(times) / static_cast<double>(k.triggers.size());
    if (share > k.purity) k.next = token, k.purity = share;
  }
  return k;
}

struct Memory {
  std::vector<Key> keys;  // that fire at least kTriggers times
  double active = 0;      // mean share of units that fire at a position
  double pure = 0;        // share of keys with one next token at three quarters of their triggers or more
  double agree = 0;       // share of keys whose value promotes this token
  double chance = 0;      // the same with values of random keys
};

Memory memory_of(const decode::OpenModel& m, const data::Corpus& pairs) {
  const Firings f = watch(m, pairs);
  const std::vector<int32_t> values = promoted(*m.file.net);
  Memory memory;
  for (size_t unit = 0; unit < values.size(); ++unit) {
    Key k = key_of(f, unit, values[unit]);
    memory.active += k.active / static_cast<double>(values.size());
    if (k.triggers.size() == kTriggers) memory.keys.push_back(std::move(k));
  }
  const double n = static_cast<double>(std::max<size_t>(1, memory.keys.size()));
  for (const Key& k : memory.keys) {
    memory.pure += (k.purity >= 0.75) / n;
    memory.agree += (k.promotes == k.next) / n;
    for (const Key& other : memory.keys) memory.chance += (other.promotes == k.next) / (n * n);
  }
  return memory;
}

std::string cell(const text::Vocabulary& v, int32_t id) { return cat("`", v.piece(id), "`"); }

// The keys with the most consistent triggers, with two examples each.
void show_keys(const Memory& memory, const decode::OpenModel& m, const data::Corpus& pairs, Report& r) {
  const Firings f = watch(m, pairs);
  std::vector<Key> keys = memory.keys;
  std::stable_sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) { return a.purity > b.purity; });
  Table t{"Ten keys of the decoder's last layer (seed 1) whose triggers agree most",
          {"key", "fires at, %", "two prefixes that fire it", "then comes", "of its triggers, %", "its value promotes"},
          {}};
  for (size_t i = 0; i < std::min<size_t>(10, keys.size()); ++i) {
    const Key& k = keys[i];
    std::vector<std::string> prefixes;
    for (const size_t at : {k.triggers.front(), k.triggers[kTriggers / 2]})
      prefixes.push_back(cat("`", m.target.decode({f.places[at].prefix.begin() + 1, f.places[at].prefix.end()}), "_`"));
    t.rows.push_back({cat(k.unit), fmt::format("{:.0f}", 100 * k.active), fmt::format("{}", fmt::join(prefixes, ", ")),
                      cell(m.target, k.next), fmt::format("{:.0f}", 100 * k.purity), cell(m.target, k.promotes)});
  }
  r.tables.push_back(t);
}

// Percentages per seed, for trained networks or for networks with their initial weights.
struct MeasuredMemory {
  std::vector<double> active, pure, agree, chance, above;  // above: agree minus chance
  void add(const Memory& m) {
    active.push_back(100 * m.active), pure.push_back(100 * m.pure);
    agree.push_back(100 * m.agree), chance.push_back(100 * m.chance);
    above.push_back(100 * (m.agree - m.chance));
  }
};

nlohmann::ordered_json json_of_memory(int64_t seed, bool trained, const Memory& m) {
  return {{"seed", seed},          {"weights", trained ? "trained" : "untrained"},
          {"keys", m.keys.size()}, {"active", m.active},
          {"pure", m.pure},        {"agree", m.agree},
          {"chance", m.chance}};
}

void measure_memories(const Settings& settings, Watcher& watcher, MeasuredMemory& trained, MeasuredMemory& untrained,
                      Report& r) {
  const Bench bench(settings, watcher, dates(settings.test_pairs));
  for (int64_t seed = 1; seed <= settings.seeds; ++seed) {
    watcher.begins(seed - 1, settings.seeds, fmt::format("seed {}", seed));
    Training t{.name = fmt::format("ffn-{}", seed),
               .architecture = Bench::small(),
               .seed = static_cast<uint64_t>(seed),
               .updates = settings.updates};
    const Result one = bench.train(t);
    if (one.failed) throw RunError(cat("the training with seed ", seed, " diverged"));
    const decode::OpenModel m = bench.open(t);
    const Memory memory = memory_of(m, bench.task().test);
    if (seed == 1) show_keys(memory, m, bench.task().test, r);
    trained.add(memory);
    record(json_of_memory(seed, true, memory), one, r);
    t.name = fmt::format("untrained-{}", seed);
    const Memory before = memory_of(bench.untrained(t), bench.task().test);
    untrained.add(before);
    r.figures["untrained"].push_back(json_of_memory(seed, false, before));
  }
}

void show_memories(const MeasuredMemory& trained, const MeasuredMemory& untrained, Report& r) {
  Table t{"The same of networks with their starting weights, which have learned nothing",
          {"%", "trained", "untrained"},
          {}};
  const auto row = [&](const char* what, const std::vector<double>& a, const std::vector<double>& b) {
    t.rows.push_back({what, show(spread_of(a), 0), show(spread_of(b), 0)});
  };
  row("hidden units that fire at a position", trained.active, untrained.active);
  row("keys of which three quarters of the triggers are followed by one token", trained.pure, untrained.pure);
  row("values that promote what follows their triggers", trained.agree, untrained.agree);
  row("the same, if values belonged to other keys", trained.chance, untrained.chance);
  r.tables.insert(r.tables.begin(), std::move(t));
}

// An untrained network is no memory, so effects that it shows, too, are no evidence of one.
void conclude_memories(const MeasuredMemory& trained, const MeasuredMemory& untrained, Report& r) {
  const auto against = [](const std::vector<double>& a, const std::vector<double>& b) {
    return compare(negative(a), "with the trained network", negative(b), "with the untrained one");
  };
  r.findings = {
      fmt::format("At a position {} % of the hidden units of the decoder's last layer fire; before training {} %.",
                  show(spread_of(trained.active), 0), show(spread_of(untrained.active), 0)),
      fmt::format("Of {} % of the keys, at least three quarters of the {} positions at which they are strongest are "
                  "followed by one and the same token; before training of {} %; {}.",
                  show(spread_of(trained.pure), 0), kTriggers, show(spread_of(untrained.pure), 0),
                  against(trained.pure, untrained.pure)),
      fmt::format(
          "The value of {} % of the keys promotes, of all tokens, the one that most often follows its triggers, "
          "{} points more than if values belonged to other keys; before training {} %, {} points more; {}.",
          show(spread_of(trained.agree), 0), show(spread_of(trained.above), 0), show(spread_of(untrained.agree), 0),
          show(spread_of(untrained.above), 0), against(trained.above, untrained.above))};
}

}  // namespace

Report ffn(const Settings& settings, Watcher& watcher) {
  Report r;
  MeasuredMemory trained, untrained;
  measure_memories(settings, watcher, trained, untrained, r);
  show_memories(trained, untrained, r);
  conclude_memories(trained, untrained, r);
  r.method = {about_dates(settings.test_pairs) +
              fmt::format(" 2 + 2 layers, d_model 64, d_ff 128, 4 heads, no dropout; {} of 512 target "
                          "tokens. A key is a hidden unit, a column of W1; its value is its row of W2, and "
                          "promotes the token whose embedding, which is also the generator's, it has the largest "
                          "product with (the norm that follows is left out). Keys that fire at fewer than {} "
                          "positions are not counted. The control: the same of networks with the weights that these "
                          "trainings began with.",
                          text::counted(settings.updates, "update"), kTriggers)};
  return r;
}

}  // namespace hexapla::lab
