// hexapla score: scores given translations.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <utility>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "cli/command/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/conflicts.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/job_terminal.h"
#include "cli/text/score_text.h"
#include "hexapla/hexapla.h"

namespace hexapla::cli {
namespace {

constexpr auto kAllInJson = "`json` includes the scores of words and tokens; leave out the other options";
constexpr Conflict kScoreConflicts[] = {{"json", "word-scores", kAllInJson}, {"json", "token-scores", kAllInJson}};

// Thrown if the reader of the output has exited (head).
struct ScoresGone {};

// Pairs that are scored together: as much as can be read without waiting, limited to what makes good batches, because
// whoever wrote a pair may be waiting for its score.
struct Pairs {
  static constexpr size_t kLines = 2000, kBytes = size_t{16} << 20;
  std::vector<std::string> source, target;

  // -> whether there may be more
  bool read(PairFile& from) {
    size_t bytes = 0;
    do {
      std::string x, y;
      if (!from.next(x, y)) return false;
      bytes += x.size() + y.size();
      source.push_back(std::move(x)), target.push_back(std::move(y));
    } while (source.size() < kLines && bytes < kBytes && from.ready());
    return true;
  }
};

struct Score {
  std::vector<std::string> files;  // SOURCE TARGET,
  std::string tsv;                 // or one file with SOURCE<TAB>TARGET lines
  std::vector<std::string> models;
  std::string color = "auto";
  ModelOptions how;
  WordAlignments alignment;
  ShardOptions shard;
  ScoreFormat format;
  decode::DecodingOptions search;
  const Command* command = nullptr;
  bool quiet = false;

  int run();

 private:
  void check() const;
  PairFile pairs(std::optional<OpenShard>& open) const;
};

// Scores pairs while they are read, and writes a line for each.
class Scoring {
 public:
  // file: null: stdout.
  Scoring(const Score& asked, const ModelOptions& how, const Options& search, ShardFile* file, JobTerminal& terminal)
      : format_(asked.format),
        units_(asked.alignment.units),
        translator_(asked.models, how),
        options_(TranslatorOptions::from(search)),
        file_(file),
        terminal_(terminal) {
    translator_.complete(options_);  // checks them
    if (asked.alignment) Alignment().text(format_.alignment);
  }

  // Pairs before an invalid or unreadable one are answered before its error is thrown.
  void score(PairFile from) {
    for (bool more = true; more;) {
      Pairs some;
      try {
        more = some.read(from);
      } catch (const UserError&) {
        answer(some);
        throw;
      }
      answer(some);
    }
  }
  const ScoreTotals& totals() const { return totals_; }

 private:
  void answer(const Pairs& pairs) {
    if (pairs.source.empty()) return;
    options_.warn = terminal_.notes_on_lines(totals_.pairs);
    const auto scores = translator_.score_tokens(pairs.source, pairs.target, options_);
    const std::vector<Alignment> alignments = aligned(pairs);
    for (size_t i = 0; i < scores.size(); ++i) {
      totals_.add(scores[i]);
      const std::string line = format_.line(scores[i], alignments[i]);
      file_ ? file_->write(line) : static_cast<void>(std::cout << line);
    }
    if (!file_ && !std::cout.flush()) throw ScoresGone();
    terminal_.progress().show(fmt::format("{} pairs : {:.1f} pairs/s", text::grouped(totals_.pairs),
                                          static_cast<double>(totals_.pairs) / seconds_since(start_)));
  }
  std::vector<Alignment> aligned(const Pairs& pairs) const {
    if (format_.alignment.empty()) return std::vector<Alignment>(pairs.source.size());
    TranslatorOptions options = options_;
    options.length_penalty.reset(), options.length_normalization.reset(), options.warn = {};
    return translator_.align(pairs.source, pairs.target, options, units_);
  }

