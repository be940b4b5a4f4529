#include "data/curate/examination.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "base/files/hash.h"
#include "data/curate/clean_writer.h"
#include "data/curate/hash_set.h"
#include "data/curate/line_faults.h"
#include "data/curate/pairs/raw_pairs.h"
#include "data/curate/shifts/change_locator.h"
#include "data/curate/usual_scripts.h"
#include "text/characters.h"

namespace hexapla::data {
namespace {

constexpr size_t kFirstPairs = 10'000;   // used for the typical ratio and the usual scripts
constexpr double kAddedCharacters = 10;  // added to both lengths, so that "OK" and "In Ordnung" are no outlier
constexpr int64_t kWatchEvery = 4096;

void check(const ExamineOptions& options) {
  options.text.check();
  check_outputs(options);
  if (!options.realigned.empty() && !options.text.can_be_read_again())
    throw UsageError("`realign` reads the text again, and a pipe can be read only once: give files");
  ExamineOptions::kRatio.check("max-ratio", options.max_ratio);
  ExamineOptions::kLength.check("max-length", options.max_length);
  ExamineOptions::kShift.check("max-shift", options.shifts.max_shift);
  for (const Fault fault : options.keep) {
    if (fault == Fault::fields) throw UsageError("`keep` fields: a line without two fields has no pair to keep");
  }
}

uint64_t both(uint64_t source, uint64_t target) {
  const uint64_t two[] = {source, target};
  return hash_64({reinterpret_cast<const char*>(two), sizeof two});
}

// The sentences of a test set, and which of them occur in the text.
class TestSet {
 public:
  explicit TestSet(const data::ParallelSource& from) {
    data::ParallelReader reader(from);
    for (std::string x, y; reader.next(x, y);) add(x, 0), add(y, 1);
  }
  bool has(std::string_view line, size_t side) {
    const std::string found = text::essence(line);
    if (found.empty()) return false;
    const uint64_t hash = hash_64(found);
    if (!sentences_[side].has(hash)) return false;
    found_[side].insert(hash);
    return true;
  }
  Examination::Tests counts() const {
    return {{sentences_[0].size(), sentences_[1].size()}, {found_[0].size(), found_[1].size()}};
  }

 private:
  void add(std::string_view line, size_t side) {
    const std::string sentence = text::essence(line);
    if (!sentence.empty()) sentences_[side].insert(hash_64(sentence));
  }
  HashSet sentences_[2], found_[2];
};

class Examiner {
 public:
  Examiner(const ExamineOptions& options, const Watch& watch)
      : options_(options), watch_(watch), reader_(options.text) {
    out_.source_name = reader_.source_name();
    out_.target_name = reader_.target_name();
    if (options.tests) tests_.emplace(*options.tests);
    if (const auto& v = options.vocabularies; !v.empty())
      out_.coverage.emplace(text::VocabularyPair{text::Vocabulary::load(v.front()), text::Vocabulary::load(v.back())});
    if (!options.clean.empty()) clean_ = std::make_unique<CleanWriter>(options);
  }

  Examination run() {
    read_first_pairs();
    for (const RawPair& pair : first_) examine(pair);
    first_ = {};
    for (RawPair pair; reader_.next(pair);) examine(pair);
    finish();
    return std::move(out_);
  }

 private:
  void read_first_pairs() {
    std::vector<double> ratios;
    for (RawPair pair; first_.size() < kFirstPairs && reader_.next(pair); first_.push_back(pair)) {
      usual_[0].add(pair.source), usual_[1].add(pair.target);
      const auto x = static_cast<double>(characters(pair.source)), y = static_cast<double>(characters(pair.target));
      if (x > 0 && y > 0) ratios.push_back(y / x);
    }
    if (ratios.empty()) return;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    out_.typical_ratio = *middle;
  }

  void examine(const RawPair& pair) {
    if (++line_ % kWatchEvery == 0) tell_watch(line_, reader_.share_read());
    if (pair.fields != 2) return examine_broken(pair);
    FaultSet faults;
    if (pair.has_source) faults.add(examine_side(pair, pair.source, Where::source));
    if (pair.has_target) faults.add(examine_side(pair, pair.target, Where::target));
    if (!pair.has_source || !pair.has_target) return;
    ++out_.pairs;
    const FaultSet found = faults_of_pair(pair, faults);
    tell(found, Where::pair, pair);
    faults.add(found);
    if (clean_) clean_->add(pair.source, pair.target, faults);
  }

  // A TSV line without exactly two fields; adds empty signatures to stay aligned with the lines.
  void examine_broken(const RawPair& pair) {
    FaultSet faults;
    faults.add(Fault::fields);
    tell(faults, Where::pair, pair);
    signatures_[0].emplace_back();
    signatures_[1].emplace_back();
    if (clean_) clean_->add("", "", faults);
  }

