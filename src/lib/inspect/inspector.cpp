#include "hexapla/inspector.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/options/option_names.h"
#include "base/system/cancellation.h"
#include "decode/lines/model_vocabularies.h"
#include "decode/lines/opened_line.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "decode/search/ensemble.h"
#include "decode/search/search.h"
#include "decode/strategies/nucleus.h"
#include "inspect/drawing/picture.h"
#include "inspect/drawing/svg.h"
#include "inspect/files/formulas.h"
#include "inspect/text_pair.h"
#include "lib/guard.h"
#include "lib/translate/trace/search_trace.h"
#include "lib/translate/translator_options.h"
#include "model/changes/changed_model.h"
#include "train/loop/run/run_models.h"

namespace hexapla {
namespace {

using Labels = std::vector<std::string>;

// Row labels and column labels.
std::pair<const Labels&, const Labels&> labels_of(const Inspection& i, const std::string& sublayer) {
  if (sublayer.find(".cross_attention") != sublayer.npos) return {i.target_tokens, i.source_tokens};
  const Labels& own = sublayer.rfind("encoder", 0) == 0 ? i.source_tokens : i.target_tokens;
  return {own, own};
}

decode::LineWarning kept_in(std::vector<std::string>& all) {
  return [&all](size_t, const std::string& what) { all.push_back(spell_options(what, as_field)); };
}

// A sublayer's 3-D tensor (".weights", ".scores") with all its values. UsageError: there is no such
// tensor, or its values were not kept.
const NamedArray& kept(const Inspection& inspection, const std::string& sublayer, const char* tensor) {
  const std::string name = sublayer + tensor;
  const auto found = inspection.tensors.find(name);
  if (found == inspection.tensors.end() || found->second.shape.size() != 3)
    throw UsageError(cat("there is no attention called ", sublayer,
                         "; give a sublayer such as encoder.layers.0.self_attention or "
                         "decoder.layers.0.cross_attention"),
                     "sublayer", sublayer);
  const NamedArray& array = found->second;
  std::size_t size = 1;
  for (const std::int64_t n : array.shape) size *= static_cast<std::size_t>(n);
  if (size == 0 || array.values.size() != size)
    throw UsageError(cat("the inspection has not kept the values of ", name, ": name ", sublayer, ".weights and ",
                         sublayer, ".scores in InspectionOptions::tensors, too"),
                     "tensors", name);
  return array;
}

std::string draw(const Inspection& inspection, const std::string& sublayer) {
  const auto& [shape, values] = kept(inspection, sublayer, ".weights");
  const auto& [of_scores, scores] = kept(inspection, sublayer, ".scores");
  const auto [rows, columns] = labels_of(inspection, sublayer);
  if (of_scores != shape || std::ssize(rows) != shape[1] || std::ssize(columns) != shape[2])
    throw UsageError(cat("the weights of ", sublayer, " have not the size of its scores and the tokens: draw an ",
                         "inspection as inspect() gave it"),
                     "inspection", sublayer);
  inspect::SvgSheet sheet{sublayer, "each row is the attention of one token", rows, columns, {}};
  const auto size = shape[1] * shape[2];
  const std::vector<bool> masked = inspect::masked_by({scores.begin(), scores.begin() + size});  // same for all heads
  for (std::int64_t h = 0; h < shape[0]; ++h)
    sheet.maps.push_back({cat("head ", h), {values.begin() + h * size, values.begin() + (h + 1) * size}, masked});
  return inspect::draw_svg(sheet);
}

NamedArray array_of(const inspect::Recorded& recorded, bool with_values) {
  NamedArray array;
  for (int i = 0; i < recorded.shape.rank(); ++i) array.shape.push_back(recorded.shape[i]);
  if (with_values) array.values = recorded.values;
  return array;
}

bool named_in(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return inspect::named_like(name, pattern); });
}

void check_values(const inspect::Inspection& seen, const InspectionOptions& options) {
  std::size_t count = 0;
  for (const auto& [name, recorded] : seen.seen.tensors())
    if (named_in(options.tensors, name)) count += recorded.values.size();
  if (options.most_values > 0 && count > options.most_values)
    throw UsageError(cat("these tensors have ", count, " numbers; ask for at most ", options.most_values,
                         " at a time, or give a shorter sentence"),
                     "tensors", cat(count));
}

// The model's search defaults, as far as a trace can show them.
decode::DecodingOptions usual_search(const decode::OpenModel& m) {
  model::Usage shown;
  for (const char* name : {"beam-size", "length-penalty", "length-normalization", "word-penalty", "extra-length",
                           "longest", "longest-ratio", "max-length"})
    if (const auto value = m.file.usage.search.find(name); value != m.file.usage.search.end())
      shown.search.insert(*value);
  return api::usual_search(shown);
}

