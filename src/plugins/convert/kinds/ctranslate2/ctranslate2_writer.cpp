#include "convert/kinds/ctranslate2/ctranslate2_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <list>
#include <map>

#include "backend/reference/reference.h"
#include "base/error.h"
#include "base/json.h"
#include "convert/writing/new_folder.h"
#include "convert/writing/plain_text.h"
#include "convert/writing/search_there.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr uint32_t kBinaryVersion = 6, kRevision = 7;
enum class Element : uint8_t { f32 = 0, i8 = 1, i16 = 2 };

template <class T>
std::string packed(T value) {
  std::string bytes(sizeof value, 0);
  std::memcpy(bytes.data(), &value, sizeof value);  // little-endian, as in the file
  return bytes;
}

std::string packed_text(const std::string& text) {
  return packed(static_cast<uint16_t>(text.size() + 1)) + text + std::string(1, '\0');
}

struct Variable {
  std::vector<uint32_t> shape;
  Element type;
  size_t bytes;
  std::function<std::string()> numbers;
};

// The content of model.bin.
class Variables {
 public:
  explicit Variables(CTranslate2Type type) : type_(type) {}

  template <class T>
  void add_flag(const std::string& name, T value) {
    constexpr Element type = std::is_same_v<T, int8_t>    ? Element::i8
                             : std::is_same_v<T, int16_t> ? Element::i16
                                                          : Element::f32;
    all_[name] = {{}, type, sizeof value, [value] { return packed(value); }};
  }
  void add_numbers(const std::string& name, const Tensor& t) {
    all_[name] = {shape_of(t), Element::f32, bytes_of(t), [t] { return floats(t); }};
  }
  // Our matrix [in, out] as their [out, in].
  void add_transposed(const std::string& name, const Tensor& t) {
    add_rows(name, {static_cast<uint32_t>(t.shape[1]), static_cast<uint32_t>(t.shape[0])}, [t] {
      const std::string numbers = floats(t);
      const auto rows = static_cast<size_t>(t.shape[0]), columns = static_cast<size_t>(t.shape[1]);
      std::string turned(numbers.size(), 0);
      for (size_t i = 0; i < rows; ++i)
        for (size_t j = 0; j < columns; ++j)
          std::memcpy(&turned[(j * rows + i) * sizeof(float)], &numbers[(i * columns + j) * sizeof(float)],
                      sizeof(float));
      return turned;
    });
  }
  // A matrix quantized by row.
  void add_table(const std::string& name, const Tensor& t) {
    add_rows(name, shape_of(t), [t] { return floats(t); });
  }
  // The reader makes aliases of its scales, too, if there are any.
  void alias(const std::string& name, const std::string& of) { aliases_[name] = of; }
  void write(const std::string& path) const {
    AtomicFile file(path);
    file.write(packed(kBinaryVersion) + packed_text("TransformerSpec") + packed(kRevision) +
               packed(static_cast<uint32_t>(all_.size())));
    for (const auto& [name, v] : all_) {
      std::string head = packed_text(name) + packed(static_cast<uint8_t>(v.shape.size()));
      for (const uint32_t extent : v.shape) head += packed(extent);
      file.write(head + packed(static_cast<uint8_t>(v.type)) + packed(static_cast<uint32_t>(v.bytes)));
      file.write(v.numbers());
    }
    file.write(packed(static_cast<uint32_t>(aliases_.size())));
    for (const auto& [name, of] : aliases_) file.write(packed_text(name) + packed_text(of));
    file.commit();
  }

 private:
  static std::string floats(const Tensor& t) {
    return {reinterpret_cast<const char*>(t.values<float>().data()), bytes_of(t)};
  }
  static size_t bytes_of(const Tensor& t) { return static_cast<size_t>(t.size()) * sizeof(float); }
  static std::vector<uint32_t> shape_of(const Tensor& t) {
    std::vector<uint32_t> shape;
    for (int i = 0; i < t.shape.rank(); ++i) shape.push_back(static_cast<uint32_t>(t.shape[i]));
    return shape;
  }

