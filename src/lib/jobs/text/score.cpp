#include "lib/jobs/text/score.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/json.h"
#include "data/files/parallel_text.h"
#include "lib/jobs/conflicts.h"
#include "lib/jobs/lines/portions.h"
#include "lib/translate/open_translator.h"
#include "text/quantities.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::api {
namespace {

constexpr auto kAllInJson = "`json` includes the scores of words and tokens; leave out the other options";
constexpr Conflict kScoreConflicts[] = {{"json", "word-scores", kAllInJson}, {"json", "token-scores", kAllInJson}};

// Pairs not scored yet.
struct Pairs {
  std::vector<std::string> source, target;

  // Adds the next pair. -> its bytes; nothing after the last
  std::optional<size_t> add(data::ParallelReader& from) {
    std::string x, y;
    if (!from.next(x, y)) return {};
    source.push_back(std::move(x));
    target.push_back(std::move(y));
    return source.back().size() + target.back().size();
  }
};

struct Totals {
  int64_t pairs = 0, tokens = 0, words = 0;
  double score = 0;

  void add(const decode::TextScore& s) {
    ++pairs;
    tokens += s.tokens;
    words += s.words_read;
    score += s.score;
  }
  std::string text() const {
    if (pairs == 0) return "no pairs";
    const auto perplexity = [&](int64_t n) { return std::exp(-score / static_cast<double>(n)); };
    return fmt::format(
        "{}, log-probability {:.3f}; {}, perplexity {:.4f}; {}, perplexity {:.4f} (</s> counted as "
        "a token and as a word)",
        text::counted(pairs, "pair"), score, text::counted(tokens, "token"), perplexity(tokens),
        text::counted(words, "word"), perplexity(words));
  }
};

// A shard needs both sides in one file: a line's byte offset does not tell where its translation
// begins in another file.
void check_scoring(const ScoreJob& job) {
  refuse_conflicts(kScoreConflicts, {{"json", job.json}, {"word-scores", job.words}, {"token-scores", job.tokens}});
  if ((job.tsv.empty() || job.tsv == "-") && job.shard.given())
    throw UsageError(
        cat(job.shard.given_option(), " needs one file with both sides: give `tsv` FILE (paste SOURCE TARGET > FILE)"));
}

// The next line of a shard, split at its tab.
bool read_next_pair(data::RangeReader& part, const std::string& name, std::string& x, std::string& y) {
  std::string line;
  if (!part.next(line)) return false;
  const size_t tab = line.find('\t');
  if (tab == line.npos || line.find('\t', tab + 1) != line.npos)
    throw DataError(cat(name, ", line ", part.line_number(), " of the part that begins at byte ", part.from(),
                        ": a line is SOURCE<TAB>TARGET, with one tab; fix the line"));
  x = line.substr(0, tab), y = line.substr(tab + 1);
  return true;
}

data::ParallelSource source_of(const ScoreJob& job, const std::shared_ptr<data::RangeReader>& part) {
  if (part && job.files.empty())
    return {.tsv = job.tsv, .pairs = [part, name = job.tsv](std::string& x, std::string& y) {
              return read_next_pair(*part, name, x, y);
            }};
  if (job.tsv.empty() ? job.files.size() != 2 : !job.files.empty())
    throw UsageError("give two files, SOURCE and TARGET, or one with both: `tsv` FILE");
  return job.tsv.empty() ? data::ParallelSource{.source = job.files[0], .target = job.files[1]}
                         : data::ParallelSource{.tsv = job.tsv};
}

std::string numbers(const std::vector<double>& all) {
  std::string text;
  for (double x : all) text += fmt::format("{}{:.6f}", text.empty() ? "" : " ", x);
  return text;
}

// A pair with its scores, and its alignment if requested.
struct ScoredPair {
  const std::string& source;
  const std::string& target;
  const decode::TextScore& score;
  const decode::SoftAlignment* alignment;
};

std::string as_columns(const ScoreJob& job, const ScoredPair& pair) {
  const decode::TextScore& s = pair.score;
  std::string line = fmt::format("{:.6f}\t{:.6f}", s.score, s.normalized);
  if (job.words) line.append("\t").append(numbers(s.words));
  if (job.tokens) line.append("\t").append(numbers(s.log_p));
  if (pair.alignment) line.append("\t").append(job.alignment.text(*pair.alignment));
  return line;
}

std::string as_json(const ScoreJob& job, const text::Vocabulary& vocabulary, const ScoredPair& pair) {
  const decode::TextScore& s = pair.score;
  nlohmann::ordered_json j{{"score", s.score}, {"normalized", s.normalized}, {"tokens", s.tokens}};
  j["words"] = j["pieces"] = nlohmann::ordered_json::array();
  const std::string clean = text::clean_utf8(pair.target);
  const auto text = text::words(clean);
  for (size_t i = 0; i < s.words.size(); ++i)
    j["words"].push_back({i < text.size() ? std::string(text[i]) : "</s>", s.words[i]});
  for (size_t i = 0; i < s.log_p.size(); ++i)
    j["pieces"].push_back({i < s.target.size() ? vocabulary.piece(s.target[i]) : "</s>", s.log_p[i]});
  if (pair.alignment) {
    j["alignment"] = job.alignment.text(*pair.alignment);
    if (job.alignment.units != "pieces") {
      j["source_words"] = job.alignment.words_in(pair.source);
      j["target_words"] = job.alignment.words_in(pair.target);
    }
  }
  return json_text(j);
}

// Scores portions of pairs and writes them.
class Scoring {
 public:
  Scoring(const ScoreJob& job, std::ostream& out, const JobWatch& watch)
      : job_(job), out_(out), watch_(watch), open_({job.model}, job.how) {
    how_ = open_.with(job.search).translate_options();
    how_.attention = open_.attention;
    if (job.alignment) alignment_ = job.alignment.options(open_.first());
  }

