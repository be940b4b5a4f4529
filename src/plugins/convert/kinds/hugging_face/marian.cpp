#include "convert/kinds/hugging_face/marian.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "convert/kinds/hugging_face/configuration.h"
#include "convert/kinds/hugging_face/generation.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/hugging_face/pieces/added_tokens.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "convert/texts/token_list.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using model::Config;

Config config_of_marian(const JsonFile& json) {
  Config c = hugging_face_config(json, "gelu");
  c.source_vocab = json.whole("vocab_size", Config::kVocabulary);
  c.target_vocab = json.whole("decoder_vocab_size", Config::kVocabulary, c.source_vocab);
  const bool shared = json.flag("share_encoder_decoder_embeddings", true);
  c.tied = !json.flag("tie_word_embeddings", true) ? "none" : shared ? "all" : Config::Tied("decoder");
  c.positions = "sinusoidal-halves";
  c.generator_bias = true;
  c.embedding_scale = json.flag("scale_embedding", false) ? "sqrt" : Config::EmbeddingScale("none");
  if (c.d_model % 2 != 0) json.refuse("d_model", "an even number");
  return c;
}

// If the file has a table of positions, the model uses it: returns the matching kind of positions.
Config::Positions positions_of(const ForeignTensors& tensors, const Config& config) {
  const ForeignTensor* table = tensors.find("model.encoder.embed_positions.weight");
  if (!table) return config.positions;
  const auto d = static_cast<size_t>(config.d_model);
  if (table->shape.size() != 2 || table->shape[1] != d) tensors.get(table->name, {table->shape.front(), d});
  const std::vector<float> values = tensors.read(*table);
  for (const auto& [name, kind] : {std::pair{"sinusoidal-halves", Sinusoids::halves},
                                   {"timing-signal", Sinusoids::timing_signal},
                                   {"sinusoidal", Sinusoids::interleaved}}) {
    bool same = true;
    for (size_t i = 0; i < values.size() && same; ++i) {
      const Wave wave = wave_of(kind, static_cast<int64_t>(i % d), config.d_model);
      const double angle = static_cast<double>(i / d) / wave.divisor;
      same = std::fabs(values[i] - (wave.sine ? std::sin(angle) : std::cos(angle))) < 2e-3;
    }
    if (same) return Config::Positions::parse("positions", name);
  }
  throw DataError(
      cat(tensors.path(), ": the tensor ", table->text(),
          " holds none of the known sinusoids; models of this kind with other positions cannot be imported"));
}

// The token that the tokenizer appends to sources.
std::string end_of_sources(const std::string& folder) {
  const std::string path = folder + "/tokenizer_config.json";
  if (!is_file(path)) return "</s>";
  const JsonFile json(path);
  const nlohmann::json& end = json.value("eos_token");
  return end.is_object() && end.value("content", nlohmann::json()).is_string() ? end["content"].get<std::string>()
                                                                               : json.word("eos_token", "</s>");
}

// Names of the special pieces, by their ids in the configuration.
text::PieceTable table_of_json(const JsonFile& json, const Generation& generation, const std::string& path,
                               int64_t size, const std::vector<AddedToken>& added) {
  text::PieceTable table{read_piece_ids(path, static_cast<size_t>(size)), {}, {}, "<unk>", {}};
  table.pieces.resize(static_cast<size_t>(size));
  for (const AddedToken& token : added) {
    std::string& place = table.pieces[token.id];
    if (!place.empty() && place != token.text)
      throw DataError(cat(path, ": the id ", token.id, " belongs to ", shown(place), ", but for the tokenizer to ",
                          shown(token.text), "; such models cannot be imported"));
    place = token.text;
  }
  const auto piece = [&](const JsonFile& file, const std::string& key, int64_t id) {
    const std::string& text = table.pieces[id];
    if (text.empty()) file.refuse(key, cat("the id of a piece in ", path));
    return text;
  };
  const Range<int64_t> ids{0, size - 1};
  const int64_t padding = json.whole("pad_token_id", ids);
  table.padding = piece(json, "pad_token_id", padding);
  table.end = piece(generation.file, "eos_token_id", generation.end);
  table.start = piece(generation.file, "decoder_start_token_id", generation.start);
  if (generation.start != padding && table.start != table.end && table.start != "<s>" &&
      !text::begins_text(table.start))
    generation.refuse("decoder_start_token_id",
                      cat(padding, ", the value of 'pad_token_id', or the id of <s>, </s> or a language: ",
                          "any other piece may be written, too"));
  return table;
}

