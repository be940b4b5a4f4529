#include "train/watchers.h"

#include "base/error.h"

namespace hexapla {

void TensorBoardWatcher::started(const TrainStart& s) { file_.emplace(folder_, s.resumed_at); }

void TensorBoardWatcher::updated(const TrainReport& r) {
  add({.step = r.update,
       .scalars = {{"train/loss", r.loss},
                   {"train/learning_rate", r.lr},
                   {"train/gradient_norm", r.gradient_norm},
                   {"train/tokens_per_second", r.tokens_per_second}}});
}

void TensorBoardWatcher::validated(const Validation& v) {
  Event event{.step = v.update, .scalars = {{"valid/loss", v.loss}, {"valid/perplexity", v.perplexity}}};
  if (v.bleu) event.scalars.push_back({"valid/BLEU", *v.bleu});
  if (v.chrf) event.scalars.push_back({"valid/chrF", *v.chrf});
  for (size_t i = 0; i < v.examples.size(); ++i) {
    const auto& [source, reference, hypothesis] = v.examples[i];
    event.texts.push_back({cat("valid/sample ", i + 1), markdown_code(cat("source      ", source, "\nreference   ",
                                                                          reference, "\nhypothesis  ", hypothesis))});
  }
  add(std::move(event));
}

void TensorBoardWatcher::add(Event event) {
  if (!file_) return;
  try {
    file_->add(std::move(event));
  } catch (const RunError& e) {
    notes_.note(cat("no more TensorBoard events are written: ", e.what()));
    file_.reset();
    failed_ = true;
  }
}

}  // namespace hexapla
