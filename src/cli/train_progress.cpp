#include "cli/train_progress.h"

#include <fmt/format.h>

namespace hexapla::cli {

std::string ProgressWatcher::bold(const std::string& text) const {
  return progress_.terminal().color ? "\x1b[1m" + text + "\x1b[0m" : text;
}

void ProgressWatcher::note(const std::string& text) { progress_.say("note: " + text); }

void ProgressWatcher::started(const TrainStart& s) {
  progress_.say(fmt::format("{} parameters, {} pairs in {} batches an epoch, {} MiB of working memory, on {}",
                            grouped(s.parameters), grouped(s.examples), grouped(s.batches), s.peak_bytes >> 20,
                            s.backend));
  if (s.resumed_at > 0) progress_.say(fmt::format("resumed after update {}", grouped(s.resumed_at)));
}

void ProgressWatcher::updated(const TrainReport& r) {
  std::string line =
      fmt::format("Ep. {} : Up. {} : Loss {:.4f} : {} tokens/s : gNorm {:.3f} : L.r. {:.3e}", r.epoch, r.update, r.loss,
                  grouped(static_cast<long long>(r.tokens_per_second)), r.gradient_norm, r.lr);
  if (r.seconds_left >= 0) line += fmt::format(" : {:.0f} % : {} left", 100 * r.progress, duration(r.seconds_left));
  if (progress_.terminal().live)
    progress_.show(line);
  else
    progress_.say(line);
}

void ProgressWatcher::validated(const Validation& v) {
  std::string line =
      fmt::format("[valid] Ep. {} : Up. {} : loss {:.4f} : perplexity {:.3f}", v.epoch, v.update, v.loss, v.perplexity);
  if (v.bleu) line += fmt::format(" : BLEU {:.2f}", *v.bleu);
  progress_.say(bold(line + (v.best ? " : new best" : "")));
  for (const auto& [source, reference, hypothesis] : v.examples)
    progress_.say("    source      " + source + "\n    reference   " + reference + "\n    hypothesis  " + hypothesis);
}

void ProgressWatcher::saved(int64_t update, const std::string& folder) {
  progress_.show(fmt::format("checkpoint of update {} in {}", update, folder));
}

}  // namespace hexapla::cli