std::string vocabulary_of_table(const text::PieceTable& table, const std::string& path, const std::string& folder,
                                const char* model, const std::vector<AddedToken>& added) {
  text::PieceModel pieces = text::with_ids_of(table, read_piece_model(folder + model), path);
  put_added_tokens(pieces, added, folder, false);
  return pieces.serialized();
}

// The pieces of both sides. A token that is always written first is not part of these vocabularies.
void read_marian_words(ForeignModel& m, const std::string& folder, const JsonFile& json, const Generation& generation) {
  check_tokenizer(folder, json, {"", "MarianTokenizer"}, "Marian");
  const std::string source_table = folder + "/vocab.json", own = folder + "/target_vocab.json";
  const std::string target_table = is_file(own) ? own : source_table;
  const std::vector<AddedToken> added =
      read_added_tokens(folder, static_cast<size_t>(std::min(m.config.source_vocab, m.config.target_vocab)));
  const text::PieceTable source = table_of_json(json, generation, source_table, m.config.source_vocab, added),
                         target = table_of_json(json, generation, target_table, m.config.target_vocab, added);
  m.text.source_vocabulary = vocabulary_of_table(source, source_table, folder, "/source.spm", added);
  m.text.target_vocabulary = vocabulary_of_table(target, target_table, folder, "/target.spm", added);
  const std::string& end = target.end;
  if (end != end_of_sources(folder))
    json.refuse("eos_token_id", cat("the id of ", shown(end_of_sources(folder)), ", with which the tokenizer ends ",
                                    "sources: translations that end with another piece cannot be imported"));
  if (generation.first)
    generation.refuse("forced_bos_token_id", "null: a Marian model is told its language at the start of a source");
}

// Padding is never written. If probabilities are normalized without it, its probability must be 0:
// its bias is far below all logits, yet finite enough for training with label smoothing.
void take_away(const std::vector<int64_t>& ids, ForeignModel& m) {
  constexpr float never = -1e4F;
  for (const int64_t id : ids) m.weights.replaced["generator.bias"][id] = never;
}

}  // namespace

bool is_hugging_face_marian(const std::string& folder) {
  const std::string config = folder + "/config.json";
  if (!is_file(config)) return false;
  return JsonFile(config).word("model_type", "") == "marian";
}

ForeignModel read_hugging_face_marian(const std::string& folder, const ImportOptions& options) {
  const JsonFile json(folder + "/config.json");
  if (json.word("model_type", "") != "marian") json.refuse("model_type", "marian");
  check_configuration_keys(json);
  ForeignModel m{.origin = "Hugging Face Marian", .config = config_of_marian(json)};
  const std::shared_ptr<const ForeignTensors> tensors = open_hugging_face_weights(folder);
  const bool shared = json.flag("share_encoder_decoder_embeddings", true);
  m.config.embedding_norm = tensors->find("model.encoder.layernorm_embedding.weight") != nullptr;
  resolve(m.config, json.path());
  m.config.positions = options.positions.empty() ? positions_of(*tensors, m.config)
                                                 : Config::Positions::parse("positions", options.positions);
  m.config.resolve();  // validates the user's choice
  const HuggingFaceTables tables = hugging_face_tables(m.config, *tensors, shared);
  m.weights = hugging_face_weights(m.config, tables);
  m.tensors = tensors;
  widen_feed_forwards(m, json);
  check(m.weights, m.config, *tensors);  // checks the vocabulary sizes against the tensors
  const Generation generation = read_generation(folder, json, m.config.target_vocab);
  read_marian_words(m, folder, json, generation);
  m.text.usage.search = generation.search;
  take_away(generation.without, m);
  m.notes.insert(m.notes.end(), generation.notes.begin(), generation.notes.end());
  if (const std::string note = check_other_tables(m.config, tables, *tensors); !note.empty()) m.notes.push_back(note);
  return m;
}

}  // namespace hexapla::convert