  void add_rows(const std::string& name, const std::vector<uint32_t>& shape, std::function<std::string()> numbers) {
    const size_t rows = shape[0], columns = shape[1];
    if (type_ == CTranslate2Type::f32) {
      all_[name] = {shape, Element::f32, rows * columns * sizeof(float), std::move(numbers)};
      return;
    }
    all_[name] = {shape, Element::i8, rows * columns, [=] { return in_8_bits(numbers(), columns).first; }};
    all_[name + "_scale"] = {
        {shape[0]}, Element::f32, rows * sizeof(float), [=] { return in_8_bits(numbers(), columns).second; }};
  }
  // Returns the integers, and for each row its factor: 127 / its largest magnitude.
  static std::pair<std::string, std::string> in_8_bits(const std::string& numbers, size_t columns) {
    std::string integers(numbers.size() / sizeof(float), 0), scales;
    std::vector<float> row(columns);
    for (size_t at = 0; at < integers.size(); at += columns) {
      std::memcpy(row.data(), &numbers[at * sizeof(float)], columns * sizeof(float));
      float largest = 0;
      for (const float x : row) largest = std::max(largest, std::abs(x));
      const float scale = largest > 0 ? 127 / largest : 1;
      for (size_t i = 0; i < columns; ++i)
        integers[at + i] = static_cast<char>(static_cast<int8_t>(std::lrintf(row[i] * scale)));
      scales += packed(scale);
    }
    return {integers, scales};
  }

  CTranslate2Type type_;
  std::map<std::string, Variable> all_;
  std::map<std::string, std::string> aliases_;
};

[[noreturn]] void refuse(const std::string& what) {
  throw DataError("CTranslate2 has no " + what + "; export another model");
}

void check_expressible(const model::Config& c) {
  if (c.score != "scaled-dot") refuse("attention score " + c.score);
  if (c.norm != "layer") refuse("norm " + c.norm);
  if (c.encoder_mixing != "attention") refuse(c.encoder_mixing + " in the encoder");
  if (c.decoder_mixing != "attention") refuse(c.decoder_mixing + " in the decoder");
  if (c.decoder_mask != "causal") refuse("decoder without a mask");
  if (c.experts > 0) refuse("mixture of experts in its Transformer");
  if (c.d_k != c.d_v || c.heads * c.d_k != c.d_model)
    refuse(cat("heads of width ", c.d_k, " and ", c.d_v, ", but only those of dim-model / heads"));
}

int8_t activation_number(const model::Config& c) {
  const std::map<std::string, int8_t> known{{"relu", 0}, {"gelu-tanh", 1}, {"swish", 2}, {"gelu", 3}};
  const auto found = known.find(c.activation);
  if (found == known.end()) refuse("activation " + c.activation);
  return found->second;
}

// Row i is added to the token at position i.
std::vector<float> position_table(const model::Positions& positions, int64_t rows, int64_t d_model) {
  const auto backend = make_reference_backend();
  Arena arena(static_cast<size_t>(rows * d_model) * 16 + (size_t{1} << 20));
  Context cx{*backend, arena, DType::f32};
  std::vector<int32_t> at(static_cast<size_t>(rows));
  for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int32_t>(i);
  std::vector<float> table(static_cast<size_t>(rows * d_model), 0.F);
  std::visit(
      [&](const auto& p) {
        p.add_to(cx, {Tensor::of(at.data(), {rows}), at.back()}, Tensor::of(table.data(), {rows, d_model}));
      },
      positions);
  return table;
}

class Exporter {
 public:
  Exporter(model::LoadedModel& model, CTranslate2Type type) : model_(model), out_(type) {
    for (const auto& [name, parameter] : leaves_of(*model.net).parameters) tensors_[name] = parameter->value;
  }

  void write(const std::string& path) {
    const model::Config& c = model_.config;
    add_stack("encoder", c.enc_layers, model_.net->encoder.input);
    add_stack("decoder", c.dec_layers, model_.net->decoder.input);
    out_.add_flag("encoder/embeddings_merge", int8_t{0});
    out_.add_flag("encoder/multi_query_attention", int8_t{0});
    const int64_t usual = std::max<int64_t>(0, c.dec_layers - 2);  // as in decode/opened/alignment_head.h
    out_.add_flag("decoder/alignment_layer", static_cast<int16_t>(model_.usage.alignment_layer.value_or(usual)));
    // The number of heads to average, from the first on; 0: all.
    out_.add_flag("decoder/alignment_heads", static_cast<int16_t>(model_.usage.alignment_head == 0 ? 1 : 0));
    for (const char* flag : {"alibi", "alibi_use_positive_positions", "scale_alibi", "start_from_zero_embedding"})
      out_.add_flag(cat("decoder/", flag), int8_t{0});
    add_embeddings();
    out_.write(path);
  }

 private:
  bool has(const std::string& name) const { return tensors_.count(name) > 0; }
  const Tensor& tensor(const std::string& name) const {
    const auto found = tensors_.find(name);
    HEXAPLA_CHECK(found != tensors_.end(), "export: there is no parameter ", name);
    return found->second;
  }

