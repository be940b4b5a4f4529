// hexapla distill: trains a small model on the translations of a large one, makes it fast, and compares the two.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "base/compute/parallel.h"
#include "base/compute/timing.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "cli/command/command.h"
#include "cli/options/output_files.h"
#include "cli/options/search_options.h"
#include "cli/options/text_inputs.h"
#include "cli/options/train_options.h"
#include "cli/terminal/job_terminal.h"
#include "cli/terminal/train_progress.h"
#include "hexapla/hexapla.h"
#include "lib/files/quantize.h"
#include "lib/training/run_training.h"

namespace hexapla::cli {
namespace {

// Models that are compared on the same text.
struct Compared {
  std::string name;
  std::uintmax_t bytes = 0;
  Translator translator;
  std::vector<double> seconds = {};
  std::vector<std::string> lines = {};
};

struct Distill : BoundTrainOptions {
  std::vector<std::string> teachers;
  ModelOptions how;
  std::string color = "auto";
  bool quiet = false;
  Command* command = nullptr;

  int run() {
    std::vector<GivenOption> given = given_train_options(*command, *this);
    const train::TrainOptions asked = train::resolve_options(given).options;
    check(asked);
    use_threads(static_cast<int>(asked.threads));
    std::filesystem::create_directories(asked.model);
    if (const int code = translate_text(asked)) return code;
    std::erase_if(given, [](const GivenOption& option) { return option.name == "train-sets"; });
    given.push_back({"train-sets", text_files(asked)});
    if (const int code = train(train::resolve_options(given).options)) return code;
    JobTerminal terminal(color, quiet);
    make_fast(asked, terminal);
    compare(asked, terminal);
    terminal.finish();
    return 0;
  }

 private:
  static void check(const train::TrainOptions& o) {
    if (o.model.empty()) throw UsageError("`model` is missing: give the folder of the student");
    if (o.valid_sets.size() != 2)
      throw UsageError(
          "`valid-sets` is missing: give two files, SOURCE TARGET, on which teacher and student are compared");
    for (const auto* sets : {&o.train_sets, &o.valid_sets})
      for (const std::string& file : *sets)
        if (std::filesystem::exists(file) ? !std::filesystem::is_regular_file(file) : file == "-")
          throw UsageError(cat(file, " can be read only once, but distill reads its text several times: give a file"));
    for (const auto& [name, given] : {std::pair{"train-weights", !o.text.train_weights.empty()},
                                      {"guided-alignment", !o.guided_alignment.empty()},
                                      {"tsv", o.text.tsv}})
      if (given)
        throw UsageError(cat("`", name,
                             "` is about the given sets, but the student learns from one set of translations ",
                             "in two files: leave it out"));
  }

  // The student's text keeps the endings of the names, which tell languages.
  static std::vector<std::string> text_files(const train::TrainOptions& o) {
    std::vector<std::string> files;
    for (size_t side = 0; side < 2; ++side) {
      std::string ending =
          side < o.train_sets.size() ? std::filesystem::path(o.train_sets[side]).extension().string() : "";
      if (o.train_sets.size() < 2 || ending == ".tsv" || ending == ".gz" || ending == ".zst" || ending == ".xz")
        ending = side == 0 ? ".source" : ".target";
      files.push_back(o.model + "/distilled" + ending);
    }
    if (files[0] == files[1]) files = {o.model + "/distilled.source", o.model + "/distilled.target"};
    return files;
  }

  // Writes the teacher's translations, unless an earlier start has. -> the exit code
  int translate_text(const train::TrainOptions& o) const {
    const std::vector<std::string> files = text_files(o);
    const std::string record = o.model + "/distilled.json";
    const std::string asked = json_text(nlohmann::json{{"teacher", teachers}, {"train-sets", o.train_sets}}) + "\n";
    JobTerminal terminal(color, quiet);
    if (std::filesystem::exists(record)) {
      if (read_file(record) != asked)
        throw UsageError(cat("`model` ", o.model, " has the translations of another teacher or text (", record,
                             "); choose another folder, or remove that file"));
      terminal.say(cat("the teacher's translations are in ", files[0], " and ", files[1]));
      return 0;
    }
    AugmentOptions job;
    job.train_sets = o.train_sets, job.models = teachers, job.how = how;
    job.warn = [&](const std::string& where, const std::string& what) { terminal.note(where, what); };
    job.on_progress = [&, start = std::chrono::steady_clock::now()](int64_t lines, double share) {
      terminal.progress().show(fmt::format("the teacher translates: {} : {:.1f} lines/s : {:.0f} %",
                                           text::counted(lines, "line"),
                                           static_cast<double>(lines) / seconds_since(start), share * 100));
    };
    return terminal.run([&](const std::atomic<bool>& stop) {
      job.search.stop = &stop;
      const AugmentCounts found = augment(job, files[0], files[1]);
      for (const std::string& note : found.notes) terminal.say(note);
      terminal.say(fmt::format("{} of the teacher: {} {}", text::counted(found.pairs, "pair"), files[0], files[1]));
      write_file_atomically(record, asked);
    });
  }

