// hexapla data: reports defects of parallel text and writes the text without them.
#include <fmt/format.h>

#include <chrono>
#include <iostream>
#include <optional>

#include "base/error.h"
#include "base/system/cancellation.h"
#include "cli/command/command.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/terminal.h"
#include "lib/corpus/data.h"

namespace hexapla::cli {
namespace {

struct Data {
  api::DataOptions options;
  std::string color = "auto";
  bool strict = false, json = false, quiet = false;

  int run() const {
    Progress progress(make_terminal(parse_color(color), quiet));
    std::optional<api::ExaminedData> examined;
    try {
      examined = api::examine_data(options, watch(progress));
    } catch (const Canceled&) {
      progress.say("interrupted; nothing was written");
      return 128 + caught_signal();
    }
    progress.clear();
    const data::Examination& found = examined->found;
    std::cout << (json ? examined->json() : examined->text(stdout_width()));
    if (found.clean && !found.clean->written)
      throw DataError(
          "--write-clean: nothing was written, because the sides are out of step: write them in step first, with "
          "--realign SOURCE TARGET, and clean those");
    if (!options.how.realigned.empty() && !found.realigned)
      throw DataError("--realign: nothing was written, because the sides have too little in common to find the shift");
    if (strict && found.faulty() > 0)
      throw DataError(fmt::format("--strict: {} of fault found",
                                  found.faulty() == 1 ? "1 kind" : fmt::format("{} kinds", found.faulty())));
    return 0;
  }

  static data::Watch watch(Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    stop_on_signals();
    return [&progress, start](int64_t lines, double share) {
      check_canceled();
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const std::string left =
          share > 0 ? fmt::format(", {:.0f} %, {} left", 100 * share, text::duration(seconds / share * (1 - share)))
                    : "";
      progress.show(fmt::format("{} lines, {} per second{}", text::grouped(lines),
                                text::grouped(static_cast<long long>(static_cast<double>(lines) / seconds)), left));
    };
  }
};

constexpr auto kFooter =
    "The faults that --keep, --drop and --json name are fields, blank, encoding, control, replacement, mojibake, "
    "entities, mark, line-end, too-long, ratio, identical, in-test, duplicate, same-source, same-target, script and "
    "unknown. "
    "These do not drop a pair unless asked: entities, mark and line-end (both are removed from what is written), "
    "same-source, same-target, script, unknown. "
    "Shifts are found from length, numbers, punctuation and capitals; the report says how reliable these are.\n"
    "Examples:\n"
    "  hexapla data train.en.gz train.de.gz\n"
    "  hexapla data train.en train.de --test-sets test.en test.de --json\n"
    "  hexapla data train.en train.de --realign in-step.en in-step.de\n"
    "  hexapla data train.en train.de --vocab run/vocab.source.spm run/vocab.target.spm\n"
    "  hexapla data --tsv raw.tsv.xz --max-ratio 4 --keep duplicate --write-clean train.en.zst train.de.zst\n";

}  // namespace

void add_data(Command& app, Action& chosen) {
  auto d = std::make_shared<Data>();
  data::ExamineOptions& o = d->options.how;
  Command* c = app.add_command("data", "find the faults of parallel text, and write the text without them");
  c->add_option("files", d->options.files, "SOURCE TARGET: one sentence per line (plain, .gz, .zst, .xz; - is stdin)")
      ->expected(0, 2)
      ->check(text_input())
      ->type_name("FILE FILE");
  c->add_option("--tsv", d->options.tsv, "one file with SOURCE<TAB>TARGET lines instead")
      ->check(text_input())
      ->type_name("FILE");
  c->add_option("--test-sets", d->options.tests,
                "find sentences of this test set in the text, ignoring case, blanks and punctuation")
      ->expected(1, 2)
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_option("--vocab", o.vocabularies,
                "check coverage by these SentencePiece models: source and target, or one for both")
      ->expected(1, 2)
      ->type_name("SOURCE TARGET");
  c->add_option("--max-ratio", o.max_ratio, data::ExamineOptions::kRatio,
                "largest ratio of the lengths of a pair, relative to the typical ratio of the text")
      ->default_str("3");
  c->add_option("--max-length", o.max_length, data::ExamineOptions::kLength, "largest number of characters per line")
      ->default_str("1000");
  c->add_option("--max-shift", o.shifts.max_shift, data::ExamineOptions::kShift,
                "largest shift between the sides to look for, in lines")
      ->default_str("10");
  c->add_option("--write-clean", o.clean, "write the pairs without faults (SOURCE TARGET, or one TSV)")
      ->expected(1, 2)
      ->type_name("FILE FILE");
  c->add_option("--realign", o.realigned,
                "write the pairs of shifted sides, leaving out lines without a partner (SOURCE TARGET, or one TSV)")
      ->expected(1, 2)
      ->type_name("FILE FILE");
  const auto writing = [d = d.get()] {
    return When{!d->options.how.clean.empty(), "says what goes into clean files: give `write-clean`, too"};
  };
  c->add_option("--keep", d->options.keep, "faults that do not drop a pair")
      ->delimiter(',')
      ->type_name("FAULT,...")
      ->when(writing);
  c->add_option("--drop", d->options.drop, "further faults that drop a pair")
      ->delimiter(',')
      ->type_name("FAULT,...")
      ->when(writing);
  c->add_flag("--strict", d->strict, "exit with code 3 if there is any fault other than repeated sources or targets");
  c->add_flag("--json", d->json, "print the report as JSON");
  c->add_flag("-q,--quiet", d->quiet, "do not show progress");
  c->add_option("--color", d->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(kFooter);
  c->callback([d, &chosen] { chosen = [d] { return d->run(); }; });
}

}  // namespace hexapla::cli
