#include "train/automatic/check_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "data/curate/examination.h"
#include "data/curate/shifts/association.h"
#include "data/files/corpus.h"
#include "data/training_text.h"
#include "text/quantities.h"

namespace hexapla::train {
namespace {

using data::Fault;
using Sets = std::vector<data::ParallelSource>;

constexpr const char* kAnyway = " (`check-text` off trains all the same)";
constexpr double kMany = 0.1;              // of the pairs, for a note
constexpr double kLeaked = 0.02;           // of the validation sentences, for a note
constexpr size_t kLinesOfSample = 20'000;  // of a set, at most
constexpr double kClearly = 2;             // times as similar
constexpr double kMixed = 0.05;            // of the pairs, for a note
constexpr double kWrongLanguage = 0.05;    // of the pairs, for a note
constexpr double kSure = 0.25;             // of the words, more than on the other side

Sets files_of(const std::string& option, const std::vector<std::string>& names, bool tsv) {
  Sets sets = names.empty() ? Sets() : data::parse_sets(option, names, tsv);
  std::erase_if(sets, [](const data::ParallelSource& set) {
    return set.tsv == data::kPairsOfProgram || !set.can_be_read_again();
  });
  return sets;
}

std::string named(const data::ParallelSource& set) {
  return set.tsv.empty() ? set.source + " + " + set.target : set.tsv;
}
std::string words_for(const data::ParallelSource& set) {
  return set.tsv.empty() ? shell_word(set.source) + " " + shell_word(set.target) : shell_word(set.tsv);
}
// The end of a sentence: the command that shows a set. more: further arguments.
std::string shown_by(const data::ParallelSource& set, const std::string& purpose, const std::string& more = "") {
  return cat("`{; ", purpose, " with: hexapla data ", set.tsv.empty() ? "" : "`tsv` ", words_for(set), more, "}`");
}

// Words of some pairs of a set.
struct Sample {
  struct Pair {
    int64_t line;  // from 1
    data::Words source, target;
  };
  std::vector<Pair> pairs;
};

// Evenly distributed, but not at equal distances, which a text that alternates would have, too.
uint64_t place_of(int64_t line) {
  uint64_t x = static_cast<uint64_t>(line) * 0x9E3779B97F4A7C15u;  // after splitmix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  return x ^ (x >> 27);
}

// Some words of a long line: the same ones in any line, because they are sorted by their hashes.
data::Words some_words_of(const std::string& line) {
  constexpr size_t kMost = 40;
  data::Words words = data::words_of(line);
  words.resize(std::min(words.size(), kMost));
  return words;
}

Sample sample_of(const data::ParallelSource& set) {
  Sample sample;
  data::CheckedReader reader(set);
  std::string source, target;
  uint64_t one_of = 1;  // a power of two
  const auto taken = [&](int64_t line) { return (place_of(line) & (one_of - 1)) == 0; };
  for (int64_t line = 1; reader.next(source, target); ++line) {
    if (sample.pairs.size() == kLinesOfSample) {
      one_of *= 2;
      std::erase_if(sample.pairs, [&](const Sample::Pair& pair) { return !taken(pair.line); });
    }
    if (taken(line)) sample.pairs.push_back({line, some_words_of(source), some_words_of(target)});
  }
  return sample;
}

// How often each word is in a side.
using Profile = std::unordered_map<uint32_t, double>;

Profile profile_of(const Sample& sample, data::Words Sample::Pair::*side, size_t first = 0, size_t step = 1) {
  Profile profile;
  for (size_t i = first; i < sample.pairs.size(); i += step)
    for (const uint32_t word : sample.pairs[i].*side) ++profile[word];
  return profile;
}

// The cosine of two profiles.
double similarity(const Profile& a, const Profile& b) {
  const auto product = [](const Profile& x, const Profile& y) {
    double sum = 0;
    for (const auto& [word, times] : x)
      if (const auto found = y.find(word); found != y.end()) sum += times * found->second;
    return sum;
  };
  return product(a, b) / std::sqrt(product(a, a) * product(b, b) + 1e-9);
}

struct Sides {
  Profile source, target;
};
Sides sides_of(const Sample& sample) {
  return {profile_of(sample, &Sample::Pair::source), profile_of(sample, &Sample::Pair::target)};
}

// To which side words belong: above 0 to the source, below to the target. Words of both sides, such as names, belong to
// none.
class Orientation {
 public:
  // turned: 1, or -1 if the sides are exchanged. times: -1 takes the pair away.
  void add(const Sample::Pair& pair, double turned, double times = 1) {
    for (const uint32_t word : pair.source) add(word, {turned * times, times});
    for (const uint32_t word : pair.target) add(word, {-turned * times, times});
  }
  // The sum over the words of a side: its number of words if all are on the source side, the negative if on the target.
  double of(const data::Words& side) const {
    double sum = 0;
    for (const uint32_t word : side) sum += share(word);
    return sum;
  }
  // The mean over the words of a pair: 1 if all are on their sides, -1 if all are on the other.
  double of(const Sample::Pair& pair) const {
    return (of(pair.source) - of(pair.target)) /
           static_cast<double>(std::max<size_t>(pair.source.size() + pair.target.size(), 1));
  }

