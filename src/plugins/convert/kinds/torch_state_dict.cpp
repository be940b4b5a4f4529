#include "convert/kinds/torch_state_dict.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/files/file.h"
#include "base/range.h"
#include "convert/containers/safetensors_model.h"
#include "convert/containers/torch_file.h"
#include "convert/foreign/feed_forwards.h"
#include "convert/kinds/positions.h"
#include "convert/kinds/torch_layouts.h"
#include "convert/parsing/limits.h"
#include "convert/texts/source_start.h"
#include "convert/texts/token_list.h"

namespace hexapla::convert {
namespace {

using model::Config;

struct Found {
  const TorchLayout* layout = nullptr;
  std::string prefix;
};

Found find_layout(const ForeignTensors& tensors) {
  for (const TorchLayout& layout : torch_layouts())
    for (const ForeignTensor& t : tensors.list())
      if (t.name.ends_with(layout.anchor)) {
        const std::string prefix = t.name.substr(0, t.name.size() - std::string_view(layout.anchor).size());
        if (prefix.empty() || prefix.back() == '.') return {&layout, prefix};
      }
  return {};
}

std::shared_ptr<const ForeignTensors> open(const std::string& path) {
  if (path.ends_with(".safetensors")) return std::make_shared<SafetensorsModel>(path);
  return std::make_shared<TorchFile>(path);
}

// An option that a checkpoint records (argparse.Namespace) under one of these names; nullptr: none
// of this type.
const PickleValue* recorded(const ForeignTensors& tensors, PickleValue::Kind kind,
                            const std::vector<std::string>& names) {
  const auto* file = dynamic_cast<const TorchFile*>(&tensors);
  if (!file) return nullptr;
  const Pickle& pickle = file->values();
  for (const PickleValue& value : pickle.values()) {
    if (value.kind != PickleValue::Kind::object) continue;
    for (const std::string& name : names)
      if (const PickleValue* found = pickle.find(value, name); found && found->kind == kind) return found;
  }
  return nullptr;
}

// Completes the options by those that a checkpoint records.
ImportOptions with_recorded(ImportOptions o, const ForeignTensors& file) {
  using Kind = PickleValue::Kind;
  const auto take = [&](Kind kind, const std::vector<std::string>& names, bool given, auto&& f) {
    if (const PickleValue* found = given ? nullptr : recorded(file, kind, names)) f(*found);
  };
  take(Kind::integer, {"n_head", "nhead", "heads", "num_heads"}, o.heads > 0, [&](auto& v) { o.heads = v.integer; });
  take(Kind::text, {"activation"}, !o.activation.empty(), [&](auto& v) { o.activation = v.text; });
  take(Kind::real, {"layer_norm_eps"}, o.norm_eps > 0, [&](auto& v) { o.norm_eps = v.real; });
  return o;
}

void refuse_given(const ImportOptions& o, const TorchLayout& layout) {
  if (!layout.own_numbers) return;
  for (const auto& [option, value] :
       {std::pair{"activation", o.activation}, {"norm-eps", o.norm_eps > 0 ? cat(o.norm_eps) : ""}})
    if (!value.empty())
      throw UsageError(cat("`", option, "` ", value, " is for torch.nn.Transformer; ", layout.origin,
                           " has one of its own: leave it out"),
                       option, value);
}

// Whether a checkpoint of jadore801120's code records that embeddings are scaled instead of logits.
bool scales_embeddings(const ForeignTensors& tensors) {
  const auto* file = dynamic_cast<const TorchFile*>(&tensors);
  if (!file) return false;
  const Pickle& pickle = file->values();
  for (const PickleValue& value : pickle.values())
    if (const PickleValue* found = file->values().find(value, "scale_emb_or_prj");
        found && value.kind == PickleValue::Kind::object)
      return found->text == "emb";
  return false;
}

// Where the state dict is in a checkpoint: the key of the outermost dictionary that contains
// `name`, with its dot.
std::string key_before(const ForeignTensors& tensors, const std::string& name) {
  const auto* file = dynamic_cast<const TorchFile*>(&tensors);
  if (!file) return "";
  const Pickle& values = file->values();
  const PickleValue& root = values[values.root()];
  for (size_t i = 0; i + 1 < root.items.size(); i += 2) {
    const PickleValue& key = values[root.items[i]];
    const std::string prefix = cat(key.text, ".");
    if (values[root.items[i + 1]].kind == PickleValue::Kind::dictionary && name.starts_with(prefix)) return prefix;
  }
  return "";
}

// Embeddings, generator, and positions.
class Around {
 public:
  Around(AdjustedTensors& tensors, Surroundings names, const ImportOptions& options)
      : tensors_(tensors), names_(std::move(names)) {
    if (!options.source_embedding.empty()) names_.source = options.source_embedding;
    if (!options.target_embedding.empty()) names_.target = options.target_embedding;
    if (!options.generator.empty()) names_.generator = options.generator;
    require(names_.source, "source-embedding");
    if (names_.target.empty()) names_.target = names_.source;
    require(names_.target, "target-embedding");
    require(names_.generator, "generator");
    if (!names_.bias.empty() && !tensors_.find(names_.bias)) names_.bias.clear();
  }

