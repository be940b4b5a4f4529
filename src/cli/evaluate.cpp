// hexapla evaluate: BLEU and chrF of translations, or of a model on a test set.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/model.h"
#include "cli/search_options.h"
#include "cli/terminal.h"
#include "data/corpus.h"
#include "data/lines.h"
#include "evaluate/bleu.h"
#include "evaluate/chrf.h"

namespace hexapla::cli {
namespace {

struct Evaluate {
  std::vector<std::string> files, metrics{"bleu", "chrf"};
  std::string model, color = "auto";
  SearchFlags search;
  int threads = 0;
  bool lowercase = false, json = false, quiet = false;

  int run() const {
    const std::vector<std::string> first = read_lines(files[0]), reference = read_lines(files[1]);
    if (first.size() != reference.size())
      throw DataError(cat(files[0], " has ", first.size(), " lines, but ", files[1], " has ", reference.size(),
                          "; line i of one must belong to line i of the other"));
    const std::vector<std::string> hypotheses = model.empty() ? first : translate(first);
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const std::string& metric : metrics) {
      if (metric == "bleu")
        bleu(hypotheses, reference, all);
      else if (metric == "chrf")
        chrf(hypotheses, reference, all);
      else
        throw UsageError(cat("--metrics '", metric, "' is unknown; known are bleu and chrf"));
    }
    if (json) std::cout << (all.size() == 1 ? all[0] : all).dump(1) << "\n";
    return 0;
  }

  std::vector<std::string> translate(const std::vector<std::string>& lines) const {
    const OpenModel m = open_translator(model, threads, search.chosen_precision());
    Progress progress(make_terminal(parse_color(color), quiet));
    std::vector<std::string> out;
    for (auto& best : m.translator().translate(lines, search.options(), [&](size_t line, const std::string&what) {
           progress.say(fmt::format("{}:{}: {}", files[0], line + 1, what));
         }))
      out.push_back(std::move(best.front().text));
    return out;
  }

  void bleu(const std::vector<std::string>& h, const std::vector<std::string>& r, nlohmann::ordered_json& all) const {
    const BleuScore s = corpus_bleu(h, r, {.lowercase = lowercase});
    add(s, all);
    const std::string text = s.text();
    all.back()["verbose_score"] = text.substr(text.find(' ', text.find("= ") + 2) + 1);
  }
  void chrf(const std::vector<std::string>& h, const std::vector<std::string>& r, nlohmann::ordered_json& all) const {
    add(corpus_chrf(h, r), all);
  }

  // The signature "BLEU|nrefs:1|case:mixed|..." is the metric's name and then what sacreBLEU gives as keys of JSON.
  template <class Score>
  void add(const Score& s, nlohmann::ordered_json& all) const {
    const size_t bar = s.signature.find('|');
    const std::string text = s.text(), pairs = s.signature.substr(bar + 1);
    if (!json) std::cout << s.signature << text.substr(text.find(" = ")) << "\n";
    nlohmann::ordered_json j{{"name", s.signature.substr(0, bar)}, {"score", s.score}, {"signature", pairs}};
    for (size_t from = 0; from < pairs.size();) {
      const size_t to = std::min(pairs.find('|', from), pairs.size()), colon = pairs.find(':', from);
      j[pairs.substr(from, colon - from)] = pairs.substr(colon + 1, to - colon - 1);
      from = to + 1;
    }
    all.push_back(j);
  }
};

}  // namespace

void add_evaluate(CLI::App& app, Action& chosen) {
  auto e = std::make_shared<Evaluate>();
  CLI::App* c = app.add_subcommand("evaluate", "BLEU and chrF, equal to sacreBLEU's");
  c->add_option("files", e->files, "HYPOTHESES REFERENCES, or with -m SOURCE REFERENCES (plain, .gz, .zst or .xz)")
      ->expected(2)
      ->required()
      ->type_name("FILE FILE");
  c->add_option("-m,--model", e->model, "translate SOURCE with this model first")->type_name("MODEL");
  c->add_option("--metrics", e->metrics, "bleu,chrf")->delimiter(',')->default_str("bleu,chrf");
  c->add_flag("-l,--lowercase,--lc", e->lowercase, "compare in lower case (BLEU), sacreBLEU's -lc");
  c->add_flag("--json", e->json, "JSON with sacreBLEU's keys");
  e->search.bind(*c);
  c->add_option("--threads", e->threads, "0: every core")->default_str("0");
  c->add_flag("-q,--quiet", e->quiet, "only errors");
  c->add_option("--color", e->color, "auto, always or never")->default_str("auto");
  c->footer(
      "Examples:\n"
      "  hexapla evaluate test.hyp.de test.de --lowercase\n"
      "  hexapla evaluate -m run test.en test.de --beam-size 5 --metrics bleu --json");
  c->callback([e, &chosen] { chosen = [e] { return e->run(); }; });
}

}  // namespace hexapla::cli
