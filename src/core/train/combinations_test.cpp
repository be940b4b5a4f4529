// Random combinations of all options. A run that is stopped, killed or loses a checkpoint ends
// byte-identical to an undisturbed one, on one thread or two, or is refused before its first
// update.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "backend/cpu/cpu.h"
#include "base/options/environment.h"
#include "train/plan/resolve/resolve.h"
#include "train/plan/resolve/test_option_draws.h"
#include "train/record/checkpoint.h"
#include "train/test_runs.h"

namespace hexapla::train {
namespace {

namespace fs = std::filesystem;
using namespace draws;

using Values = std::map<std::string, std::string>;
Values values_of(const TrainOptions& o) {
  Values values;
  for (const OptionRow& row : all_rows(o)) values[row.name] = row.in_one_line();
  return values;
}

std::string difference(const TrainOptions& usual, const TrainOptions& o) {
  std::string text;
  const Values before = values_of(usual);
  for (const auto& [name, value] : values_of(o))
    if (before.at(name) != value) text += cat(" --", name, " ", value);
  return text;
}

struct Killed {};

// Counts a run's events. At a given one the run is stopped, or killed: then it does nothing more.
class Events : public TrainWatcher {
 public:
  enum class Then { nothing, stop, kill };
  explicit Events(Then then = Then::nothing, int64_t at = 0) : then_(then), at_(at) {}
  void started(const TrainStart&) override { begun = true; }
  void updated(const TrainReport&) override { happened(); }
  void validated(const Validation&) override { happened(); }
  void saved(int64_t, const std::string&) override { happened(); }

  bool begun = false;
  int64_t count = 0;
  std::atomic<bool> stop{false};

 private:
  void happened() {
    if (++count != at_) return;
    if (then_ == Then::kill) throw Killed();
    stop = then_ == Then::stop;
  }
  Then then_;
  int64_t at_;
};

struct Outcome {
  std::string error;  // of a kind that the user can fix; "" if none
  std::vector<std::string> missing;
  std::map<std::string, std::string> files;  // in the run folder, by name
};

class Combinations : public Training {
 protected:
  Combinations() {
    auto text = [&](const char* source, const char* target, int pairs, uint64_t seed) {
      write_toy_corpus(at(source), at(target), pairs, seed);
    };
    text("a", "b", 50, 7), text("c", "d", 30, 8), text("v", "w", 12, 9);
    std::ofstream(at("e.tsv")) << tabs("c", "d") << tabs("v", "w");
    std::ofstream(at("tabs")) << tabs("a", "b");
    std::ofstream(at("v.tsv")) << tabs("v", "w");
    std::ofstream links(at("links"));
    std::ifstream source(at("a"));
    for (std::string line; std::getline(source, line); links << "\n") {
      const auto words = std::count(line.begin(), line.end(), ' ') + 1;
      for (auto i = words; i-- > 0;) links << i << "-" << words - 1 - i << " ";
    }
    std::ofstream(at("script")) << "#!/bin/sh\ncksum < \"$1\" | cut -c1-4\n";
    fs::permissions(at("script"), fs::perms::owner_all);
    TrainOptions o = usual();
    o.valid_sets.clear();
    o.max_updates = 10;
    o.model = at("start");
    o.text.target_normalization = o.text.source_normalization;
    run(o);
    fs::copy_file(at("start/vocab.spm"), at("joint.spm"));
    o.text.separate_vocabs = true;
    o.model = at("separate");
    run(o);
    fs::copy_file(at("separate/vocab.target.spm"), at("target.spm"));
  }
  std::string at(const std::string& name) const { return folder_ + "/" + name; }
  std::string tabs(const char* source, const char* target) const {
    std::ifstream a(at(source)), b(at(target));
    std::string text;
    for (std::string x, y; std::getline(a, x) && std::getline(b, y);) text += cat(x, "\t", y, "\n");
    return text;
  }
  TrainOptions usual() const {
    TrainOptions o = options("unused");
    o.architecture = small();
    o.valid_sets = {at("v"), at("w")};
    o.precision = "f32";
    o.max_updates = 20;
    o.save_every = "4";
    o.valid_every = "3";
    o.warmup = 4;
    return o;
  }
  // Each option differs from the default with a chance of one in three.
  TrainOptions drawn(Random& random) const {
    Draw d(random, folder_);
    TrainOptions o = usual();
    for (const OptionRow& row : o.architecture.rows()) {
      if (!d.chance(3)) continue;
      if (row.choices())
        row.set({d.one_of(*row.choices())});
      else if (row.is_switch())
        row.set({"true"});
      else
        kDimensions.at(row.name)(d, o.architecture);
    }
    for (const std::string& name : names_of_settings())
      if (d.chance(3) && !kLeftAlone.contains(name)) kSettings.at(name)(d, o);
    if (o.max_updates == 0 && o.max_epochs == 0) o.max_updates = 15;
    return o;
  }
  static std::vector<std::string> names_of_settings() { return names_of(TrainOptions().rows()); }

