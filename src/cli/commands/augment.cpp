// hexapla augment: makes more training pairs from existing text.
#include <fmt/format.h>

#include <chrono>

#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/files/shell_word.h"
#include "cli/command.h"
#include "cli/options/declare_option.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/terminal/line_notes.h"
#include "cli/terminal/terminal.h"
#include "data/training_text.h"
#include "decode/augment/augment.h"
#include "decode/opened/alignment_head.h"
#include "decode/opened/open_model.h"

namespace hexapla::cli {
namespace {

struct Augment {
  std::vector<std::string> sets, output, models;
  std::string text, tag = "<BT>", color = "auto";
  decode::DecodingOptions search;
  std::function<bool(const std::string& option)> given;
  const Command* command = nullptr;
  LanguageFlags languages;
  int threads = 0;
  bool distill = false, both = false, tsv = false, quiet = false;

  int run() {
    check();
    use_threads(threads);
    Progress progress(make_terminal(parse_color(color), quiet));
    try {
      const decode::AugmentCounts found = make(progress);
      progress.clear();
      report(found, progress);
      return 0;
    } catch (const Canceled&) {
      progress.say("stopped; nothing was written");
      return 128 + caught_signal();
    }
  }

  bool translates() const { return distill || !text.empty(); }

 private:
  void check() const {
    if (distill + both + !text.empty() != 1)
      throw UsageError("give one of --distill, --back-translate FILE and --both-directions");
    if (output.empty()) throw UsageError("--output is missing: give the files to write, SOURCE and TARGET");
    if (sets.empty() && text.empty()) throw UsageError("--train-sets is missing: give the pairs to start from");
    if (translates() && models.empty()) throw UsageError("--model is missing: give the model that translates");
    if (!translates() && !models.empty()) throw UsageError("--both-directions needs no model; leave out --model");
    if (same_file(output[0], output[1])) throw UsageError("--output names one file twice; give SOURCE and TARGET");
    decode::check_tag(tag);
  }

  decode::AugmentCounts make(Progress& progress) {
    const auto began = std::chrono::steady_clock::now();
    decode::AugmentWork work;
    work.stop = &stop_on_signals();
    work.progress = [&](int64_t lines, double share) {
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
      progress.show(fmt::format("{} : {:.1f} lines/s{}", text::counted(lines, "line"), double(lines) / seconds,
                                share > 0 ? fmt::format(" : {:.0f} %", share * 100) : ""));
    };
    const std::vector<data::ParallelSource> pairs =
        sets.empty() ? std::vector<data::ParallelSource>() : data::parse_sets("train-sets", sets, tsv);
    const decode::AugmentFiles files{output[0], output[1]};
    if (both) return decode::both_directions(pairs, files, work);
    decode::OpenEnsemble m =
        decode::open_ensemble(models, decode::asked_precision(given("precision"), search.precision));
    languages.choose(m.members[0]);
    take_search(*command, m.members[0].file.usage, search);
    decode::TranslateOptions how = search.translate_options();
    how.stop = work.stop;
    how.attention = decode::alignment_head(m.members[0]);
    const decode::TextTranslator translator = m.translator({}, {});
    LineNotes notes(progress);
    const decode::Translating by{translator, how,
                                 [&](const std::string& where, const std::string& what) { notes.add(where, what); }};
    decode::AugmentCounts found =
        distill ? decode::distill(pairs, by, files, work) : decode::back_translate(pairs, text, by, tag, files, work);
    notes.finish();
    return found;
  }

  void report(const decode::AugmentCounts& found, Progress& progress) const {
    for (const std::string& note : found.notes) progress.say(note);
    if (found.without > 0)
      progress.say(fmt::format(
          "left out: {} without a translation; where an empty one scores best, --min-length 1 finds another",
          text::counted(found.without, "line")));
    if (found.unknown > 0)
      progress.say(
          fmt::format("{} most of whose letters the model does not know {} written with made-up translations: give "
                      "--model one that "
                      "translates from this language, or take such lines out of the text",
                      text::counted(found.unknown, "line"), found.unknown == 1 ? "was" : "were"));
    progress.say(fmt::format("{}, {} of them new: {} {}", text::counted(found.pairs, "pair"), text::grouped(found.made),
                             output[0], output[1]));
    if (!text.empty() && !tag.empty())
      progress.say(fmt::format("train on them with --user-symbols {}, so that the tag is one piece", shell_word(tag)));
  }
};

}  // namespace

void add_augment(Command& app, Action& chosen) {
  auto a = std::make_shared<Augment>();
  Command* c = app.add_command("augment", "make more training pairs: distillation, back-translation, both directions");
  c->add_flag("--distill", a->distill, "the sources with the model's translations instead of the targets");
  c->add_option("--back-translate", a->text,
                "the pairs and, for each line of this text in the target language, its translation by a model of the "
                "other direction as the source")
      ->check(text_input())
      ->type_name("FILE");
  c->add_flag("--both-directions", a->both, "every pair, and the same pair with its sides exchanged");
  c->add_option("--train-sets", a->sets, "the pairs to start from: source and target files in turn, or .tsv files")
      ->list()
      ->check(text_input())
      ->type_name("SOURCE TARGET");
  c->add_flag("--tsv", a->tsv, "every set is one file of SOURCE<TAB>TARGET lines, with any name")->when([a = a.get()] {
    return When{!a->sets.empty(), "is for `train-sets`: give them, or leave it out"};
  });
  c->add_option("-o,--output", a->output, "files to write; .gz, .zst and .xz are compressed")
      ->expected(2)
      ->check(output_file())
      ->type_name("SOURCE TARGET");
  c->add_option("-m,--model", a->models,
                "model that translates: the teacher, or that of the other direction; several are an ensemble")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all();
  c->add_option("--tag", a->tag, "first word of back-translated sources; '': none")
      ->default_str("<BT>")
      ->when([a = a.get()] {
        return When{!a->text.empty(), "is for `back-translate`: give text for that, or leave it out"};
      });
  bind_options(*c, a->search);
  decode::DecodingOptions::visit(a->search, [&](const std::string& name, const auto&...) {
    if (!c->has("--" + name)) return;
    c->get_option("--" + name)->when([a = a.get(), declared = condition_of(a->search, name)] {
      return a->translates() ? declared()
                             : When{false, "is for translating, but `both-directions` does not: leave it out"};
    });
  });
  a->languages.bind(*c, [a = a.get()] {
    return When{a->translates(), "is for translating, but `both-directions` does not: leave it out"};
  });
  c->add_option("--threads", a->threads, ranges::threads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  c->add_option("--color", a->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->add_flag("-q,--quiet", a->quiet, "print only errors");
  c->footer(
      "Examples:\n"
      "  hexapla augment --distill -m teacher --train-sets train.en train.de -o kd.en kd.de\n"
      "  hexapla augment --back-translate mono.de -m run-de-en --train-sets train.en train.de -o bt.en.gz bt.de.gz\n"
      "  hexapla train --train-sets bt.en.gz bt.de.gz --user-symbols '<BT>' --model run\n"
      "  hexapla augment --both-directions --train-sets train.en train.de -o both.source both.target\n"
      "  hexapla train --train-sets both.source both.target --model both --max-epochs 20\n"
      "  hexapla train --train-sets train.en train.de --init-from both --model run\n"
      "The files appear when they are complete; if stopped, nothing is written.");
  c->callback([a, c, &chosen] {
    a->given = given_in(*c);
    a->command = c;
    chosen = [a] { return a->run(); };
  });
}

}  // namespace hexapla::cli
