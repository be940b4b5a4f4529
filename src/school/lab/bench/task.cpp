#include "lab/bench/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/compute/random.h"
#include "data/dates/dates.h"

namespace hexapla::lab {
namespace {

constexpr int64_t kTrainPairs = 40'000;
constexpr uint64_t kCorpora = 1;  // same seed for every corpus

std::string spelled(const std::string& digits) {
  std::string text;
  for (const char digit : digits) (text += text.empty() ? "" : " ") += digit;
  return text;
}

}  // namespace

Task dates(int64_t test) {
  data::DateCorpora made = data::make_dates(kCorpora, kTrainPairs, test);
  return {.name = "made-up dates", .train = std::move(made.train), .test = std::move(made.test)};
}

std::string about_dates(int64_t test) {
  return fmt::format("Days as people write them to their ISO form; tested on {} days that are not in training.", test);
}

data::Corpus reversed_digits(int64_t shortest, int64_t longest, int64_t pairs, uint64_t seed) {
  Random random(seed, static_cast<uint64_t>(longest));
  data::Corpus corpus;
  for (int64_t i = 0; i < pairs; ++i) {
    std::string digits(static_cast<size_t>(shortest + random.below(static_cast<uint32_t>(longest - shortest + 1))),
                       '0');
    for (char& digit : digits) digit = static_cast<char>('0' + random.below(10));
    corpus.lines.push_back(i + 1);
    corpus.source.push_back(spelled(digits));
    corpus.target.push_back(spelled({digits.rbegin(), digits.rend()}));
  }
  return corpus;
}

Task reversal(int64_t shortest, int64_t longest, int64_t test) {
  Task task{.name = "reversed digits",
            .train = reversed_digits(shortest, longest, kTrainPairs, kCorpora),
            .test = {},
            .longest = 64,
            .pieces = 20};
  const std::set<std::string> known(task.train.source.begin(), task.train.source.end());
  const data::Corpus more = reversed_digits(shortest, longest, 2 * test, kCorpora + 1);
  for (size_t i = 0; i < more.source.size() && task.test.size() < test; ++i) {
    if (known.contains(more.source[i])) continue;
    task.test.lines.push_back(more.lines[i]);
    task.test.source.push_back(more.source[i]);
    task.test.target.push_back(more.target[i]);
  }
  return task;
}

}  // namespace hexapla::lab