  // Runs the training; none if it was killed.
  static std::optional<Outcome> outcome_of(const TrainOptions& o, Events& events) {
    Outcome found;
    try {
      const auto backend = make_cpu_backend(parse_precision(o.precision));
      found.missing = train(o, prepare_data(o), *backend, events, events.stop).missing;
    } catch (const Killed&) {
      return {};
    } catch (const UserError& e) {
      found.error = std::regex_replace(e.what(), std::regex(o.model), "RUN");
    }
    for (const char* name : {"model.safetensors", "best.safetensors"})
      if (fs::exists(o.model + "/" + name)) found.files[name] = read_file(o.model + "/" + name);
    if (!events.begun) return found;
    if (fs::exists(o.model + "/train.jsonl")) found.files["train.jsonl"] = log_of(o);
    if (fs::exists(o.model + "/valid.jsonl")) found.files["valid.jsonl"] = validations_of(o);
    return found;
  }

  // Truncates, flips a bit in, or removes a file of a checkpoint, mostly the newest. -> its update
  static std::optional<int64_t> damage(const TrainOptions& o, Random& random) {
    const std::vector<int64_t> saved = list_checkpoints(o.model + "/checkpoints");
    if (saved.empty()) return {};
    Draw d(random, "");
    const int64_t update = d.chance(3) ? d.one_of(saved) : saved.back();
    const std::string file = fmt::format("{}/checkpoints/update-{:08}/{}", o.model, update,
                                         d.text({"tensors.safetensors", "state.json", "MANIFEST.json"}));
    if (!fs::exists(file)) return {};
    std::string bytes = read_file(file);
    fs::remove(file);
    if (d.chance(3)) return update;
    const auto at = static_cast<size_t>(d.number(0, std::ssize(bytes) - 1));
    if (d.chance(2))
      bytes.resize(at);
    else
      bytes[at] ^= 4;
    std::ofstream(file) << bytes;
    return update;
  }