  FaultSet examine_side(const RawPair& pair, const std::string& line, Where side) {
    const auto i = static_cast<size_t>(side);
    const int64_t length = characters(line);
    (i == 0 ? out_.source_characters : out_.target_characters) += length;
    signatures_[i].push_back(signature_of(line));
    FaultSet faults = faults_of(line);
    if (length > options_.max_length) faults.add(Fault::too_long);
    if (i == 0 ? pair.source_cr : pair.target_cr) faults.add(Fault::line_end);
    if (line_ == 1 && (i == 0 ? reader_.source_mark() : reader_.target_mark())) faults.add(Fault::mark);
    if (usual_[i].is_foreign(line)) faults.add(Fault::script);
    if (tests_ && tests_->has(line, i)) faults.add(Fault::in_test);
    if (out_.coverage && out_.coverage->add(line, side)) faults.add(Fault::unknown);
    tell(faults, side, pair);
    return faults;
  }

  FaultSet faults_of_pair(const RawPair& pair, FaultSet sides) {
    FaultSet faults;
    if (sides.has(Fault::blank)) return faults;
    const double x = static_cast<double>(characters(pair.source)) * out_.typical_ratio + kAddedCharacters;
    const double y = static_cast<double>(characters(pair.target)) + kAddedCharacters;
    if (std::max(x / y, y / x) > options_.max_ratio) faults.add(Fault::ratio);
    if (pair.source == pair.target && text::has_letter(pair.source)) faults.add(Fault::identical);
    const uint64_t hx = hash_64(pair.source), hy = hash_64(pair.target);
    const bool new_source = sources_.insert(hx), new_target = targets_.insert(hy);
    if (!pairs_.insert(both(hx, hy))) {
      faults.add(Fault::duplicate);
    } else {
      if (!new_source) faults.add(Fault::same_source);
      if (!new_target) faults.add(Fault::same_target);
    }
    return faults;
  }

  void tell(FaultSet faults, Where where, const RawPair& pair) {
    if (faults.empty()) return;
    for (size_t i = 0; i < kFaults; ++i) {
      const auto fault = static_cast<Fault>(i);
      if (!faults.has(fault)) continue;
      if (where == Where::pair)
        out_.findings.add(fault, where, line_, pair.source, pair.target);
      else
        out_.findings.add(fault, where, line_, where == Where::source ? excerpt(fault, pair.source) : pair.source,
                          where == Where::target ? excerpt(fault, pair.target) : pair.target);
    }
  }

  void finish() {
    out_.source_lines = reader_.source_lines();
    out_.target_lines = reader_.target_lines();
    if (line_ == 0)
      throw DataError(cat(reader_.source_name(), " is empty: give a text file with one sentence per line"));
    if (tests_) out_.tests = tests_->counts();
    find_places();
    if (clean_) out_.clean = clean_->finish(!out_.out_of_step());
  }

  void find_places() {
    out_.path = find_shifts(signatures_[0], signatures_[1], options_.shifts, [&] { tell_watch(line_, 1); });
    if (!out_.path.can_judge) return;
    int before = 0;
    for (const Stretch& stretch : out_.path.stretches) {
      if (stretch.shift != before)
        out_.shifts.push_back({stretch.begin + 1, before, stretch.shift, stretch.evidence, stretch.begin == 0});
      before = stretch.shift;
    }
    if (!out_.shifts.empty() && options_.text.can_be_read_again()) locate();
    if (!options_.realigned.empty())
      out_.realigned = realign(options_.text, out_.shifts, out_.path.lost, options_.realigned);
  }

  void locate() {
    ChangeLocator locator(out_.shifts);
    RawReader again(options_.text);
    for (RawPair pair; again.next(pair);) {
      if (again.line_number() % kWatchEvery == 0) tell_watch(again.line_number(), again.share_read());
      locator.read(pair);
    }
    locator.finish();
  }

  void tell_watch(int64_t lines, double share) {
    if (watch_) watch_(lines, share);
  }

  const ExamineOptions& options_;
  const Watch& watch_;
  RawReader reader_;
  Examination out_;
  std::vector<RawPair> first_;
  std::vector<LineSignature> signatures_[2];
  UsualScripts usual_[2];  // of the first pairs
  HashSet sources_, targets_, pairs_;
  std::optional<TestSet> tests_;
  std::unique_ptr<CleanWriter> clean_;
  int64_t line_ = 0;
};

}  // namespace

int64_t Examination::count(Fault fault) const {
  int64_t n = 0;
  for (const Where where : {Where::source, Where::target, Where::pair}) n += findings.of(fault, where).count;
  return n;
}

int64_t Examination::faulty() const {
  int64_t n = (source_lines != target_lines) + (!shifts.empty() || !path.lost.empty());
  for (size_t i = 0; i < kFaults; ++i) {
    const auto fault = static_cast<Fault>(i);
    n += !fault_info(fault).harmless && count(fault) > 0;
  }
  return n;
}

Examination examine(const ExamineOptions& options, const Watch& watch) {
  check(options);
  return Examiner(options, watch).run();
}

}  // namespace hexapla::data
