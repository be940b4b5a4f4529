#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <atomic>
#include <tuple>

#include "bind.h"
#include "call.h"
#include "gil.h"
#include "stop.h"

namespace hexapla::python {
namespace {

using Lines = std::vector<std::string>;

// Calls f() without the GIL.
template <class F>
auto unlocked(F&& f) {
  const WithoutGil released;
  return f();
}

// An evaluator that signals can stop. Each call constructs the library's evaluator, which is cheap.
class StoppableEvaluator {
 public:
  explicit StoppableEvaluator(const EvaluatorOptions& options) : options_(options) { const Evaluator check(options); }

  // Calls f(evaluator) by Call::run(). stop: a Stop or None.
  template <class F>
  auto run(const nb::object& stop, F&& f) const {
    std::atomic<bool> stopped = false;
    Call call([&] { stopped = true; });
    const Stop::Lent lent(stop.is_none() ? nullptr : nb::cast<Stop*>(stop), stopped);
    EvaluatorOptions options = options_;
    options.stop = &stopped;
    const Evaluator evaluator(options);
    return call.run([&] { return f(evaluator); });
  }

 private:
  EvaluatorOptions options_;
};

// The fields of a MetricScore, in order.
nb::tuple tuple_of(const MetricScore& s) {
  return nb::make_tuple(s.metric, s.score, s.signature, s.details, s.mean, s.half_width, s.sentences, s.resamples,
                        s.higher_is_better);
}

nb::list scores_of(const StoppableEvaluator& e, const Lines& hypotheses, const std::vector<Lines>& references,
                   const nb::object& stop) {
  const auto scores = e.run(stop, [&](const Evaluator& evaluator) { return evaluator.score(hypotheses, references); });
  nb::list all;
  for (const MetricScore& s : scores) all.append(tuple_of(s));
  return all;
}

std::vector<std::vector<double>> scores_of_sentences(const StoppableEvaluator& e, const Lines& hypotheses,
                                                     const std::vector<Lines>& references, const nb::object& stop) {
  return e.run(stop, [&](const Evaluator& evaluator) { return evaluator.score_sentences(hypotheses, references); });
}

nb::list comparisons_of(const StoppableEvaluator& e, const Lines& baseline, const Lines& system,
                        const std::vector<Lines>& references, const nb::object& stop) {
  const auto found =
      e.run(stop, [&](const Evaluator& evaluator) { return evaluator.compare(baseline, system, references); });
  nb::list all;
  for (const Comparison& c : found) all.append(nb::make_tuple(c.metric, c.baseline, c.system, c.p_value));
  return all;
}

std::vector<std::string> notes_on(const StoppableEvaluator& e, const Lines& hypotheses,
                                  const std::vector<Lines>& references) {
  return e.run(nb::none(), [&](const Evaluator& evaluator) { return evaluator.notes(hypotheses, references); });
}

// Compares two scores by their resamples.
double p_value(double baseline, std::vector<double> baseline_resamples, double system,
               std::vector<double> system_resamples) {
  MetricScore one, other;
  one.score = baseline, one.resamples = std::move(baseline_resamples);
  other.score = system, other.resamples = std::move(system_resamples);
  return Evaluator::p_value(one, other);
}

using ScoreFields = std::tuple<std::string, double, std::string, std::string, double, double, std::vector<double>,
                               std::vector<double>, bool>;

nb::tuple of_runs(const std::vector<ScoreFields>& runs) {
  std::vector<MetricScore> scores;
  for (const ScoreFields& run : runs)
    scores.push_back(std::apply([](const auto&... fields) { return MetricScore{fields...}; }, run));
  return tuple_of(Evaluator::of_runs(scores));
}

void bind_evaluator(nb::module_& m) {
  nb::class_<EvaluatorOptions>(m, "EvaluatorOptions")
      .def(nb::init<>())
      .def_rw("metrics", &EvaluatorOptions::metrics)
      .def_rw("tokenize", &EvaluatorOptions::tokenize)
      .def_rw("lowercase", &EvaluatorOptions::lowercase)
      .def_rw("chrf_lowercase", &EvaluatorOptions::chrf_lowercase)
      .def_rw("ter_case_sensitive", &EvaluatorOptions::ter_case_sensitive)
      .def_rw("ter_normalized", &EvaluatorOptions::ter_normalized)
      .def_rw("ter_no_punct", &EvaluatorOptions::ter_no_punct)
      .def_rw("ter_asian_support", &EvaluatorOptions::ter_asian_support)
      .def_rw("resamples", &EvaluatorOptions::resamples)
      .def_rw("resample_seed", &EvaluatorOptions::resample_seed);
  m.def("p_value", &p_value);
  m.def("of_runs", &of_runs);
  nb::class_<StoppableEvaluator>(m, "Evaluator")
      .def(nb::init<const EvaluatorOptions&>())
      .def("score", &scores_of, nb::arg("hypotheses"), nb::arg("references"), nb::arg("stop").none())
      .def("score_sentences", &scores_of_sentences, nb::arg("hypotheses"), nb::arg("references"),
           nb::arg("stop").none())
      .def("notes", &notes_on)
      .def("compare", &comparisons_of, nb::arg("baseline"), nb::arg("system"), nb::arg("references"),
           nb::arg("stop").none());
}

// Whether the values are there, too (InspectionOptions::tensors).
bool kept(const NamedArray& array) {
  return !array.values.empty() || std::count(array.shape.begin(), array.shape.end(), 0) > 0;
}

// An array in the inspection's memory, which it keeps alive.
nb::ndarray<nb::numpy, const double> tensor_of(nb::handle self, const std::string& name) {
  const auto& tensors = nb::cast<const Inspection&>(self).tensors;
  const auto found = tensors.find(name);
  if (found == tensors.end() || !kept(found->second)) throw nb::key_error(name.c_str());
  const std::vector<std::size_t> shape(found->second.shape.begin(), found->second.shape.end());
  return {found->second.values.data(), shape.size(), shape.data(), self};
}

Lines names_of(const Inspection& inspection) {
  Lines names;
  for (const auto& [name, array] : inspection.tensors)
    if (kept(array)) names.push_back(name);
  return names;
}

std::map<std::string, std::vector<std::int64_t>> shapes_of(const Inspection& inspection) {
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (const auto& [name, array] : inspection.tensors) shapes[name] = array.shape;
  return shapes;
}

// [[(id, token, logit, log-probability)]]
nb::list top_of(const Inspection& inspection) {
  nb::list all;
  for (const std::vector<NextToken>& tokens : inspection.top) {
    nb::list of_position;
    for (const NextToken& t : tokens) of_position.append(nb::make_tuple(t.id, t.token, t.logit, t.log_probability));
    all.append(of_position);
  }
  return all;
}

// [(number of tokens, [(id, token, probability)])]
nb::list sampled_of(const Inspection& inspection) {
  nb::list all;
  for (const SampledFrom& from : inspection.sampled) {
    nb::list shares;
    for (const SampledFrom::Share& s : from.tokens) shares.append(nb::make_tuple(s.id, s.token, s.probability));
    all.append(nb::make_tuple(from.size, shares));
  }
  return all;
}

void load_inspector(Inspector* inspector, const nb::bytes& path) {
  const std::string file = bytes_of(path);
  const WithoutGil released;
  new (inspector) Inspector(file);
}

// (tokens, text, score, normalized)
nb::tuple tuple_of(const SearchHypothesis& h) { return nb::make_tuple(h.tokens, h.text, h.score, h.normalized); }
nb::list tuples_of(const std::vector<SearchHypothesis>& all) {
  nb::list tuples;
  for (const SearchHypothesis& h : all) tuples.append(tuple_of(h));
  return tuples;
}
// (beam, token, log-probability, score, normalized, fate, why)
nb::tuple tuple_of(const SearchCandidate& c) {
  return nb::make_tuple(c.beam, c.token, c.log_probability, c.score, c.normalized, c.fate, c.why);
}

nb::tuple trace(const Inspector& inspector, const std::string& source, const nb::dict& options) {
  const TranslatorOptions how = TranslatorOptions::from(options_of(options));
  return trace_tuple(unlocked([&] { return inspector.trace(source, how); }));
}

using Head = std::tuple<std::string, std::int64_t, std::int64_t>;  // attention, layer, head

Inspector changed(const Inspector& inspector, bool scale, bool mask, bool positions, const std::vector<Head>& heads) {
  ModelChanges changes{scale, mask, positions, {}};
  for (const auto& [attention, layer, head] : heads) changes.removed_heads.push_back({attention, layer, head});
  return unlocked([&] { return inspector.changed(changes); });
}

void bind_inspector(nb::module_& m) {
  nb::class_<Inspection>(m, "Inspection")
      .def_ro("source_tokens", &Inspection::source_tokens)
      .def_ro("target_tokens", &Inspection::target_tokens)
      .def_ro("predicted", &Inspection::predicted)
      .def_ro("log_probabilities", &Inspection::log_probabilities)
      .def_ro("score", &Inspection::score)
      .def_ro("warnings", &Inspection::warnings)
      .def("top", &top_of)
      .def("sampled", &sampled_of)
      .def("shapes", &shapes_of)
      .def("names", &names_of)
      .def("tensor", &tensor_of)
      .def("draw_attention", &Inspector::draw_attention);
  nb::class_<InspectionOptions>(m, "InspectionOptions")
      .def(nb::init<>())
      .def_rw("tensors", &InspectionOptions::tensors)
      .def_rw("longest", &InspectionOptions::longest)
      .def_rw("most_values", &InspectionOptions::most_values)
      .def_rw("target_tokens", &InspectionOptions::target_tokens)
      .def_rw("top_tokens", &InspectionOptions::top_tokens)
      .def_rw("source_tokens", &InspectionOptions::source_tokens)
      .def("set_sampling", [](InspectionOptions& o, double temperature, double top_p) {
        o.sampling = SamplingShape{temperature, top_p};
      });
  nb::class_<Inspector>(m, "Inspector")
      .def("__init__", &load_inspector)
      .def("trace", &trace)
      .def("changed", &changed)
      .def("formula", &Inspector::formula)
      .def("translation",
           [](const Inspector& inspector, const std::string& source, const InspectionOptions& options) {
             return translation_tuple(unlocked([&] { return inspector.translation(source, options); }), false);
           })
      .def("inspect",
           nb::overload_cast<const std::string&, const std::string&, const InspectionOptions&>(&Inspector::inspect,
                                                                                               nb::const_),
           nb::call_guard<WithoutGil>());
}

// [(name, array)]: arrays in the model's memory, which they keep alive.
nb::list parameters_of(nb::handle self) {
  nb::list all;
  const std::vector<ParameterView> views = nb::cast<Model&>(self).parameters();
  for (const ParameterView& p : views) {
    const std::vector<std::size_t> shape(p.shape.begin(), p.shape.end());
    all.append(nb::make_tuple(p.name, nb::ndarray<nb::numpy, float>(p.values, shape.size(), shape.data(), self)));
  }
  return all;
}

void bind_model(nb::module_& m) {
  nb::class_<Model>(m, "Model")
      .def_static("load",
                  [](const nb::bytes& path) { return unlocked([file = bytes_of(path)] { return Model::load(file); }); })
      .def_static("average",
                  [](const nb::list& paths) {
                    return unlocked([files = all_bytes_of(paths)] { return Model::average(files); });
                  })
      .def("save", [](const Model& model,
                      const nb::bytes& path) { unlocked([&, file = bytes_of(path)] { model.save(file); }); })
      .def("save_quantized",
           [](const Model& model, const nb::bytes& path, const Lines& keep) {
             unlocked([&, file = bytes_of(path)] { model.save_quantized(file, keep); });
           })
      .def("configuration", &Model::configuration)
      .def("history", &Model::history)
      .def("parameter_count", &Model::parameter_count)
      .def("parameters", &parameters_of)
      .def("vocabularies", [](const Model& model) {
        const std::string source = model.source_vocabulary(), target = model.target_vocabulary();
        return std::pair(nb::bytes(source.data(), source.size()), nb::bytes(target.data(), target.size()));
      });
}

}  // namespace

nb::tuple trace_tuple(const SearchTrace& found) {
  nb::list steps;
  for (const SearchStep& step : found.steps) {
    nb::list candidates;
    for (const SearchCandidate& c : step.candidates) candidates.append(tuple_of(c));
    steps.append(nb::make_tuple(tuples_of(step.beams), candidates));
  }
  return nb::make_tuple(found.source_tokens, steps, found.ending, found.why, tuples_of(found.finished), found.warnings,
                        found.table, found.picture);
}

void bind_tools(nb::module_& m) {
  bind_evaluator(m);
  bind_inspector(m);
  bind_model(m);
}

}  // namespace hexapla::python
