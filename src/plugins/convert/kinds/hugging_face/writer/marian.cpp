#include "convert/kinds/hugging_face/writer/marian.h"

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/hugging_face/writer/search_settings.h"
#include "convert/writing/inverse_map.h"
#include "convert/writing/new_folder.h"
#include "convert/writing/plain_text.h"
#include "convert/writing/stored_numbers.h"
#include "text/utf8.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kNormEpsThere = 1e-5;  // torch.nn.LayerNorm's; MarianMT cannot change it
constexpr int64_t kPositionsThere = 1024, kMarianTokens = 512;

[[noreturn]] void refuse_for_marian(const std::string& what) {
  throw DataError("Hugging Face's MarianMT has no " + what + "; export another model");
}

void check_marian_expressible(const model::Config& c) {
  if (c.score != "scaled-dot") refuse_for_marian("attention score " + c.score);
  if (c.norm != "layer") refuse_for_marian("norm " + c.norm);
  if (c.norm_position != "post")
    refuse_for_marian("norm in another place than after each sublayer (norm-position " + c.norm_position + ")");
  if (c.embedding_norm) refuse_for_marian("norm on the embedded input (embedding-norm)");
  if (c.norm_eps > kNormEpsThere) refuse_for_marian(cat("epsilon of ", c.norm_eps, " in its norms, but 1e-05"));
  if (c.gated) refuse_for_marian("gated feed-forward network");
  if (c.encoder_mixing != "attention") refuse_for_marian(c.encoder_mixing + " in the encoder");
  if (c.decoder_mask != "causal") refuse_for_marian("decoder without a mask");
  if (c.experts > 0) refuse_for_marian("mixture of experts");
  if (c.positions != "sinusoidal" && c.positions != "sinusoidal-halves")
    refuse_for_marian("positions of the kind " + c.positions);
  if (c.first_position != 0) refuse_for_marian(cat("sinusoids that begin at position ", c.first_position));
  if (c.d_model % 2 != 0) refuse_for_marian(cat("odd width of the model, ", c.d_model));
  if (c.d_k != c.d_v || c.heads * c.d_k != c.d_model)
    refuse_for_marian(cat("heads of width ", c.d_k, " and ", c.d_v, ", but only those of dim-model / heads"));
}

text::Vocabulary without_added(const text::Vocabulary& v) {
  if (!v.has_added()) return v;
  text::PieceModel pieces = text::PieceModel::parse(v.bytes(), "the vocabulary");
  for (text::PieceModel::Piece& piece : pieces.pieces) piece.added.reset();
  return text::Vocabulary::parse(pieces.serialized(), "the vocabulary");
}

// As in tokenizer_config.json.
OrderedJson added_tokens(const std::string& vocabulary) {
  const text::PieceModel pieces = text::PieceModel::parse(vocabulary, "the vocabulary");
  OrderedJson all = OrderedJson::object();
  for (size_t id = 0; id < pieces.size(); ++id) {
    const auto& [text, score, type, added] = pieces.pieces[id];
    if (!added) continue;
    if (pieces.added_by_library) refuse_for_marian(cat("tokenizers library, which finds ", text::printable(text)));
    all[cat(id)] = {
        {"content", text},        {"lstrip", added->left},      {"normalized", added->normalized},
        {"rstrip", added->right}, {"single_word", added->word}, {"special", type == text::PieceModel::Type::control}};
  }
  return all;
}

struct MarianText {
  text::Vocabulary source, target;
  bool apart;  // whether the sides have different pieces

  explicit MarianText(const model::LoadedModel& m)
      : source(text::Vocabulary::parse(m.source_vocabulary, "source")),
        target(text::Vocabulary::parse(m.target_vocabulary, "target")),
        apart(!same_pieces(source, target)) {
    if (const std::string what = beyond_plain_text(without_added(source), without_added(target)); !what.empty())
      refuse_for_marian(what);
    if (added_tokens(m.source_vocabulary) != added_tokens(m.target_vocabulary))
      refuse_for_marian("sides with different added tokens");
    if (target.pad() < 0) refuse_for_marian("vocabulary without a padding piece");
    if (target.bos() == target.eos()) refuse_for_marian("translation that starts with the piece that ends it");
    if (apart && source.piece(source.eos()) != target.piece(target.eos()))
      refuse_for_marian("sides that end their sentences with different pieces");
    if (apart && (source.eos() != target.eos() || source.pad() != target.pad()))
      refuse_for_marian("sides with different ids of padding, or of what ends a sentence");
  }
};

OrderedJson config_json(const model::Config& c, const text::Vocabulary& v, DType type) {
  return {{"activation_dropout", c.activation_dropout},
          {"activation_function", c.activation == "gelu-tanh" ? "gelu_new" : c.activation.text()},
          {"architectures", {"MarianMTModel"}},
          {"attention_dropout", c.attention_dropout},
          {"bos_token_id", v.bos()},
          {"d_model", c.d_model},
          {"decoder_attention_heads", c.heads},
          {"decoder_ffn_dim", c.d_ff},
          {"decoder_layerdrop", 0.0},
          {"decoder_layers", c.dec_layers},
          {"decoder_start_token_id", v.bos()},
          {"decoder_vocab_size", c.target_vocab},
          {"dropout", c.dropout},
          {"dtype", type == DType::f16    ? "float16"
                    : type == DType::bf16 ? "bfloat16"
                                          : "float32"},
          {"encoder_attention_heads", c.heads},
          {"encoder_ffn_dim", c.d_ff},
          {"encoder_layerdrop", 0.0},
          {"encoder_layers", c.enc_layers},
          {"eos_token_id", v.eos()},
          {"forced_eos_token_id", v.eos()},
          {"is_encoder_decoder", true},
          {"max_position_embeddings", kPositionsThere},
          {"model_type", "marian"},
          {"pad_token_id", v.pad()},
          {"scale_embedding", c.embedding_scale == "sqrt"},
          {"share_encoder_decoder_embeddings", c.tied == "all"},
          {"tie_word_embeddings", c.tied != "none"},
          {"use_cache", true},
          {"vocab_size", c.source_vocab}};
}