 private:
  void add(uint32_t word, const std::pair<double, double>& more) {
    auto& [sum, total] = words_[word];
    sum += more.first, total += more.second;
  }
  double share(uint32_t word) const {
    const auto found = words_.find(word);
    return found == words_.end() || found->second.second < 1 ? 0 : found->second.first / found->second.second;
  }
  std::unordered_map<uint32_t, std::pair<double, double>> words_;
};

// A note on a side that has lines in the language of the other side. Equal sides, which data::examine() counts, are
// left out. turned: pairs of a set in one direction, 1 or -1 each.
void note_untranslated(const data::ParallelSource& set, const Sample& sample, const Orientation& words,
                       const std::vector<double>& turned, std::vector<std::string>& notes) {
  const double direction = turned.empty() ? 1 : std::accumulate(turned.begin(), turned.end(), 0.0) < 0 ? -1 : 1;
  for (const auto& [name, side, sign] : {std::tuple{"source", &Sample::Pair::source, -direction},
                                         std::tuple{"target", &Sample::Pair::target, direction}}) {
    std::vector<int64_t> wrong;
    size_t right = 0;
    for (const Sample::Pair& pair : sample.pairs) {
      const data::Words& line = pair.*side;
      const double other = sign * words.of(line), enough = kSure * static_cast<double>(line.size());
      right += other < -enough;
      if (other > enough && pair.source != pair.target) wrong.push_back(pair.line);
    }
    const double share =
        static_cast<double>(wrong.size()) / static_cast<double>(std::max<size_t>(sample.pairs.size(), 1));
    if (share < kWrongLanguage || 2 * right < sample.pairs.size()) continue;
    wrong.resize(std::min<size_t>(wrong.size(), 3));
    notes.push_back(cat(named(set), ": about ", std::lround(100 * share), " % of the ", name,
                        " lines are in the language of the other side, the first in lines ",
                        fmt::format("{}", fmt::join(wrong, ", "))));
  }
}

// A note on a set that has both directions. Every pair is turned so that its words are on the sides of those before it,
// and later of all others.
void note_mixed(const data::ParallelSource& set, const Sample& sample, std::vector<std::string>& notes) {
  Orientation words;
  std::vector<double> turned(sample.pairs.size(), 0), sure(sample.pairs.size(), 0);
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < sample.pairs.size(); ++i) {
      if (round > 0) words.add(sample.pairs[i], turned[i], -1);
      sure[i] = words.of(sample.pairs[i]);
      turned[i] = sure[i] < 0 ? -1 : 1;
      words.add(sample.pairs[i], turned[i]);
    }
  const auto clearly = [&](double sign) {
    return std::count_if(sure.begin(), sure.end(), [&](double s) { return s * sign > kSure; });
  };
  const double minor = clearly(1) < clearly(-1) ? 1 : -1;
  const auto share = static_cast<double>(clearly(minor)) / static_cast<double>(std::max<size_t>(sure.size(), 1));
  if (share < kMixed) return note_untranslated(set, sample, words, turned, notes);
  const auto first = std::find_if(sure.begin(), sure.end(), [&](double s) { return s * minor > kSure; }) - sure.begin();
  notes.push_back(cat(named(set), ": about ", std::lround(100 * share),
                      " % of the pairs have their languages exchanged, the first at line ", sample.pairs[first].line,
                      ": a model learns both directions from them, and is not told which one a line asks for"));
}

// A note on a set whose lines do not belong together: the words of a source are associated with those of its target no
// more than with those of the next one. Association is learned from one half, and asked of the other.
void note_unrelated(const data::ParallelSource& set, const Sample& sample, std::vector<std::string>& notes) {
  constexpr size_t kFew = 500;
  constexpr double kChance = 0.55;
  data::Association words;
  const size_t half = sample.pairs.size() / 2;
  for (size_t i = 0; i < half; ++i) words.add(sample.pairs[i].source, sample.pairs[i].target);
  size_t own = 0, next = 0;
  for (size_t i = half; i + 1 < sample.pairs.size(); ++i) {
    const double here = words.score(sample.pairs[i].source, sample.pairs[i].target),
                 there = words.score(sample.pairs[i].source, sample.pairs[i + 1].target);
    own += here > there, next += there > here;
  }
  if (own + next < kFew || static_cast<double>(own) > kChance * static_cast<double>(own + next)) return;
  notes.push_back(cat(named(set),
                      ": sources and targets do not belong together: their words go with those of other lines as ",
                      "often as with their own", shown_by(set, "see how lengths and words compare")));
}

void note_twice(const data::ParallelSource& set, const Sample& sample, const data::ParallelSource& other,
                const Sample& of_other, std::vector<std::string>& notes) {
  const size_t lines = std::min(sample.pairs.size(), of_other.pairs.size());
  size_t equal = 0;
  for (size_t i = 0; i < lines; ++i)
    equal += sample.pairs[i].source == of_other.pairs[i].source && sample.pairs[i].target == of_other.pairs[i].target;
  if (lines > 0 && 2 * equal > lines)
    notes.push_back(
        cat(named(other), " is the text of ", named(set), ": give it once (`train-weights` counts it more)"));
}

// Words that recur in the training text, and are rare in the validation text: it has another language.
void note_language(const data::ParallelSource& set, const Sample& sample, const data::ParallelSource& training,
                   const Sample& of_training, std::vector<std::string>& notes) {
  constexpr double kRecurring = 0.7;
  constexpr size_t kFew = 50;
  if (sample.pairs.size() < kFew || of_training.pairs.size() < kFew) return;
  for (const auto& [name, side] : {std::pair{"source", &Sample::Pair::source}, {"target", &Sample::Pair::target}}) {
    const Profile even = profile_of(of_training, side, 0, 2), odd = profile_of(of_training, side, 1, 2);
    if (const double own = similarity(even, odd);
        own > kRecurring && kClearly * similarity(profile_of(sample, side), even) < own)
      notes.push_back(cat(named(set), ": its ", name, " has other words than that of ", named(training),
                          ": give validation text of the same languages"));
  }
}

void refuse_exchanged(const data::ParallelSource& first, const Sides& sides, const data::ParallelSource& other,
                      const Sides& now) {
  const auto crossed = [](double across, double along) { return across > 0.1 && across > kClearly * along; };
  if (!crossed(similarity(now.source, sides.target), similarity(now.source, sides.source)) ||
      !crossed(similarity(now.target, sides.source), similarity(now.target, sides.target)))
    return;
  throw DataError(cat(named(other), ": its source is in the language of the target of ", named(first),
                      ", and its target in that of the source: give its files in the other order", kAnyway));
}

void refuse_shift(const data::ParallelSource& set, const data::Examination& found) {
  if (found.shifts.empty()) return;
  const data::ShiftPlace& place = found.shifts.front();
  throw DataError(cat(named(set), ": from line ", place.line, " on, the target is ",
                      text::counted(std::abs(place.after), "line"), place.after > 0 ? " behind" : " ahead of",
                      " the source, so a model learns nothing from it", kAnyway,
                      shown_by(set, "write both sides in step", " `realign` SOURCE TARGET")));
}

// The first lines with the fault: "12, 45, 78".
std::string first_lines(const data::Examination& found, Fault fault) {
  std::set<int64_t> lines;
  for (const data::Where where : {data::Where::source, data::Where::target, data::Where::pair})
    for (const data::FaultExample& example : found.findings.of(fault, where).examples) lines.insert(example.line);
  while (lines.size() > data::Findings::kExamples) lines.erase(std::prev(lines.end()));
  return fmt::format("{}", fmt::join(lines, ", "));
}

// A note if so large a share of the pairs has the fault.
void note(const data::ParallelSource& set, const data::Examination& found, Fault fault, double share,
          std::vector<std::string>& notes) {
  const int64_t count = found.count(fault);
  if (static_cast<double>(count) < share * static_cast<double>(found.pairs)) return;
  const data::FaultInfo& info = data::fault_info(fault);
  notes.push_back(cat(named(set), ": ", text::grouped(count), " of ", text::grouped(found.pairs),
                      " pairs: ", info.words, ", first in lines ", first_lines(found, fault),
                      shown_by(set, "write the text without them",
                               cat(info.dropped ? "" : cat(" `drop` ", info.id), " `write-clean` SOURCE TARGET"))));
}

void check_set(const data::ParallelSource& set, const data::ParallelSource* validation,
               const std::function<void()>& watch, std::vector<std::string>& notes) {
  data::ExamineOptions how;
  how.text = set;
  if (validation) how.tests = *validation;
  const data::Examination found = data::examine(how, [&](int64_t, double) { watch(); });
  refuse_shift(set, found);
  for (const Fault fault :
       {Fault::duplicate, Fault::ratio, Fault::replacement, Fault::mojibake, Fault::entities, Fault::control})
    note(set, found, fault, kMany, notes);
  for (const Fault fault : {Fault::identical, Fault::script}) note(set, found, fault, kWrongLanguage, notes);
  if (!found.tests) return;
  const auto leaked = static_cast<int64_t>(found.tests->found[0]),
             all = static_cast<int64_t>(found.tests->sentences[0]);
  if (static_cast<double>(leaked) < kLeaked * static_cast<double>(all)) return;
  notes.push_back(cat(
      text::grouped(leaked), " of ", text::grouped(all), " sentences of ", named(*validation), " are in ", named(set),
      ", too, so validations promise too much",
      shown_by(set, "leave them out", cat(" `test-sets` ", words_for(*validation), " `write-clean` SOURCE TARGET"))));
}

}  // namespace

