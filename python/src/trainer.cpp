#include "bind.h"
#include "call.h"
#include "gil.h"

namespace hexapla::python {
namespace {

// Pairs from a Python iterator of (bytes, bytes), fetched in batches because each visit to Python
// may switch threads.
class Pairs {
 public:
  Pairs(const nb::object& iterable, Call& call) : iterable_(iterable), call_(call) {}

  bool next(std::string& source, std::string& target) {
    if (next_ == fetched_.size()) call_.back([&] { fetch(); });
    if (next_ == fetched_.size()) return false;
    std::tie(source, target) = std::move(fetched_[next_++]);
    return true;
  }

 private:
  // Takes ownership of a result from Python, which may be null.
  static nb::object owned(PyObject* given) {
    if (!given && PyErr_Occurred()) throw nb::python_error();
    return nb::steal(given);
  }
  void fetch() {
    fetched_.clear();
    next_ = 0;
    if (!iterator_.is_valid()) iterator_ = owned(in_python([&] { return PyObject_GetIter(iterable_.ptr()); }));
    while (fetched_.size() < 256) {
      const nb::object pair = owned(in_python([&] { return PyIter_Next(iterator_.ptr()); }));
      if (!pair.is_valid()) return;
      fetched_.emplace_back(bytes_of(pair[0]), bytes_of(pair[1]));
    }
  }

  nb::object iterable_, iterator_;
  Call& call_;
  std::vector<std::pair<std::string, std::string>> fetched_;
  std::size_t next_ = 0;
};

nb::tuple tuple_of(const TrainingStart& s) {
  nb::list unknown;
  for (const auto& u : s.unknown) unknown.append(nb::make_tuple(u.set, u.source, u.target));
  return nb::make_tuple(s.parameters, s.pairs, s.batches, s.validation_pairs, s.resumed_at, s.backend, unknown);
}
nb::tuple tuple_of(const TrainingReport& r) {
  return nb::make_tuple(r.update, r.epoch, r.loss, r.learning_rate, r.gradient_norm, r.target_tokens,
                        r.tokens_per_second, r.progress, r.seconds_left);
}
nb::tuple tuple_of(const ValidationReport& v) {
  nb::list examples;
  for (const auto& e : v.examples) examples.append(nb::make_tuple(e.source, e.reference, e.hypothesis));
  return nb::make_tuple(v.update, v.epoch, v.loss, v.perplexity, v.bleu, v.chrf, v.signature, v.best, v.stalled,
                        examples);
}

// The callbacks of a training, from {name: Python function}.
class Callbacks {
 public:
  Callbacks(const nb::dict& given, Call& call) : given_(given), call_(call) {}

  TrainingCallbacks all() {
    TrainingCallbacks on;
    set_report(on.on_start, "on_start");
    set_report(on.on_progress, "on_progress");
    set_report(on.on_report, "on_report");
    set_report(on.on_validation, "on_validation");
    set(on.on_checkpoint, "on_checkpoint");
    set(on.on_note, "on_note");
    set(on.on_reading, "on_reading");
    return on;
  }

 private:
  template <class Report>
  void set_report(std::function<void(const Report&)>& on, const char* name) {
    if (given_.contains(name))
      on = [this, name](const Report& report) { tell(name, [&] { return tuple_of(report); }); };
  }
  template <class... Arguments>
  void set(std::function<void(Arguments...)>& on, const char* name) {
    if (given_.contains(name))
      on = [this, name](Arguments... arguments) { tell(name, [&] { return nb::make_tuple(arguments...); }); };
  }
  template <class Arguments>
  void tell(const char* name, Arguments&& arguments) {
    call_.back_until_interrupted([&] { call_python(given_[name], arguments()); });
  }

  nb::dict given_;
  Call& call_;
};

// Removes the trainer's pairs on destruction.
class Lent {
 public:
  explicit Lent(Trainer& trainer) : trainer_(trainer) {}
  ~Lent() {
    trainer_.set_training_pairs({});
    trainer_.set_validation_pairs({});
  }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;

 private:
  Trainer& trainer_;
};

PairSource source_of(Pairs& pairs, bool given) {
  if (!given) return {};
  return [&](std::string& source, std::string& target) { return pairs.next(source, target); };
}

// training, validation: iterables, or None. -> (finished, updates, epochs, best score, model, missing)
nb::tuple train(Trainer& trainer, const nb::object& training, const nb::object& validation, const nb::dict& callbacks) {
  Call call([&] { trainer.stop(); });
  Pairs training_pairs(training, call), validation_pairs(validation, call);
  const Lent lent(trainer);
  trainer.set_training_pairs(source_of(training_pairs, !training.is_none()));
  trainer.set_validation_pairs(source_of(validation_pairs, !validation.is_none()));
  Callbacks on(callbacks, call);
  const TrainingCallbacks told = on.all();
  const TrainingResult r = call.run([&] { return trainer.train(told); });
  return nb::make_tuple(r.finished, r.updates, r.epochs, r.best_score, r.model, r.missing);
}

}  // namespace

void bind_trainer(nb::module_& m) {
  nb::class_<Trainer>(m, "Trainer")
      .def("__init__", [](Trainer* t, const nb::bytes& config_file,
                          const nb::dict& options) { new (t) Trainer(bytes_of(config_file), options_of(options)); })
      .def("train", &train, nb::arg("training").none(), nb::arg("validation").none(), nb::arg("callbacks"))
      .def("stop", &Trainer::stop)
      .def("options", &Trainer::options);
}

}  // namespace hexapla::python