  void configure(Config& c, const ImportOptions& options) {
    c.source_vocab = rows(names_.source), c.target_vocab = rows(names_.target);
    c.generator_bias = !names_.bias.empty();
    if (!options.embedding_scale.empty())
      c.embedding_scale = c.embedding_scale.parse("embedding-scale", options.embedding_scale);
    const bool generator = equal(names_.target, names_.generator);
    c.tied = !generator ? "none" : equal(names_.source, names_.target) ? "all" : Config::Tied("decoder");
    positions(c, options);
  }

  // jadore801120's: if generator and target embedding are tied, embeddings are not scaled and
  // logits are divided by sqrt(d_model). Dividing our table by that does both. If they are not
  // tied, neither is scaled.
  void divide_table(Config& c) {
    if (c.tied == "none") {
      c.embedding_scale = "none";
      return;
    }
    const double factor = 1 / std::sqrt(static_cast<double>(c.d_model));
    c.embedding_scale = "sqrt";
    for (const std::string& name : {names_.source, names_.target})
      if (!divided_.contains(name)) tensors_.scale(name, factor, name), divided_.insert(name);
  }

  void name(const Config& c, WeightNames& names) const {
    names.table("embeddings.0.table", names_.source);
    if (c.tied != "all") names.table("embeddings.1.table", names_.target);
    if (c.tied == "none") names.linear("generator", {{{names_.generator}}, {}});
    if (c.generator_bias) names.vector("generator.bias", names_.bias);
    if (c.positions == "learned") {
      names.table("encoder.input.positions.table", names_.source_positions);
      names.table("decoder.input.positions.table", names_.target_positions);
    }
    for (const std::string& name :
         {names_.source, names_.target, names_.generator, names_.source_positions, names_.target_positions})
      names.ignore(name);
  }

 private:
  void require(const std::string& name, const std::string& option) const {
    if (!name.empty() && tensors_.find(name)) return;
    throw UsageError(cat("`", option, "` ", name.empty() ? "is missing" : "'" + name + "' is no tensor", " of ",
                         tensors_.path(), "; name the matrix that it is, by its name there"),
                     option, name);
  }
  int64_t rows(const std::string& name) const {
    const ForeignTensor& t = tensors_.get(name);
    if (t.shape.size() != 2) throw DataError(cat(tensors_.path(), ": the tensor ", t.text(), " should be a matrix"));
    return static_cast<int64_t>(t.shape[0]);
  }
  bool equal(const std::string& a, const std::string& b) const {
    const ForeignTensor &x = tensors_.get(a), &y = tensors_.get(b);
    return a == b || (x.shape == y.shape && tensors_.read(x) == tensors_.read(y));
  }
  void positions(Config& c, const ImportOptions& options) {
    const ForeignTensor* table = tensors_.find(names_.source_positions);
    const ForeignTensor* other = tensors_.find(names_.target_positions);
    if (!options.positions.empty()) c.positions = c.positions.parse("positions", options.positions);
    if (!table || !other) return;
    const Positions found = sinusoids_of(tensors_, *table), second = sinusoids_of(tensors_, *other);
    c.positions = found.kind == second.kind && found.first == second.first ? found.kind : "learned";
    if (c.positions == "learned")
      c.max_positions = static_cast<int64_t>(*std::max_element(table->shape.begin(), table->shape.end() - 1));
    else
      c.first_position = found.first;
  }