constexpr Range<int64_t> kLongestSide{1, inspect::kLongest};
constexpr Range<int64_t> kMostTop{0, 100};

// The most probable entries of row `row`, best first.
std::vector<NextToken> top_of(const inspect::Inspection& seen, size_t row, size_t count, const text::Vocabulary& v) {
  const inspect::Recorded& all = seen.seen.get("generator.log_probabilities");
  const inspect::Recorded& logits = seen.seen.get("generator.logits");
  const size_t size = static_cast<size_t>(all.shape[1]), begin = row * size;
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), begin);
  count = std::min(count, size);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](size_t a, size_t b) { return std::pair(-all.values[a], a) < std::pair(-all.values[b], b); });
  std::vector<NextToken> top;
  for (size_t i = 0; i < count; ++i) {
    const auto id = static_cast<int32_t>(order[i] - begin);
    top.push_back({id, v.piece(id), logits.values[order[i]], all.values[order[i]]});
  }
  return top;
}

SampledFrom sampled_of(const inspect::Inspection& seen, size_t row, const InspectionOptions& options,
                       const text::Vocabulary& v) {
  const inspect::Recorded& all = seen.seen.get("generator.log_probabilities");
  const auto size = static_cast<size_t>(all.shape[1]);
  const auto shares = decode::nucleus(std::span(all.values).subspan(row * size, size), options.sampling->temperature,
                                      options.sampling->top_p, decode::special_ids(v));
  SampledFrom from{std::ssize(shares), {}};
  for (const auto& [id, probability] : shares) {
    if (std::ssize(from.tokens) == options.top_tokens) break;
    from.tokens.push_back({id, v.piece(id), probability});
  }
  return from;
}

void check_options(const InspectionOptions& options) {
  kLongestSide.check("longest", options.longest);
  kMostTop.check("top_tokens", options.top_tokens);
  if (!options.sampling) return;
  ranges::kTemperature.check("temperature", options.sampling->temperature);
  ranges::kTopP.check("top_p", options.sampling->top_p);
}

// A model file, a training folder, or a checkpoint of a training.
decode::OpenModel opened(const std::string& path) {
  if (!train::is_checkpoint(path)) return decode::open_model(path);
  model::LoadedModel model = train::load_checkpoint_model(path);
  text::VocabularyPair text = decode::vocabularies_of(model, path);
  return {std::move(model), std::move(text.source), std::move(text.target), make_cpu_backend()};
}

}  // namespace

struct Inspector::Impl {
  static constexpr const char* kind = "inspector";
  std::shared_ptr<const decode::OpenModel> model;  // a changed one keeps alive the one that it was made from
  std::vector<inspect::Formula> formulas;
  decode::DecodingOptions usual;
  bool without_cache = false;  // the search, as a removed mask requires

  explicit Impl(std::shared_ptr<const decode::OpenModel> m)
      : model(std::move(m)), formulas(inspect::formulas(model->file.config)), usual(usual_search(*model)) {}

  std::unique_ptr<Impl> changed(const model::Changes& changes) const {
    decode::OpenModel m{model::changed_model(model->file, changes), model->source, model->target, make_cpu_backend()};
    const auto keep = [from = model](const decode::OpenModel* own) { delete own; };
    auto other =
        std::make_unique<Impl>(std::shared_ptr<const decode::OpenModel>(new decode::OpenModel(std::move(m)), keep));
    other->without_cache = without_cache || !changes.mask;
    return other;
  }

  inspect::ModelText text() const { return {*model->backend, *model->file.net, model->source, model->target}; }

  decode::SearchOptions search() const {
    decode::SearchOptions how = decode::recorded_search(model->file.usage).translate_options().search;
    how.without_cache = without_cache;
    return how;
  }

  Inspection inspected(const inspect::Pair& pair, const InspectionOptions& options) const {
    const decode::OpenModel& m = *model;
    const inspect::Inspection seen =
        inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
    check_values(seen, options);
    Inspection result;
    result.source_tokens = inspect::pieces(m.source, pair.source);
    result.target_tokens = inspect::pieces(m.target, seen.target_in);
    result.predicted = inspect::pieces(m.target, seen.target_out);
    result.log_probabilities = seen.log_p;
    result.score = seen.score;
    for (size_t row = 0; row < seen.target_out.size(); ++row) {
      if (options.top_tokens > 0)
        result.top.push_back(top_of(seen, row, static_cast<size_t>(options.top_tokens), m.target));
      if (options.sampling) result.sampled.push_back(sampled_of(seen, row, options, m.target));
    }
    for (const auto& [name, recorded] : seen.seen.tensors())
      result.tensors[name] = array_of(recorded, named_in(options.tensors, name));
    return result;
  }

