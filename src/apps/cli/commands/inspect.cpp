// hexapla inspect: runs one pair of sentences through a model and shows every intermediate.
#include <iostream>

#include "base/compute/parallel.h"
#include "cli/command/command.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/terminal/job_terminal.h"
#include "lib/inspect/inspect_pair.h"

namespace hexapla::cli {
namespace {

struct Inspect {
  api::InspectJob job;
  std::string color = "auto";
  int threads = 0;

  int run() {
    if (!job.vocabulary) job.color = stdout_color(parse_color(color));
    job.width = stdout_width();
    use_threads(threads);
    JobTerminal terminal("auto", false);
    api::inspect_pair_of_text(job, std::cout, [&](const std::string& note) { terminal.say(note); });
    return 0;
  }
};

}  // namespace

void add_inspect(Command& app, Action& chosen) {
  auto i = std::make_shared<Inspect>();
  Command* c = app.add_command("inspect", "look inside a model while it reads one pair of sentences");
  c->add_option("-m,--model", i->job.model, "model file or training folder")->type_name("MODEL")->required();
  c->add_option("--src", i->job.source_text, "the source sentence; </s> is added")->type_name("TEXT");
  c->add_option("--src-ids", i->job.source_ids, "the source as token ids, exactly as given")->type_name("IDS");
  c->add_option("--tgt", i->job.target_text, "the target sentence; if absent, the source is translated")
      ->type_name("TEXT");
  c->add_option("--tgt-ids", i->job.target_ids, "the target as token ids, without <s> and </s>")->type_name("IDS");
  c->add_option("--attention", i->job.attention, "encoder, decoder (self-attention) or cross")->default_str("cross");
  c->add_option("--layer", i->job.layer, "from 0, or last")->type_name("N")->default_str("last");
  c->add_option("--head", i->job.head, "from 0, all, or mean; default for an image: all")
      ->type_name("N")
      ->default_str("mean");
  c->add_option("--out", i->job.out, "also write every intermediate (.safetensors, .json) or the attention maps (.svg)")
      ->check(output_file())
      ->type_name("FILE");
  c->add_flag("--weights", i->job.with_weights, "with --out: every parameter, too; W_Q, W_K and W_V apart");
  c->add_flag("--gradients", i->job.with_gradients,
              "with --out: the derivative of the loss with respect to every intermediate and every parameter, too");
  c->add_option("--beside", i->job.beside, "a second source: show both as a padded batch, with its padding mask")
      ->type_name("TEXT");
  c->add_option("--vocabulary", i->job.vocabulary, "only list a vocabulary: each id and its piece; source or target")
      ->type_name("SIDE")
      ->choices({"source", "target"});
  c->add_option("--color", i->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  bind_languages(*c, i->job.source_language, i->job.target_language);
  c->add_option("--threads", i->threads, ranges::kThreads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  for (const Option& option : c->options())
    if (const std::string name = option.name();
        name != "model" && name != "vocabulary" && name != "color" && name != "threads")
      c->get_option("--" + name)->when([i = i.get(), name] {
        if (name == "source-language" && i->job.source_ids && !i->job.beside)
          return When{false, "is for text, but `src-ids` gives tokens: leave one of them out"};
        if (name == "target-language" && i->job.target_ids)
          return When{false, "is for text, but `tgt-ids` gives tokens: leave one of them out"};
        return When{!i->job.vocabulary,
                    "is for a pair of sentences, but `vocabulary` lists pieces: leave one of them out"};
      });
  c->footer(
      "Examples:\n"
      "  hexapla inspect -m run --src 'A dog runs.'\n"
      "  hexapla inspect -m run --src 'A dog runs.' --tgt 'Ein Hund rennt.' --attention encoder --layer 0 --head all\n"
      "  hexapla inspect -m run --src 'A dog runs.' --out attention.svg\n"
      "  hexapla inspect -m run --src-ids '17 45 8 2' --out everything.safetensors\n"
      "  hexapla inspect -m run --src 'A dog runs.' --out everything.safetensors --weights --gradients\n"
      "  hexapla inspect -m run --src 'A dog runs.' --beside 'A dog.' --attention encoder --layer 0\n"
      "  hexapla inspect -m run --vocabulary source\n"
      "Rows of a map are queries, columns are keys. The decoder reads <s> and the target, and predicts the target and\n"
      "</s>: a row of the target is the token that is read, not the one that is predicted. The metadata of a\n"
      "file of numbers says of each tensor by which formula it follows from the others.");
  c->callback([i, &chosen] { chosen = [i] { return i->run(); }; });
}

}  // namespace hexapla::cli