  void add_linear(const std::string& theirs, const std::string& ours) {
    out_.add_transposed(theirs + "/weight", tensor(ours + ".weight"));
    if (has(ours + ".bias")) out_.add_numbers(theirs + "/bias", tensor(ours + ".bias"));
  }
  void add_norm(const std::string& theirs, const std::string& ours) {
    if (!has(ours + ".gain")) return;
    out_.add_numbers(theirs + "/gamma", tensor(ours + ".gain"));
    out_.add_numbers(theirs + "/beta", tensor(ours + ".bias"));
  }
  void add_attention(const std::string& theirs, const std::string& ours, const std::vector<std::string>& projections) {
    for (size_t i = 0; i < projections.size(); ++i) add_linear(cat(theirs, "/linear_", i), ours + "." + projections[i]);
  }
  void add_layer(const std::string& stack, int64_t i) {
    const std::string theirs = cat(stack, "/layer_", i), ours = cat(stack, ".layers.", i, ".");
    const bool decoder = stack == "decoder";
    add_attention(theirs + "/self_attention", ours + "self_attention", {"qkv", "output"});
    add_norm(theirs + "/self_attention/layer_norm", ours + (decoder ? "self_norm" : "attention_norm"));
    if (decoder) {
      add_attention(theirs + "/attention", ours + "cross_attention", {"query", "key_value", "output"});
      add_norm(theirs + "/attention/layer_norm", ours + "cross_norm");
    }
    add_linear(theirs + "/ffn/linear_0", ours + "feed_forward.inner");
    if (has(ours + "feed_forward.linear.weight"))
      add_linear(theirs + "/ffn/linear_0_noact", ours + "feed_forward.linear");
    add_linear(theirs + "/ffn/linear_1", ours + "feed_forward.outer");
    add_norm(theirs + "/ffn/layer_norm", ours + "feed_forward_norm");
  }
  void add_stack(const std::string& stack, int64_t layers, const model::Input& input) {
    const model::Config& c = model_.config;
    for (int64_t i = 0; i < layers; ++i) add_layer(stack, i);
    add_norm(stack + "/layer_norm", stack + ".last_norm");
    add_norm(stack + "/layernorm_embedding", stack + ".input.norm");
    out_.add_flag(stack + "/num_heads", static_cast<int16_t>(c.heads));
    out_.add_flag(stack + "/pre_norm", static_cast<int8_t>(c.norm_position == "pre"));
    out_.add_flag(stack + "/activation", activation_number(c));
    const int64_t rows = c.positions == "learned" ? c.max_positions : kPositionsWritten;
    std::vector<float>& table = tables_.emplace_back(position_table(input.positions, rows, c.d_model));
    out_.add_numbers(stack + "/position_encodings/encodings", Tensor::of(table.data(), {rows, c.d_model}));
  }
  void add_scale(const std::string& name, double scale) {
    if (scale == std::sqrt(static_cast<double>(model_.config.d_model)) || scale == 1)
      return out_.add_flag(name, static_cast<int8_t>(scale != 1));
    out_.add_flag(name, static_cast<float>(scale));
  }
  void add_embeddings() {
    const std::string source = "encoder/embeddings_0/weight", target = "decoder/embeddings/weight",
                      projection = "decoder/projection/weight";
    model::Transformer& net = *model_.net;
    const bool one = net.embeddings.size() == 1;
    out_.add_table(source, net.source_embedding().table.value);
    if (one)
      out_.alias(target, source);
    else
      out_.add_table(target, net.target_embedding().table.value);
    if (net.generator.weight)
      out_.add_transposed(projection, net.generator.weight->value);
    else
      out_.alias(projection, one ? source : target);
    if (net.generator.bias) out_.add_numbers("decoder/projection/bias", net.generator.bias->value);
    add_scale("encoder/scale_embeddings", net.source_embedding().scale);
    add_scale("decoder/scale_embeddings", net.target_embedding().scale);
  }

  model::LoadedModel& model_;
  Variables out_;
  std::map<std::string, Tensor> tensors_;
  std::list<std::vector<float>> tables_;
};

std::string pieces_of(const text::Vocabulary& vocabulary) {
  OrderedJson pieces = OrderedJson::array();
  for (int32_t id = 0; id < vocabulary.size(); ++id) pieces.push_back(vocabulary.piece(id));
  return json_text(pieces) + "\n";
}