  text::Ids source_of(const std::string& source, const InspectionOptions& options,
                      const decode::LineWarning& warn) const {
    const auto longest = static_cast<size_t>(options.longest);
    if (!options.source_tokens) return inspect::read_source(text(), source, warn, longest);
    text::Ids ids = inspect::read_tokens(model->source, *options.source_tokens, longest, "source");
    if (ids.empty()) throw UsageError("the source has no tokens; give at least </s>", "source_tokens", "");
    return ids;
  }

  decode::Hypothesis best(const std::string& source, const text::Ids& ids) const {
    decode::SearchOptions how = search();
    how.token_scores = true;
    return inspect::best_hypothesis(text(), ids, decode::opened_line(model->target, source).opening, how);
  }

  inspect::Pair pair_of(const std::string& source, const std::string& target, const InspectionOptions& options,
                        const decode::LineWarning& warn) const {
    const auto longest = static_cast<size_t>(options.longest);
    if (options.target_tokens && !target.empty())
      throw UsageError("give the translation's text or its tokens, not both", "target_tokens", target);
    inspect::Pair pair{source_of(source, options, warn), {}};
    if (options.target_tokens)
      pair.target = inspect::read_tokens(model->target, *options.target_tokens, longest);
    else if (!target.empty())
      pair.target =
          inspect::read_target(text(), target, decode::opened_line(model->target, source).opening, warn, longest);
    else
      pair.target = best(source, pair.source).ids;
    inspect::check_length(pair.target, "target", longest);
    return pair;
  }

  Translation translated(const std::string& source, const InspectionOptions& options,
                         const decode::LineWarning& warn) const {
    const decode::Hypothesis found = best(source, source_of(source, options, warn));
    inspect::check_length(found.ids, "target", static_cast<size_t>(options.longest));
    return {.text = model->target.decode(found.ids),
            .score = found.score,
            .normalized = found.normalized,
            .tokens = inspect::pieces(model->target, found.ids),
            .ids = found.ids,
            .token_scores = found.token_scores,
            .alignment = {}};
  }

  SearchTrace traced(const std::string& source, decode::TranslateOptions how) const {
    how.search.without_cache = without_cache;
    return api::traced(*model, source, how, static_cast<size_t>(how.max_length));
  }
};

Inspector::Inspector(const std::string& path)
    : impl_(api::guarded(
          [&] { return std::make_unique<Impl>(std::make_shared<const decode::OpenModel>(opened(path))); })) {}
Inspector::Inspector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Inspector::~Inspector() = default;
Inspector::Inspector(Inspector&&) noexcept = default;
Inspector& Inspector::operator=(Inspector&&) noexcept = default;

Inspection Inspector::inspect(const std::string& source, const std::string& target) const {
  return inspect(source, target, {});
}

Inspection Inspector::inspect(const std::string& source, const std::string& target,
                              const InspectionOptions& options) const {
  return api::guarded([&] {
    check_options(options);
    std::vector<std::string> warnings;
    Inspection seen = impl_->inspected(impl_->pair_of(source, target, options, kept_in(warnings)), options);
    seen.warnings = std::move(warnings);
    return seen;
  });
}

Translation Inspector::translation(const std::string& source, const InspectionOptions& options) const {
  return api::guarded([&] {
    check_options(options);
    return impl_->translated(source, options, [](size_t, const std::string&) {});
  });
}

Inspector Inspector::changed(const ModelChanges& changes) const {
  return api::guarded([&] {
    model::Changes own{changes.scale, changes.mask, changes.positions, {}};
    for (const auto& [attention, layer, head] : changes.removed_heads)
      own.removed_heads.push_back({attention, layer, head});
    return Inspector(impl_->changed(own));
  });
}

std::string Inspector::formula(const std::string& tensor) const {
  return api::guarded([&] { return inspect::formula_of(tensor, impl_->formulas); });
}

SearchTrace Inspector::trace(const std::string& source, const TranslatorOptions& options) const {
  return api::guarded([&] {
    const CancelScope scope(options.stop);
    api::refuse_idle(api::TranslatorCall::trace, options);
    return impl_->traced(source, api::declared_options(options, impl_->usual).translate_options());
  });
}

std::string Inspector::draw_attention(const Inspection& inspection, const std::string& sublayer) {
  return api::guarded([&] { return draw(inspection, sublayer); });
}

}  // namespace hexapla