  // same: byte-identical; refused: with an error; told: it reports what is missing.
  enum class Verdict { same, refused, told };
  Verdict verdict_on(uint64_t number) {
    Random random(number, 14);
    const TrainOptions o = drawn(random);
    SCOPED_TRACE(cat("combination ", number, ":", difference(usual(), o)));
    TrainOptions whole = o, broken = o;
    whole.model = at(cat("whole", number));
    broken.model = at(cat("broken", number));
    Events unbroken;
    const Outcome expected = *outcome_of(whole, unbroken);
    const Verdict verdict =
        unbroken.begun ? compare(expected, broken, unbroken.count, number % 3 == 0, random) : Verdict::refused;
    if (!unbroken.begun) {
      EXPECT_NE(expected.error, "");
      EXPECT_FALSE(fs::exists(whole.model + "/checkpoints") || fs::exists(whole.model + "/model.safetensors"));
      ++reasons_[expected.error.substr(0, 60)];
    }
    fs::remove_all(whole.model);
    fs::remove_all(broken.model);
    return verdict;
  }
  Verdict compare(const Outcome& expected, TrainOptions o, int64_t events, bool damages, Random& random) {
    Draw d(random, "");
    bool newest = true;
    std::string story;
    for (int64_t i = d.number(1, 3); i > 0 && events > 0; --i) {
      o.threads = d.number(1, 2);
      const auto then = d.chance(3) ? Events::Then::stop : Events::Then::kill;
      Events interrupted(then, d.number(1, events));
      outcome_of(o, interrupted);
      story += cat(then == Events::Then::stop ? " stopped" : " killed", " at event ", interrupted.count, ",");
      if (!damages || i > 1) continue;
      const auto saved = list_checkpoints(o.model + "/checkpoints");
      const auto update = damage(o, random);
      newest = !update || *update == saved.back();
      if (update) story += cat(" checkpoint ", *update, " of up to ", saved.back(), " damaged,");
    }
    SCOPED_TRACE(story);
    Events rest;
    const Outcome found = *outcome_of(o, rest);
    if (!rest.begun && found.error != expected.error) {
      EXPECT_NE(found.error, "");
      return Verdict::refused;
    }
    if (!newest && !found.missing.empty()) return Verdict::told;  // needed for the mean
    EXPECT_EQ(found.error, expected.error);
    EXPECT_EQ(found.missing, expected.missing);
    for (const auto& [name, bytes] : expected.files)
      EXPECT_TRUE(found.files.contains(name) && found.files.at(name) == bytes) << name << " differs";
    EXPECT_EQ(found.files.size(), expected.files.size());
    return Verdict::same;
  }

  std::map<std::string, int> reasons_;  // of refusals, with counts
};

TEST_F(Combinations, EveryOptionIsDrawnOrLeftAloneForAReason) {
  std::set<std::string> declared;
  for (const OptionRow& row : model::Config().rows()) {
    declared.insert(row.name);
    EXPECT_EQ(kDimensions.contains(row.name), row.is_number()) << "the new option --" << row.name << " needs values";
  }
  for (const std::string& name : names_of_settings()) {
    declared.insert(name);
    EXPECT_TRUE(kSettings.contains(name) != kLeftAlone.contains(name))
        << "the new option --" << name << " needs values";
  }
  for (const auto& [name, draw] : kDimensions) EXPECT_TRUE(declared.contains(name)) << name;
  for (const auto& [name, draw] : kSettings) EXPECT_TRUE(declared.contains(name)) << name;
  std::map<std::string, std::set<std::string>> seen;
  for (uint64_t i = 0; i < 300; ++i) {
    Random random(i, 14);
    for (const auto& [name, value] : values_of(drawn(random))) seen[name].insert(value);
  }
  for (const std::string& name : declared)
    EXPECT_EQ(seen[name].size() > 1, !kLeftAlone.contains(name)) << name << " is never another";
}

TEST_F(Combinations, InterruptedEqualsUnbroken) {
  const uint64_t count = environment("HEXAPLA_LONG_TESTS") ? 500 : 8;
  const auto first = static_cast<uint64_t>(testing::GTEST_FLAG(random_seed)) * 1000;
  std::map<Verdict, uint64_t> found;
  for (uint64_t i = 0; i < count; ++i) ++found[verdict_on(first + i)];
  std::cout << count << " combinations: " << found[Verdict::same] << " ended with the same bytes, "
            << found[Verdict::refused] << " were refused, " << found[Verdict::told]
            << " said that a damaged checkpoint was missing\n";
  for (const auto& [reason, times] : reasons_) std::cout << "  " << times << " x " << reason << "\n";
  EXPECT_GT(found[Verdict::same], count / 3) << "too many are refused: the test says little";
}

}  // namespace
}  // namespace hexapla::train
