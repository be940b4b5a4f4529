// hexapla translate: lines on stdin to lines on stdout.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "cli/alignment_options.h"
#include "cli/command.h"
#include "cli/model.h"
#include "cli/search_options.h"
#include "cli/terminal.h"

namespace hexapla::cli {
namespace {

struct Translate {
  std::string model, color = "auto";
  SearchFlags search;
  AlignmentFlags alignment;
  int64_t chunk_lines = 2000;  // read before translating: longer chunks sort better
  int threads = 0;
  bool quiet = false;

  int run() const {
    const OpenModel m = open_translator(model, threads, search.chosen_precision());
    const TextTranslator translator = m.translator();
    const TranslateOptions how = search.options();
    if (alignment) alignment.options(m);  // says what is wrong with them before anything is translated
    Progress progress(make_terminal(parse_color(color), quiet));
    const auto start = std::chrono::steady_clock::now();
    // Somebody who types wants the answer to this line, not to two thousand.
    const int64_t most = isatty(STDIN_FILENO) ? 1 : chunk_lines;
    int64_t first = 0;
    for (std::vector<std::string> lines; read(lines, most); first += static_cast<int64_t>(lines.size())) {
      const auto found = translator.translate(lines, how, [&](size_t line, const std::string& what) {
        progress.say(fmt::format("line {}: {}", first + static_cast<int64_t>(line) + 1, what));
      });
      write(first, found, alignment.texts(m, lines, found, how));
      if (!std::cout) return 1;  // the reader has gone (head)
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
      const int64_t done = first + static_cast<int64_t>(lines.size());
      progress.show(fmt::format("{} lines : {:.1f} lines/s", grouped(done), double(done) / seconds));
    }
    return 0;
  }

  static bool read(std::vector<std::string>& lines, int64_t most) {
    lines.clear();
    for (std::string line; static_cast<int64_t>(lines.size()) < most && std::getline(std::cin, line);) {
      if (!line.empty() && line.back() == '\r') line.pop_back();
      lines.push_back(std::move(line));
    }
    return !lines.empty();
  }

  void write(int64_t first, const std::vector<std::vector<Translation>>& all,
             const std::vector<std::vector<std::string>>& alignments) const {
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < all[i].size(); ++j) {
        const Translation& t = all[i][j];
        const std::string aligned = alignment ? " ||| " + alignments[i][j] : "";
        if (search.n_best == 1)
          std::cout << t.text << aligned << "\n";
        else
          std::cout << fmt::format("{} ||| {}{} ||| F0= {:.6f} ||| {:.6f}\n", first + static_cast<int64_t>(i), t.text,
                                   aligned, t.score, t.normalised);
      }
    std::cout.flush();
  }
};

}  // namespace

void add_translate(CLI::App& app, Action& chosen) {
  auto t = std::make_shared<Translate>();
  CLI::App* c = app.add_subcommand("translate", "translate lines from stdin to stdout");
  c->add_option("-m,--model", t->model, "model file, or folder of a training")->type_name("MODEL");
  t->search.bind(*c);
  c->add_option("--n-best", t->search.n_best, "translations of each line: N ||| text ||| F0= score ||| normalised")
      ->default_str("1");
  t->alignment.bind(*c);
  c->add_option("--threads", t->threads, "0: every core; the result does not depend on it")->default_str("0");
  c->add_flag("-q,--quiet", t->quiet, "only errors");
  c->add_option("--color", t->color, "auto, always or never")->default_str("auto");
  c->footer(
      "Examples:\n"
      "  hexapla translate -m run < test.en > test.de\n"
      "  echo 'A dog runs.' | hexapla translate -m model.safetensors --beam-size 5 --n-best 5\n"
      "  hexapla translate -m run --alignment hard < test.en      # text ||| 0-0 1-2 ...\n"
      "Every input line gives one output line, in order; an empty line gives an empty line.");
  c->callback([t, &chosen] { chosen = [t] { return t->run(); }; });
}

}  // namespace hexapla::cli
