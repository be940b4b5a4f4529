#include "convert/kinds/hugging_face/writer/multilingual.h"

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "convert/kinds/hugging_face/generation.h"
#include "convert/kinds/hugging_face/multilingual.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/hugging_face/writer/search_settings.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "convert/writing/inverse_map.h"
#include "convert/writing/new_folder.h"
#include "convert/writing/stored_numbers.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson read_object(const std::string& path) {
  return parse_json<OrderedJson>(read_limited(path, JsonFile::kMaxBytes), path);
}

// Dropout affects only training; everything else determines what a model computes.
void check_same_architecture(const model::Config& own, const model::Config& there, const std::string& like) {
  const OrderedJson a = parse_json<OrderedJson>(own.to_json(), "a configuration"),
                    b = parse_json<OrderedJson>(there.to_json(), "a configuration");
  for (const auto& [name, value] : a.items())
    if (!name.ends_with("dropout") && (!b.contains(name) || b[name] != value))
      throw DataError(cat("the model has ", name, " ", json_text(value), ", but ", like, " has ",
                          b.contains(name) ? json_text(b[name]) : "none",
                          ": give the folder that the model was imported from"));
}

// Only the piece that sentences of a side begin with may differ.
text::PieceModel check_same_pieces(const std::string& own, const std::string& there, const std::string& like) {
  text::PieceModel a = text::PieceModel::parse(own, "the model's vocabulary"), b = text::PieceModel::parse(there, like),
                   result = a;
  const bool behind = a.opening_behind == b.opening_behind;
  a.opening = b.opening = "";
  if (!behind || a.serialized() != b.serialized())
    throw DataError(cat("the model's pieces are not those of ", like,
                        ": give the folder that the model was imported from; one with another vocabulary cannot be "
                        "exported there"));
  return result;
}

void write_weights(model::LoadedModel& m, const ForeignModel& there, const std::string& path) {
  HuggingFaceTables tables = hugging_face_tables(there.config, *there.tensors, true);
  tables.bias = m.config.generator_bias;
  std::vector<TensorSource> all = foreign_tensors(hugging_face_weights(m.config, tables), m);
  for (TensorSource& tensor : all)
    if (tensor.name == "final_logits_bias") tensor.shape = {1, m.config.target_vocab};
  write_safetensors(path, all, {{"format", "pt"}});
}

std::string config_text(const model::LoadedModel& m, const std::string& like) {
  OrderedJson config = read_object(like + "/config.json");
  const DType type = type_of_all(m);
  // The narrower side was filled up with zeros when the folder was imported.
  for (const char* key : {"encoder_ffn_dim", "decoder_ffn_dim"}) config[key] = m.config.d_ff;
  for (const char* key : {"dtype", "torch_dtype"})
    if (config.contains(key))
      config[key] = type == DType::f16 ? "float16" : type == DType::bf16 ? "bfloat16" : "float32";
  return json_text(config, 2) + "\n";
}

std::string generation_text(const model::LoadedModel& m, const std::string& like, const text::PieceModel& target,
                            const decode::DecodingOptions& search, std::vector<std::string>& notes) {
  const std::string own = like + "/generation_config.json";
  OrderedJson settings = OrderedJson::object();
  const OrderedJson before = read_object(is_file(own) ? own : like + "/config.json");
  for (const auto& [key, value] : before.items())
    if (is_generation_key(key)) settings[key] = value;
  for (const std::string& key : search_keys()) settings.erase(key);
  settings.erase("forced_bos_token_id");
  const bool forced = settings.contains("forced_eos_token_id") && !settings["forced_eos_token_id"].is_null();
  settings.update(search_settings(m, search, forced ? 2 : 1, notes));
  for (size_t id = 0; id < target.size(); ++id)
    if (!target.opening.empty() && target.pieces[id].text == target.opening) settings["forced_bos_token_id"] = id;
  return json_text(settings, 2) + "\n";
}

// ">>en<<" -> "en"; mBART-25's as it is; "": the vocabulary has no languages.
std::string language_of(const text::PieceModel& pieces) {
  if (text::begins_text(pieces.opening)) return pieces.opening.substr(2, pieces.opening.size() - 4);
  return pieces.opening_behind ? pieces.opening : "";
}

void write_multilingual_tokenizer(const std::string& like, const text::PieceModel& source,
                                  const text::PieceModel& target, const NewFolder& out) {
  for (const char* name : {"tokenizer.json", "special_tokens_map.json", "sentencepiece.bpe.model", "vocab.json",
                           "merges.txt", "added_tokens.json"})
    if (is_file(like + "/" + name)) write_file_atomically(out.file(name), read_file(like + "/" + name));
  const std::string path = like + "/tokenizer_config.json";
  if (!is_file(path)) return;
  OrderedJson config = read_object(path);
  if (const std::string language = language_of(source); !language.empty()) config["src_lang"] = language;
  if (const std::string language = language_of(target); !language.empty()) config["tgt_lang"] = language;
  write_file_atomically(out.file("tokenizer_config.json"), json_text(config, 2) + "\n");
}

}  // namespace

std::vector<std::string> export_hugging_face_multilingual(model::LoadedModel& m, const std::string& like,
                                                          const std::string& folder,
                                                          const decode::DecodingOptions& search) {
  const ForeignModel there = read_hugging_face_multilingual(like, {});
  check_same_architecture(m.config, there.config, like);
  const auto source = check_same_pieces(m.source_vocabulary, there.text.source_vocabulary, like),
             target = check_same_pieces(m.target_vocabulary, there.text.target_vocabulary, like);
  std::vector<std::string> notes;
  NewFolder out(folder);
  write_weights(m, there, out.file("model.safetensors"));
  write_file_atomically(out.file("config.json"), config_text(m, like));
  write_file_atomically(out.file("generation_config.json"), generation_text(m, like, target, search, notes));
  write_multilingual_tokenizer(like, source, target, out);
  out.commit();
  return notes;
}

}  // namespace hexapla::convert
