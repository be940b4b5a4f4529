#include "train/automatic/check_text.h"

#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "base/error.h"
#include "base/files/shell_word.h"
#include "data/curate/examination.h"
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
constexpr int64_t kLinesOfProfile = 2000;  // of a set, from its beginning
constexpr double kClearly = 2;             // times as similar

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

// How often each word is in a side of a set.
using Profile = std::unordered_map<uint32_t, double>;

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
Sides sides_of(const data::ParallelSource& set) {
  Sides sides;
  data::CheckedReader reader(set);
  std::string source, target;
  for (int64_t i = 0; i < kLinesOfProfile && reader.next(source, target); ++i) {
    for (const uint32_t word : data::words_of(source)) ++sides.source[word];
    for (const uint32_t word : data::words_of(target)) ++sides.target[word];
  }
  return sides;
}

void refuse_exchanged(const data::ParallelSource& first, const Sides& sides, const data::ParallelSource& other) {
  const Sides now = sides_of(other);
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
                      " the source, so a model learns nothing from it", kAnyway, shown_by(set, "see the place")));
}

// A note if so large a share of the pairs has the fault.
void note(const data::ParallelSource& set, const data::Examination& found, Fault fault,
          std::vector<std::string>& notes) {
  const int64_t count = found.count(fault);
  if (static_cast<double>(count) < kMany * static_cast<double>(found.pairs)) return;
  notes.push_back(cat(named(set), ": ", text::grouped(count), " of ", text::grouped(found.pairs),
                      " pairs: ", data::fault_info(fault).words, shown_by(set, "see them")));
}

void check_set(const data::ParallelSource& set, const data::ParallelSource* validation,
               const std::function<void()>& watch, std::vector<std::string>& notes) {
  data::ExamineOptions how;
  how.text = set;
  if (validation) how.tests = *validation;
  const data::Examination found = data::examine(how, [&](int64_t, double) { watch(); });
  refuse_shift(set, found);
  for (const Fault fault : {Fault::identical, Fault::duplicate, Fault::ratio, Fault::replacement, Fault::mojibake,
                            Fault::entities, Fault::control})
    note(set, found, fault, notes);
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
  if (training.empty()) return notes;
  const Sides first = sides_of(training.front());
  for (const Sets* sets : {&training, &validation})
    for (const data::ParallelSource& set : *sets)
      if (&set != &training.front()) refuse_exchanged(training.front(), first, set);
  return notes;
}

}  // namespace hexapla::train