OrderedJson generation_of(const model::LoadedModel& m, const text::Vocabulary& v, const decode::DecodingOptions& search,
                          std::vector<std::string>& notes) {
  constexpr int64_t counted = 2;  // the start token and </s>, which is forced
  OrderedJson bad = OrderedJson::array({OrderedJson::array({v.pad()})});
  if (v.bos() != v.pad()) bad.push_back(OrderedJson::array({v.bos()}));
  OrderedJson j{{"bad_words_ids", bad},    {"bos_token_id", v.bos()},        {"decoder_start_token_id", v.bos()},
                {"eos_token_id", v.eos()}, {"forced_eos_token_id", v.eos()}, {"pad_token_id", v.pad()}};
  j.update(search_settings(m, search, counted, notes));
  return j;
}

// Whether it is an added token that no SentencePiece model has.
bool is_beyond(const text::PieceModel::Piece& piece) {
  return piece.added && piece.type != text::PieceModel::Type::normal;
}

// Ids by piece, without unused ids.
std::string piece_ids_of(const text::PieceModel& pieces) {
  OrderedJson ids = OrderedJson::object();
  for (size_t id = 0; id < pieces.size(); ++id)
    if (!pieces.pieces[id].text.starts_with("<no piece ") && !is_beyond(pieces.pieces[id]))
      ids[pieces.pieces[id].text] = id;
  return json_text(ids, 0) + "\n";
}

OrderedJson tokenizer_of(const MarianText& text) {
  return {{"eos_token", text.target.piece(text.target.eos())},
          {"model_max_length", kMarianTokens},
          {"pad_token", text.target.piece(text.target.pad())},
          {"separate_vocabs", text.apart},
          {"source_lang", nullptr},
          {"target_lang", nullptr},
          {"tokenizer_class", "MarianTokenizer"},
          {"unk_token", text.target.piece(text.target.unk())}};
}

void write_marian_text(const model::LoadedModel& m, const MarianText& text, const NewFolder& out) {
  const auto write = [&](const std::string& bytes, const char* model, const char* ids) {
    text::PieceModel pieces = text::PieceModel::parse(bytes, model);
    if (ids) write_file_atomically(out.file(ids), piece_ids_of(pieces));
    pieces.ids = 0;  // the table has the ids
    for (text::PieceModel::Piece& piece : pieces.pieces) piece.added.reset();
    pieces.added_by_library = false;
    write_file_atomically(out.file(model), pieces.serialized());
  };
  write(m.source_vocabulary, "source.spm", "vocab.json");
  write(m.target_vocabulary, "target.spm", text.apart ? "target_vocab.json" : nullptr);
  OrderedJson tokenizer = tokenizer_of(text);
  if (OrderedJson added = added_tokens(m.target_vocabulary); !added.empty()) tokenizer["added_tokens_decoder"] = added;
  write_file_atomically(out.file("tokenizer_config.json"), json_text(tokenizer, 2) + "\n");
}

void write_marian_weights(model::LoadedModel& m, const std::string& path) {
  model::Config c = m.config;  // as in MarianMT: biases everywhere
  c.attention_bias = c.generator_bias = true;
  const std::string source = "model.encoder.embed_tokens.weight", target = "model.decoder.embed_tokens.weight",
                    both = "model.shared.weight";
  const HuggingFaceTables tables = c.tied == "all"
                                       ? HuggingFaceTables{both, both, "", true}
                                       : HuggingFaceTables{source, target, c.tied == "none" ? "lm_head.weight" : ""};
  const std::vector<size_t> order =
      c.positions == "sinusoidal" ? halves_of_interleaved(c.d_model) : std::vector<size_t>{};
  std::vector<TensorSource> all = foreign_tensors(hugging_face_weights(c, tables), m, order);
  for (TensorSource& tensor : all)
    if (tensor.name == "final_logits_bias") tensor.shape = {1, c.target_vocab};
  write_safetensors(path, all, {{"format", "pt"}});
}

}  // namespace

std::vector<std::string> export_hugging_face_marian(model::LoadedModel& m, const std::string& folder,
                                                    const decode::DecodingOptions& search) {
  check_marian_expressible(m.config);
  const MarianText text(m);
  std::vector<std::string> notes;
  if (m.config.norm_eps != kNormEpsThere)
    notes.push_back(
        cat("the norms there have the epsilon 1e-05, here ", m.config.norm_eps, ": numbers differ by some millionths"));
  NewFolder out(folder);
  write_marian_weights(m, out.file("model.safetensors"));
  write_file_atomically(out.file("config.json"),
                        json_text(config_json(m.config, text.target, type_of_all(m)), 2) + "\n");
  write_file_atomically(out.file("generation_config.json"),
                        json_text(generation_of(m, text.target, search, notes), 2) + "\n");
  write_marian_text(m, text, out);
  out.commit();
  return notes;
}

}  // namespace hexapla::convert
