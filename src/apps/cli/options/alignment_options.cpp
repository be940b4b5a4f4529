#include "cli/options/alignment_options.h"

#include "base/options/given_option.h"
#include "cli/options/declare_option.h"

namespace hexapla::cli {

void WordAlignments::refuse_idle(bool looked_at) const {
  const When used = when(looked_at);
  if (!used.now && !layer.empty()) refuse_as_idle({"alignment-layer", {layer}}, used);
  if (!used.now && !head.empty()) refuse_as_idle({"alignment-head", {head}}, used);
}

void bind_alignment(Command& command, WordAlignments& alignment, bool looked_at) {
  const auto attends = [&alignment, looked_at] { return alignment.when(looked_at); };
  command
      .add_option("--alignment", alignment.kind,
                  "word alignments: hard (one source word for each word of the translation), soft (all weights), or "
                  "a threshold: every pair of words with at least this weight")
      ->type_name("hard|soft|NUMBER")
      ->group("Output");
  command
      .add_option("--alignment-layer", alignment.layer,
                  "decoder layer whose attention is used, from 0; default: the one guided in training, else "
                  "the last but one")
      ->type_name("N")
      ->group("Output")
      ->when(attends);
  command
      .add_option("--alignment-head", alignment.head,
                  "head of that layer, from 0, or mean; default: the one guided in training, else mean")
      ->type_name("N")
      ->group("Output")
      ->when(attends);
  command
      .add_option("--alignment-units", alignment.units,
                  "units of the alignment: words (in scripts without spaces, characters), blanks "
                  "(whitespace-separated words in any script) or pieces")
      ->choices({"words", "blanks", "pieces"})
      ->default_str("words")
      ->group("Output")
      ->when([&alignment] { return alignment.when(); });
}

}  // namespace hexapla::cli