  int train(const train::TrainOptions& o) const {
    ProgressWatcher watcher(make_log_terminal(parse_color(color), quiet));
    const train::TrainResult result = api::run_training(o, watcher, stop_on_signals());
    say_result(watcher.progress(), o, result);
    if (result.end == train::TrainEnd::interrupted) return 128 + (caught_signal() > 0 ? caught_signal() : SIGTERM);
    train::require_whole(result);
    return 0;
  }

  static std::string shortlist_of(const train::TrainOptions& o) { return o.model + "/shortlist.bin"; }
  static std::string integers_of(const train::TrainOptions& o) { return o.model + "/model.int8.safetensors"; }

  static void make_fast(const train::TrainOptions& o, JobTerminal& terminal) {
    ShortlistOptions how;
    how.warn = terminal.notes_on_lines();
    how.on_progress = [&](size_t pairs) {
      terminal.progress().show(fmt::format("shortlist: {} pairs aligned", text::grouped(static_cast<int64_t>(pairs))));
    };
    make_shortlist(o.model, text_files(o), shortlist_of(o), how);
    api::QuantizeOptions integers;
    integers.model = o.model, integers.output = integers_of(o), integers.valid_sets = o.valid_sets;
    integers.given = [](const std::string&) { return false; };
    const auto warn = [&](int64_t line, const std::string& what) { terminal.note(cat("line ", line + 1), what); };
    api::quantize(integers, {[&](const std::string& what) { terminal.say(what); }, warn});
  }

  // Sizes, speeds and quality of the teacher, the student, and the student made fast.
  void compare(const train::TrainOptions& o, JobTerminal& terminal) const {
    const std::vector<std::string> source = read_lines(o.valid_sets[0]), reference = read_lines(o.valid_sets[1]);
    const auto size = [](const std::string& path) {
      return std::filesystem::file_size(std::filesystem::is_directory(path) ? path + "/model.safetensors" : path);
    };
    std::uintmax_t of_teachers = 0;
    for (const std::string& teacher : teachers) of_teachers += size(teacher);
    ModelOptions fast;
    fast.shortlist = shortlist_of(o);
    std::vector<Compared> all;
    all.push_back({"teacher", of_teachers, Translator(teachers, how)});
    all.push_back({"student", size(o.model), Translator(o.model)});
    all.push_back({"student, int8, shortlist", size(integers_of(o)), Translator(integers_of(o), fast)});
    for (int round = 0; round < 3; ++round)
      for (Compared& one : all) {
        terminal.progress().show(fmt::format("comparing, round {} of 3: {}", round + 1, one.name));
        const auto start = std::chrono::steady_clock::now();
        one.lines = one.translator.translate(source);
        one.seconds.push_back(seconds_since(start));
      }
    terminal.progress().clear();
    print(all, reference);
  }

  static void print(std::vector<Compared>& all, const std::vector<std::string>& reference) {
    EvaluatorOptions by;
    by.tokenize = "auto";
    const Evaluator evaluator(by);
    std::cout << fmt::format("{:<26}{:>8}{:>10}{:>8}{:>8}{:>8}\n", "", "MB", "lines/s", "times", "BLEU", "chrF");
    double first = 0;
    for (Compared& one : all) {
      std::sort(one.seconds.begin(), one.seconds.end());
      const double speed = static_cast<double>(one.lines.size()) / one.seconds[one.seconds.size() / 2];
      if (first == 0) first = speed;
      const auto scores = evaluator.score(one.lines, {reference});
      std::cout << fmt::format("{:<26}{:>8.1f}{:>10.1f}{:>8.2f}{:>8.2f}{:>8.2f}\n", one.name,
                               static_cast<double>(one.bytes) / 1e6, speed, speed / first, scores[0].score,
                               scores[1].score);
    }
  }
};

}  // namespace

void add_distill(Command& app, Action& chosen) {
  auto d = std::make_shared<Distill>();
  Command* c = app.add_command("distill", "train a small, fast model on the translations of a large one");
  d->command = c;
  c->add_option("-m,--teacher", d->teachers, "model file or training folder to learn from; several are an ensemble")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all()
      ->repeated()
      ->required();
  bind_train_options(*c, *d);
  c->add_flag("-q,--quiet", d->quiet, "print only errors");
  c->add_option("--color", d->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  c->footer(
      "Examples:\n"
      "  hexapla distill -m teacher --train-sets train.en train.de --valid-sets val.en val.de --model student \\\n"
      "    --preset tiny --dec-layers 1\n"
      "The teacher translates the training text (sequence-level distillation, Kim and Rush 2016), the student learns\n"
      "from that with the options of hexapla train, and is written as 8-bit integers with a shortlist, too: give\n"
      "translate -m DIR/model.int8.safetensors --shortlist DIR/shortlist.bin. A table on stdout has sizes, speeds\n"
      "(median of three rounds) and quality on --valid-sets. The same command goes on where it stopped.");
  c->callback([d, &chosen] { chosen = [d] { return d->run(); }; });
}

}  // namespace hexapla::cli
