#include "train/record/watch/watchers.h"

#include "base/error.h"

namespace hexapla::train {
namespace {

void add_scores(const std::string& group, const ValidScores& v, Event& event) {
  auto add = [&](const char* name, double value) { event.scalars.push_back({cat(group, "/", name), value}); };
  add("loss", v.loss);
  add("perplexity", v.perplexity);
  if (v.bleu) add("BLEU", *v.bleu);
  if (v.chrf) add("chrF", *v.chrf);
  if (v.script) add("script", *v.script);
}

}  // namespace

void TensorBoardWatcher::started(const TrainStart& s) { file_.emplace(folder_, s.resumed_at); }

void TensorBoardWatcher::updated(const TrainReport& r) {
  add({.step = r.update,
       .scalars = {{"train/loss", r.loss},
                   {"train/learning_rate", r.lr},
                   {"train/gradient_norm", r.gradient_norm},
                   {"train/tokens_per_second", r.tokens_per_second}}});
}

void TensorBoardWatcher::validated(const Validation& v) {
  Event event{.step = v.update};
  add_scores("valid", v, event);
  for (const auto& [name, scores] : v.sets) add_scores("valid " + name, scores, event);
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
    notes_.note(cat("no more TensorBoard events will be written: ", e.what()));
    file_.reset();
    failed_ = true;
  }
}

}  // namespace hexapla::train