std::vector<std::string> check_text(const TrainOptions& o, const std::function<void()>& watch) {
  std::vector<std::string> notes;
  const Sets training = files_of("train-sets", o.train_sets, o.text.tsv);
  const Sets validation = files_of("valid-sets", o.valid_sets, o.text.tsv);
  for (const data::ParallelSource& set : training)
    check_set(set, validation.empty() ? nullptr : &validation.front(), watch, notes);
  std::vector<Sample> samples;
  for (const Sets* sets : {&training, &validation})
    for (const data::ParallelSource& set : *sets) {
      samples.push_back(sample_of(set));
      if (sets == &training) note_mixed(set, samples.back(), notes), note_unrelated(set, samples.back(), notes);
      watch();
    }
  if (training.empty()) return notes;
  const Sides first = sides_of(samples.front());
  for (size_t i = 1; i < samples.size(); ++i) {
    const bool validates = i >= training.size();
    const data::ParallelSource& set = validates ? validation[i - training.size()] : training[i];
    refuse_exchanged(training.front(), first, set, sides_of(samples[i]));
    if (validates)
      note_language(set, samples[i], training.front(), samples.front(), notes);
    else
      for (size_t k = 0; k < i; ++k) note_twice(training[k], samples[k], set, samples[i], notes);
  }
  return notes;
}

}  // namespace hexapla::train