  void answer(const Pairs& pairs) {
    const auto& [x, y] = pairs;
    const int64_t first = totals_.pairs;
    const auto scores = open_.scorer.score(x, y, how_, [&](size_t line, const std::string& what) {
      watch_.note(fmt::format("line {}", first + static_cast<int64_t>(line) + 1), what);
    });
    std::vector<decode::SoftAlignment> alignments;
    if (alignment_) alignments = open_.scorer.align(x, y, how_, *alignment_);
    for (size_t i = 0; i < scores.size(); ++i) {
      totals_.add(scores[i]);
      const ScoredPair pair{x[i], y[i], scores[i], alignment_ ? &alignments[i] : nullptr};
      out_ << (job_.json ? as_json(job_, open_.first().target, pair) : as_columns(job_, pair)) << "\n";
    }
    if (!out_.flush()) throw OutputGone();
    watch_.progress({.done = totals_.pairs, .seconds = time_.seconds()});
  }
  const Totals& totals() const { return totals_; }

 private:
  const ScoreJob& job_;
  std::ostream& out_;
  const JobWatch& watch_;
  const OpenTranslator open_;
  decode::TranslateOptions how_;
  std::optional<decode::AlignmentOptions> alignment_;
  Totals totals_;
  Stopwatch time_;
};

}  // namespace

bool score_files(const ScoreJob& job, std::ostream& out, const JobWatch& watch) {
  check_scoring(job);
  const ShardWork work = job.shard.open(job.tsv, {job.model}, out, watch);
  if (!work.answers) return true;
  Scoring scoring(job, work.answers->out(), watch);
  Pairs read;
  Portions portions([&] { scoring.answer(std::exchange(read, {})); });
  try {
    data::ParallelReader pairs(source_of(job, work.part), [&] { portions.answer(); });
    portions.read_all([&] { return read.add(pairs); });
  } catch (const OutputGone&) {
    return false;
  }
  work.answers->finish(scoring.totals().pairs);
  watch.say(scoring.totals().text());
  return true;
}

}  // namespace hexapla::api