  const ScoreFormat& format_;
  const std::string units_;
  const Translator translator_;
  TranslatorOptions options_;
  ShardFile* const file_;
  JobTerminal& terminal_;
  ScoreTotals totals_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A shard needs both sides in one file: a line's byte offset does not tell where its translation
// begins in another file.
void Score::check() const {
  refuse_conflicts(kScoreConflicts,
                   {{"json", format.json}, {"word-scores", format.words}, {"token-scores", format.tokens}});
  if ((tsv.empty() || tsv == "-") && shard.given())
    throw UsageError(
        cat(shard.given_option(), " needs one file with both sides: give `tsv` FILE (paste SOURCE TARGET > FILE)"));
}

PairFile Score::pairs(std::optional<OpenShard>& open) const {
  if (tsv.empty() ? files.size() != 2 : !files.empty())
    throw UsageError("give two files, SOURCE and TARGET, or one with both: `tsv` FILE");
  if (open) return PairFile(std::move(open->part));
  return tsv.empty() ? PairFile(TextFile(files[0]), TextFile(files[1])) : PairFile(TextFile(tsv));
}

int Score::run() {
  use_threads(how.threads);
  const Options options = given_search(*command, search, how);
  how.alignment_layer = alignment.layer, how.alignment_head = alignment.head;
  format.alignment = alignment.kind, format.of_words = alignment.units != "pieces";
  JobTerminal terminal(color, quiet);
  check();
  std::optional<OpenShard> open;
  if (shard.given()) open.emplace(shard, tsv, models, *command, [&](const auto& note) { terminal.say(note); });
  if (open && open->complete()) return 0;
  ShardFile* const file = open && open->file ? &*open->file : nullptr;
  Scoring scoring(*this, how, options, file, terminal);
  try {
    scoring.score(pairs(open));
  } catch (const ScoresGone&) {
    return 1;
  }
  if (file) file->finish(scoring.totals().pairs);
  terminal.say(scoring.totals().text());
  return 0;
}

}  // namespace

void add_score(Command& app, Action& chosen) {
  auto s = std::make_shared<Score>();
  Command* c = app.add_command("score", "log-probabilities of given translations and of each of their words");
  c->add_option("files", s->files, "SOURCE TARGET: line i of TARGET translates line i of SOURCE; - is stdin")
      ->expected(0, 2)
      ->check(text_input())
      ->type_name("FILE FILE");
  c->add_option("--tsv", s->tsv, "one file with SOURCE<TAB>TARGET lines instead")
      ->check(text_input())
      ->type_name("FILE");
  bind_models(*c, s->models, s->how, "model file or training folder; give several for an ensemble")->required();
  c->add_flag("--word-scores", s->format.words, "add a column: log-probabilities of the words of TARGET and of </s>");
  c->add_flag("--token-scores", s->format.tokens,
              "add a column: log-probabilities of the tokens of TARGET and of </s>");
  c->add_flag("--json", s->format.json, "one JSON object per line, with words and tokens");
  bind_languages(*c, s->how.source_language, s->how.target_language);
  bind_alignment(*c, s->alignment);
  bind_options(*c, s->search.rows_of_scoring(), s->search);
  bind_device(*c, s->how.device)->group("Speed");
  s->command = c;
  bind_shard(*c, s->shard, "--tsv");
  c->add_option("--threads", s->how.threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_flag("-q,--quiet", s->quiet, "print only errors");
  c->add_option("--color", s->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla score -m run test.en test.de > scores\n"
      "  hexapla translate -m run < test.en | hexapla score -m run test.en - --word-scores\n"
      "  hexapla score -m run --tsv test.tsv --shard 3/8 --output scores-3\n"
      "  hexapla score -m run test.en test.de --alignment hard | cut -f3 > test.en-de.align\n"
      "Each pair gives one line, in order: the log-probability of the translation including </s>, a tab, and the same\n"
      "with the penalties that the model records for its searches, divided by the length penalty; then the requested\n"
      "columns. Pairs from a pipe are answered as soon as no more input is waiting. Words are separated by\n"
      "whitespace; in scripts without spaces (Chinese, Japanese, Thai, ...) every character is a word; --json lists\n"
      "them. The score of a word is the sum over its tokens; words within one token share its score evenly. The\n"
      "perplexity of all pairs goes to stderr.\n"
      "A pair is never split: of a line longer than --max-length only the beginning is scored, with a warning; the\n"
      "remaining words score 0 and do not count.");
  c->callback([s, &chosen] { chosen = [s] { return s->run(); }; });
}

}  // namespace hexapla::cli
