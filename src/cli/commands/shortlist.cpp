// hexapla shortlist: lists the pieces that a translation may use for each source piece.
#include <fmt/format.h>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/options/output_files.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "data/files/parallel_text.h"
#include "decode/opened/alignment_head.h"
#include "decode/opened/open_model.h"
#include "decode/rescoring/aligner.h"
#include "decode/steps/shortlist.h"
#include "text/quantities.h"

namespace hexapla::cli {
namespace {

constexpr size_t kPairsAtOnce = 2000;
constexpr Range<int64_t> kListed{0, 100000};

struct MakeShortlist {
  std::vector<std::string> files;
  std::string model, lexicon, output, color = "auto";
  int64_t first = 100, best = 100;
  int threads = 0;
  bool quiet = false;

  int run() const {
    check();
    use_threads(threads);
    const decode::OpenModel m = decode::open_model(model);
    Progress progress(make_terminal(parse_color(color), quiet));
    const decode::LexicalCounts counts =
        lexicon.empty() ? counts_of_alignments(m, progress) : decode::read_lexical_table(lexicon, m.source, m.target);
    const decode::ShortlistTable table =
        decode::make_shortlist(counts, m.source.size(), static_cast<uint64_t>(first), static_cast<uint64_t>(best));
    table.write(output);
    progress.clear();
    progress.say(fmt::format("{} of {} have a list, {:.1f} on average; {} for every line",
                             text::counted(static_cast<int64_t>(counts.size()), "source piece"),
                             text::grouped(m.source.size()),
                             static_cast<double>(table.ids.size()) / static_cast<double>(counts.size()), first));
    return 0;
  }

 private:
  void check() const {
    if (lexicon.empty() ? files.size() != 2 : !files.empty())
      throw UsageError("give two files, SOURCE and TARGET, for the model to align, or one table: --lexicon FILE");
  }

  struct SomePairs {
    std::vector<text::Ids> source, target;
  };

  // Counts, for each target piece, the source piece with most of its attention.
  static void count(const decode::OpenModel& m, const decode::AttentionHead& head, SomePairs pairs,
                    decode::LexicalCounts& counts) {
    decode::TranslateOptions how;
    std::vector<std::vector<data::Link>> links(pairs.source.size());
    decode::worker_aligner({*m.file.net, decode::special_ids(m.target), *m.backend}, with(how, head))(
        pairs.source, pairs.target,
        [&](size_t i, const decode::SoftAlignment& soft) { links[i] = decode::hard_links(soft); });
    for (size_t i = 0; i < links.size(); ++i)
      for (const data::Link& link : links[i])
        ++counts[pairs.source[i][static_cast<size_t>(link.source)]][pairs.target[i][static_cast<size_t>(link.target)]];
  }
  static decode::TranslateOptions with(decode::TranslateOptions how, const decode::AttentionHead& head) {
    how.attention = head;
    return how;
  }

  decode::LexicalCounts counts_of_alignments(const decode::OpenModel& m, Progress& progress) const {
    const decode::AttentionHead head = decode::alignment_head(m);
    const decode::TranslateOptions how;
    LineNotes notes(progress);
    const decode::LineWarning warn = [&](size_t line, const std::string& what) {
      notes.add(static_cast<int64_t>(line), what);
    };
    const decode::LineEncoder source(m.source, m.file.config, how.max_length, warn),
        target(m.target, m.file.config, how.max_length, warn, decode::LineSide::translation);
    data::ParallelReader reader({.source = files[0], .target = files[1]});
    decode::LexicalCounts counts;
    SomePairs some;
    size_t line = 0;
    const auto flush = [&] {
      count(m, head, std::exchange(some, {}), counts);
      progress.show(fmt::format("{} pairs aligned", text::grouped(static_cast<int64_t>(line))));
    };
    for (std::string x, y; reader.next(x, y); ++line) {
      some.source.push_back(source.encode(x, line));
      m.source.end_source(some.source.back());
      some.target.push_back(target.encode(y, line));
      if (some.source.size() == kPairsAtOnce) flush();
    }
    if (!some.source.empty()) flush();
    notes.finish();
    if (counts.empty()) throw DataError(cat(files[0], " and ", files[1], " have no pair with words on both sides"));
    return counts;
  }
};

}  // namespace

void add_shortlist(Command& app, Action& chosen) {
  auto make = std::make_shared<MakeShortlist>();
  Command* c = app.add_command("shortlist", "list the pieces that translations may use, for translate --shortlist");
  c->add_option("files", make->files, "pairs that the model aligns: two files, SOURCE and TARGET")
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("-m,--model", make->model, "model file or training folder, whose pieces are listed")
      ->type_name("MODEL")
      ->required();
  c->add_option(
       "--lexicon", make->lexicon,
       "instead of pairs: a table of probabilities, TARGET SOURCE PROBABILITY per line, as Marian's tools write it")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--first", make->first, kListed,
                "number of the most frequent pieces (lowest ids), which every line may use")
      ->default_str("100");
  c->add_option("--best", make->best, kListed, "maximum number of pieces listed for a source piece")
      ->default_str("100");
  c->add_option("-o,--output", make->output, "file to write, in Marian's binary format")
      ->check(output_file())
      ->type_name("FILE")
      ->required();
  c->add_option("--threads", make->threads, ranges::threads, "compute threads; 0: one per available core")
      ->default_str("0");
  c->add_flag("-q,--quiet", make->quiet, "print only errors");
  c->add_option("--color", make->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla shortlist -m run train.en train.de -o lex.bin\n"
      "  hexapla translate -m run --shortlist lex.bin < test.en\n"
      "The output layer is then computed only for the listed pieces, and a translation cannot use others: a shorter\n"
      "list is faster, but changes more translations.");
  c->callback([make, &chosen] { chosen = [make] { return make->run(); }; });
}

}  // namespace hexapla::cli
