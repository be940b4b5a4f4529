#include "hexapla/trainer.h"

#include <atomic>

#include "base/options/option_names.h"
#include "lib/guard.h"
#include "lib/options.h"
#include "lib/training/run_training.h"
#include "train/feed/run_files.h"
#include "train/plan/resolve/resolve.h"

namespace hexapla {
namespace {

TrainingReport public_report(const train::TrainReport& r) {
  return {r.update,   r.epoch,       r.loss, r.lr, r.gradient_norm, r.target_tokens, r.tokens_per_second,
          r.progress, r.seconds_left};
}

ValidationReport public_report(const train::Validation& v) {
  ValidationReport r{v.update, v.epoch, v.loss, v.perplexity, v.bleu, v.chrf, v.signature, v.best, v.stalled, {}};
  for (const auto& [source, reference, hypothesis] : v.examples) r.examples.push_back({source, reference, hypothesis});
  return r;
}

// Forwards a training's events to the caller's functions.
class CallbackWatcher final : public api::RunWatcher {
 public:
  CallbackWatcher(const TrainingCallbacks& callbacks, api::CallerFunctions& functions)
      : on_(callbacks), functions_(functions) {}

  void note(const std::string& text) override { tell(on_.on_note, spell_options(text, as_field)); }
  void started(const train::TrainStart& s) override {
    TrainingStart start{s.parameters, s.examples, s.batches, s.valid_examples, s.resumed_at, s.backend, {}};
    for (const auto& [set, counts] : s.unknown) start.unknown.push_back({set, counts.share(0), counts.share(1)});
    tell(on_.on_start, start);
  }
  void running(const train::TrainReport& r) override { tell(on_.on_progress, public_report(r)); }
  void updated(const train::TrainReport& r) override { tell(on_.on_report, public_report(r)); }
  void validated(const train::Validation& v) override { tell(on_.on_validation, public_report(v)); }
  void saved(int64_t update, const std::string& path) override { tell(on_.on_checkpoint, update, path); }
  void reading(const char* what, int64_t pairs) override { tell(on_.on_reading, std::string(what), pairs); }

 private:
  template <class F, class... Arguments>
  void tell(const F& f, const Arguments&... arguments) {
    if (f) functions_.call(f, arguments...);
  }

  const TrainingCallbacks& on_;
  api::CallerFunctions& functions_;
};

// Resets a stop requested before or during a training when the training ends.
struct StopHandled {
  std::atomic<bool>& stopped;
  ~StopHandled() { stopped = false; }
};

TrainingResult public_result(const train::TrainResult& r) {
  return {r.end == train::TrainEnd::finished, r.updates, r.epochs, r.best_score, r.model, r.missing};
}

}  // namespace

std::vector<OptionDescription> training_options() {
  train::TrainOptions usual;
  model::Config& c = usual.architecture;
  OptionTable both;
  both.add({"layers", c.enc_layers, train::kLayersHelp, c.kLayers});
  return api::described(usual.rows() + both + c.rows());
}

struct Trainer::Impl {
  static constexpr const char* kind = "trainer";
  std::vector<GivenOption> given;
  PairSource training_pairs, validation_pairs;
  std::atomic<bool> stopped = false;

  // The given options, with the program's pairs as sets.
  train::TrainOptions resolved(train::ValidSets sets) const {
    std::vector<GivenOption> all = given;
    use_pairs(all, "train-sets", training_pairs);
    use_pairs(all, "valid-sets", validation_pairs);
    return train::resolve_options(std::move(all), sets).options;
  }

  static void use_pairs(std::vector<GivenOption>& all, const std::string& option, const PairSource& pairs) {
    if (!pairs) return;
    for (const GivenOption& other : all)
      if (as_field(other.name) == as_field(option))
        throw UsageError(cat("`", option, "` names files, but the program gives pairs; leave one of them out"), option,
                         other.values.empty() ? "" : other.values.front());
    all.push_back({option, {data::kPairsOfProgram}});
  }

  static data::PairFunction function(const PairSource& pairs, api::CallerFunctions& functions) {
    if (!pairs) return {};
    return [&](std::string& source, std::string& target) { return functions.call(pairs, source, target); };
  }
};

Trainer::Trainer(const Options& options) : Trainer("", options) {}
Trainer::Trainer(const std::string& config_file, const Options& options) : impl_(std::make_unique<Impl>()) {
  api::guarded([&] {
    if (!config_file.empty()) impl_->given = train::read_options_file(config_file);
    for (GivenOption& option : api::given_options(options)) impl_->given.push_back(std::move(option));
    train::refuse_own_config(config_file, impl_->resolved(train::ValidSets::may_follow));
  });
}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

void Trainer::set_training_pairs(PairSource pairs) { impl_->training_pairs = std::move(pairs); }
void Trainer::set_validation_pairs(PairSource pairs) { impl_->validation_pairs = std::move(pairs); }

TrainingResult Trainer::train(const TrainingCallbacks& callbacks) {
  api::CallerFunctions functions;
  return functions.guard([&] {
    const StopHandled handled{impl_->stopped};
    const train::TrainOptions options = impl_->resolved(train::ValidSets::as_given);
    CallbackWatcher watcher(callbacks, functions);
    return public_result(api::run_training(
        options, watcher, impl_->stopped,
        {Impl::function(impl_->training_pairs, functions), Impl::function(impl_->validation_pairs, functions)}));
  });
}

void Trainer::stop() noexcept {
  if (impl_) impl_->stopped = true;
}

std::string Trainer::options() const {
  return api::guarded([&] { return train::dump_options(impl_->resolved(train::ValidSets::may_follow)); });
}

}  // namespace hexapla
