// hexapla score: scores given translations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <iostream>
#include <optional>
#include <utility>

#include "base/compute/parallel.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/options/alignment_options.h"
#include "cli/options/language_options.h"
#include "cli/options/search_options.h"
#include "cli/options/shard_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/portions.h"
#include "cli/terminal/terminal.h"
#include "data/files/parallel_text.h"
#include "decode/opened/open_model.h"
#include "text/utf8.h"
#include "text/words.h"

namespace hexapla::cli {
namespace {

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

struct Score {
  std::vector<std::string> files;
  std::string model, tsv, color = "auto";
  decode::ScoringOptions asked;
  std::function<bool(const std::string& option)> given;
  const Command* command = nullptr;
  LanguageFlags languages;
  AlignmentFlags alignment;
  ShardFlags shard;
  int threads = 0;
  bool words = false, tokens = false, json = false, quiet = false;

  int run() {
    if (json && (words || tokens))
      throw UsageError("--json includes the scores of words and tokens; leave out the other options");
    use_threads(threads);
    Progress progress(make_terminal(parse_color(color), quiet));
    check_shard();
    const ShardWork work = shard.open(tsv, {model});
    if (!work.note.empty() && !quiet) progress.say(work.note);
    if (!work.answers) {
      progress.say(cat(shard.output, " is complete already"));
      return 0;
    }
    std::ostream& out = work.answers->out();
    decode::OpenModel m = decode::open_translator(model, decode::asked_precision(given("precision"), asked.precision));
    languages.choose(m);
    take_search(*command, m.file.usage, asked);
    const decode::TranslateOptions how = asked.translate_options();
    const decode::TextScorer scorer = m.scorer();
    const std::optional<decode::AlignmentOptions> looked_at =
        alignment ? std::optional(alignment.options(m)) : std::nullopt;
    Totals totals;
    LineNotes notes(progress);
    const auto start = std::chrono::steady_clock::now();
    Pairs read;
    Portions portions([&] {
      const auto [x, y] = std::exchange(read, {});
      const int64_t first = totals.pairs;
      const auto scores = scorer.score(x, y, how, [&](size_t line, const std::string& what) {
        notes.add(first + static_cast<int64_t>(line), what);
      });
      std::vector<decode::SoftAlignment> alignments;
      if (looked_at) alignments = scorer.align(x, y, how, *looked_at);
      for (size_t i = 0; i < scores.size(); ++i) {
        totals.add(scores[i]);
        const decode::SoftAlignment* a = looked_at ? &alignments[i] : nullptr;
        out << (json ? as_json(m, scores[i], x[i], y[i], a) : as_columns(scores[i], a)) << "\n";
      }
      if (!out.flush()) throw OutputGone();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      progress.show(
          fmt::format("{} pairs : {:.1f} pairs/s", text::grouped(totals.pairs), double(totals.pairs) / seconds));
    });
    try {
      data::ParallelReader pairs(source(work.part), [&] { portions.answer(); });
      portions.read_all([&] { return read.add(pairs); });
    } catch (const OutputGone&) {
      return 1;
    }
    notes.finish();
    work.answers->finish(totals.pairs);
    progress.say(totals.text());
    return 0;
  }

 private:
  // A part needs both sides in one file: the byte offset of a line does not give that of its
  // translation in another.
  void check_shard() const {
    if (!tsv.empty() && tsv != "-") return;
    if (!shard.shard.empty() || !shard.output.empty())
      throw UsageError(cat(shard.shard.empty() ? "--output" : "--shard",
                           " needs one file with both sides: give --tsv FILE (paste SOURCE TARGET > FILE)"));
  }

  // The lines of a part, split at their tabs.
  data::ParallelSource source(const std::shared_ptr<data::RangeReader>& part) const {
    if (part && files.empty())
      return {.tsv = tsv, .pairs = [part, name = tsv](std::string& x, std::string& y) {
                std::string line;
                if (!part->next(line)) return false;
                const size_t tab = line.find('\t');
                if (tab == line.npos || line.find('\t', tab + 1) != line.npos)
                  throw DataError(cat(name, ", line ", part->line_number(), " of the part that begins at byte ",
                                      part->from(), ": a line is SOURCE<TAB>TARGET, with one tab; fix the line"));
                x = line.substr(0, tab), y = line.substr(tab + 1);
                return true;
              }};
    if (tsv.empty() ? files.size() != 2 : !files.empty())
      throw UsageError("give two files, SOURCE and TARGET, or one with both: --tsv FILE");
    return tsv.empty() ? data::ParallelSource{.source = files[0], .target = files[1]}
                       : data::ParallelSource{.tsv = tsv};
  }

  static std::string numbers(const std::vector<double>& all) {
    std::string text;
    for (double x : all) text += fmt::format("{}{:.6f}", text.empty() ? "" : " ", x);
    return text;
  }

  std::string as_columns(const decode::TextScore& s, const decode::SoftAlignment* a) const {
    std::string line = fmt::format("{:.6f}\t{:.6f}", s.score, s.normalized);
    if (words) line += "\t" + numbers(s.words);
    if (tokens) line += "\t" + numbers(s.log_p);
    if (a) line += "\t" + alignment.text(*a);
    return line;
  }

  std::string as_json(const decode::OpenModel& m, const decode::TextScore& s, const std::string& source,
                      const std::string& target, const decode::SoftAlignment* a) const {
    nlohmann::ordered_json j{{"score", s.score}, {"normalized", s.normalized}, {"tokens", s.tokens}};
    j["words"] = j["pieces"] = nlohmann::ordered_json::array();
    const std::string clean = text::clean_utf8(target);
    const auto text = text::words(clean);
    for (size_t i = 0; i < s.words.size(); ++i)
      j["words"].push_back({i < text.size() ? std::string(text[i]) : "</s>", s.words[i]});
    for (size_t i = 0; i < s.log_p.size(); ++i)
      j["pieces"].push_back({i < s.target.size() ? m.target.piece(s.target[i]) : "</s>", s.log_p[i]});
    if (a) {
      j["alignment"] = alignment.text(*a);
      if (alignment.units != "pieces") {
        j["source_words"] = alignment.words_in(source);
        j["target_words"] = alignment.words_in(target);
      }
    }
    return json_text(j);
  }
};

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
  c->add_option("-m,--model", s->model, "model file or training folder")->type_name("MODEL");
  c->add_flag("--word-scores", s->words, "add a column: log-probabilities of the words of TARGET and of </s>");
  c->add_flag("--token-scores", s->tokens, "add a column: log-probabilities of the tokens of TARGET and of </s>");
  c->add_flag("--json", s->json, "one JSON object per line, with words and tokens");
  s->languages.bind(*c);
  s->alignment.bind(*c);
  bind_options(*c, s->asked);
  s->command = c;
  s->shard.bind(*c, "--tsv");
  c->add_option("--threads", s->threads, ranges::threads,
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
      "divided by the length penalty; then the requested columns. Pairs from a pipe are answered as soon as no more\n"
      "input is waiting. Words are separated by whitespace; in scripts without spaces (Chinese, Japanese, Thai, ...)\n"
      "every character is a word; --json lists them. The score of a word is the sum over its tokens; words within one\n"
      "token share its score evenly. The perplexity of all pairs goes to stderr.\n"
      "A pair is never split: of a line longer than --max-length only the beginning is scored, with a warning; the\n"
      "remaining words score 0 and do not count.");
  c->callback([s, c, &chosen] {
    s->given = given_in(*c);
    chosen = [s] { return s->run(); };
  });
}

}  // namespace hexapla::cli