  AdjustedTensors& tensors_;
  Surroundings names_;
  std::set<std::string> divided_;
};

void read_vocabularies(ForeignModel& m, const ImportOptions& o) {
  const std::string target = o.target_vocab.empty() ? o.source_vocab : o.target_vocab;
  const std::string of_target = o.target_spm.empty() ? o.source_spm : o.target_spm;
  m.text.source_vocabulary = read_vocabulary(o.source_vocab, "source-vocab", o.source_spm, m.config.source_vocab);
  m.text.target_vocabulary = read_vocabulary(target, "target-vocab", of_target, m.config.target_vocab);
}

}  // namespace

bool is_torch_state_dict(const std::string& path) {
  if (path.ends_with(".safetensors")) return find_layout(SafetensorsModel(path)).layout != nullptr;
  return is_file(path) && TorchFile::is_one(path);
}

ForeignModel read_torch_state_dict(const std::string& path, const ImportOptions& options) {
  if (!options.norm_position.empty()) check_choice({"post", "pre"}, "norm-position", options.norm_position);
  if (!options.embedding_scale.empty()) check_choice({"sqrt", "none"}, "embedding-scale", options.embedding_scale);
  const std::shared_ptr<const ForeignTensors> file = open(path);
  const auto tensors = std::make_shared<AdjustedTensors>(file);
  if (const Found first = find_layout(*tensors); first.layout)
    tensors->keep_below(key_before(*file, first.prefix + first.layout->anchor));
  const auto [layout, prefix] = find_layout(*tensors);
  if (!layout)
    throw DataError(
        cat(path, ": the names of its ", file->list().size(), " tensors are none of a model that is known: ",
            "torch.nn.Transformer, The Annotated Transformer, attention-is-all-you-need-pytorch, ", "pytorch-seq2seq"));
  refuse_given(options, *layout);
  const ImportOptions o = with_recorded(options, *file);
  if (o.heads <= 0)
    throw UsageError(cat("`heads` is missing: ", path, " does not say how many attention heads it has"), "heads", "");
  ForeignModel m{.origin = layout->origin, .config = {}};
  m.config.heads = o.heads;
  layout->configure(*tensors, prefix, o, m.config);
  Around around(*tensors, layout->surroundings(*tensors, prefix), o);
  around.configure(m.config, o);
  const bool jadore = std::string_view(layout->name) == "jadore";
  if (jadore && o.embedding_scale.empty() && !scales_embeddings(*file)) around.divide_table(m.config);
  resolve(m.config, path);
  WeightNames names;
  layout->name_stacks(*tensors, prefix, m.config, names);
  around.name(m.config, names);
  m.weights = names.take();
  m.tensors = tensors;
  widen_feed_forwards(m);
  check(m.weights, m.config, *tensors);
  read_vocabularies(m, o);
  start_sources(m, o, layout->opened);
  if (m.config.norm_position == "post-last" && o.norm_position.empty())
    m.notes.push_back(
        "read as norm_first=False, PyTorch's default; if the model has norm_first=True, give "
        "`norm-position` pre");
  return m;
}

}  // namespace hexapla::convert