std::string settings_of(const model::Config& c, const text::Vocabulary& source, const text::Vocabulary& v) {
  return json_text(OrderedJson{{"add_source_bos", source.opening() >= 0},
                               {"add_source_eos", !source.open_ended()},
                               {"bos_token", v.piece(v.bos())},
                               {"decoder_start_token", v.piece(v.bos())},
                               {"eos_token", v.piece(v.eos())},
                               {"layer_norm_epsilon", c.norm_eps},
                               {"multi_query_attention", false},
                               {"unk_token", v.piece(v.unk())}}) +
         "\n";
}

// CTranslate2 supports sources without </s> and those that begin with <s>, unlike the other systems.
std::string beyond(const text::Vocabulary& source, const text::Vocabulary& target) {
  const bool started = source.opening() >= 0 && source.piece(source.opening()) == target.piece(target.bos());
  const bool known = started || (source.open_ended() && source.opening() < 0);
  return beyond_plain_text(known && !source.byte_level() && !source.has_added() ? target : source, target);
}

// Notes on everything that its files cannot express.
std::vector<std::string> unsaid_alignment(const model::LoadedModel& m) {
  std::vector<std::string> notes;
  const model::Usage& usage = m.usage;
  if (usage.alignment_head.value_or(0) > 0)
    notes.push_back(cat("words are aligned by the mean over the heads of decoder layer ",
                        usage.alignment_layer.value_or(0), " there, here by head ", *usage.alignment_head,
                        ": only the first ones can be named"));
  return notes;
}
std::vector<std::string> not_said(const model::LoadedModel& m) {
  std::vector<std::string> notes = unsaid_alignment(m);
  if (m.usage.search.empty()) return notes;
  decode::DecodingOptions there = in_powers_of_length(own_search(m), notes);
  there.stop_when = "full";  // which nobody can change there
  notes.push_back(cat("its caller says how to search: translate_batch(..., beam_size=", there.beam_size,
                      ", length_penalty=", there.length_penalty, ")"));
  return notes;
}

void write_model(model::LoadedModel& m, const NewFolder& out, const std::string& place, CTranslate2Type type) {
  const auto source = text::Vocabulary::parse(m.source_vocabulary, "source"),
             target = text::Vocabulary::parse(m.target_vocabulary, "target");
  if (const std::string what = beyond(source, target); !what.empty()) refuse(what);
  Exporter(m, type).write(out.file(place + "model.bin"));
  write_file_atomically(out.file(place + "config.json"), settings_of(m.config, source, target));
  if (same_pieces(source, target)) {
    write_file_atomically(out.file(place + "shared_vocabulary.json"), pieces_of(source));
  } else {
    write_file_atomically(out.file(place + "source_vocabulary.json"), pieces_of(source));
    write_file_atomically(out.file(place + "target_vocabulary.json"), pieces_of(target));
  }
}

}  // namespace

std::vector<std::string> export_ctranslate2(model::LoadedModel& m, const std::string& folder, CTranslate2Type type) {
  check_expressible(m.config);
  NewFolder out(folder);
  write_model(m, out, "", type);
  if (m.source_vocabulary == m.target_vocabulary) {
    write_file_atomically(out.file("sentencepiece.model"), m.source_vocabulary);
  } else {
    write_file_atomically(out.file("source.spm"), m.source_vocabulary);
    write_file_atomically(out.file("target.spm"), m.target_vocabulary);
  }
  out.commit();
  return not_said(m);
}

std::vector<std::string> export_argos(model::LoadedModel& m, const std::string& folder, CTranslate2Type type,
                                      const std::string& source, const std::string& target) {
  check_expressible(m.config);
  if (!same_pieces(text::Vocabulary::parse(m.source_vocabulary, "source"),
                   text::Vocabulary::parse(m.target_vocabulary, "target")))
    throw DataError(
        "a package of Argos Translate has one SentencePiece model for both languages, but this model has other pieces "
        "for each; "
        "export it to ctranslate2");
  NewFolder out(folder);
  write_model(m, out, "model/", type);
  write_file_atomically(out.file("sentencepiece.model"), m.source_vocabulary);
  write_file_atomically(out.file("metadata.json"), json_text(OrderedJson{{"package_version", "1.0"},
                                                                         {"argos_version", "1.9"},
                                                                         {"from_code", source},
                                                                         {"from_name", source},
                                                                         {"to_code", target},
                                                                         {"to_name", target}}) +
                                                       "\n");
  out.commit();
  return unsaid_alignment(m);  // users of packages search in their own way
}

}  // namespace hexapla::convert
