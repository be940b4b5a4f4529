#include "convert/kinds/toolkits/fsmt.h"

#include "base/error.h"
#include "base/files/file.h"
#include "convert/kinds/hugging_face/configuration.h"
#include "convert/kinds/hugging_face/generation.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/hugging_face/pieces/added_tokens.h"
#include "convert/kinds/positions.h"
#include "convert/kinds/toolkits/words.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using model::Config;

constexpr const char *kFsmtSource = "model.encoder.embed_tokens.weight",
                     *kFsmtTarget = "model.decoder.embed_tokens.weight",
                     *kFsmtOutput = "model.decoder.output_projection.weight";

// config.json with transformers' defaults, which old files leave out.
JsonFile configuration(const std::string& folder) {
  JsonFile json(folder + "/config.json");
  for (const auto& [key, value] :
       std::initializer_list<std::pair<const char*, nlohmann::json>>{{"bos_token_id", 0},
                                                                     {"pad_token_id", 1},
                                                                     {"eos_token_id", 2},
                                                                     {"decoder_start_token_id", 2},
                                                                     {"forced_eos_token_id", 2},
                                                                     {"num_beams", 5},
                                                                     {"max_length", 200}})
    json.set_default(key, value);
  return json;
}

void check_keys(const JsonFile& json) {
  check_configuration_keys(json, {"langs", "src_vocab_size", "tgt_vocab_size", "decoder"});
  for (const auto& [key, id] : {std::pair{"bos_token_id", 0}, {"pad_token_id", 1}, {"eos_token_id", 2}})
    if (json.whole(key, {0, Config::kVocabulary.most}) != id) json.refuse(key, cat(id, ", fairseq's number"));
}

// Models that say they have several tables may have equal ones.
Config::Tied tied(const JsonFile& json, const ForeignTensors& tensors) {
  if (json.flag("tie_word_embeddings", false)) return "all";
  const ForeignTensor* output = tensors.find(kFsmtOutput);
  return !output || same_numbers(tensors, *output, tensors.get(kFsmtTarget)) ? "decoder" : Config::Tied("none");
}

Config fsmt_config(const JsonFile& json, const ForeignTensors& tensors) {
  Config c = hugging_face_config(json, "relu");
  c.source_vocab = json.whole("src_vocab_size", Config::kVocabulary);
  c.target_vocab = json.whole("tgt_vocab_size", Config::kVocabulary);
  if (json.whole("vocab_size", Config::kVocabulary, c.target_vocab) != c.target_vocab)
    json.refuse("vocab_size", cat(c.target_vocab, ", the value of 'tgt_vocab_size'"));
  c.tied = tied(json, tensors);
  c.norm_position = "post";
  c.positions = "timing-signal";
  c.first_position = kFirstLearnedPosition;  // fairseq's first position follows the padding's id
  c.embedding_scale = json.flag("scale_embedding", true) ? "sqrt" : Config::EmbeddingScale("none");
  if (c.d_model % 2 != 0) json.refuse("d_model", "an even number");
  return c;
}

// transformers computes with the tables in the file, whatever they are.
void check_positions(const ForeignTensors& tensors) {
  for (const char* name : {"model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight"}) {
    const ForeignTensor* table = tensors.find(name);
    if (!table) continue;
    const Positions found = sinusoids_of(tensors, *table, kFirstLearnedPosition);
    if (found.kind != "timing-signal" || found.first != kFirstLearnedPosition)
      throw DataError(cat(tensors.path(), ": the tensor ", table->text(),
                          " does not hold fairseq's sinusoids; FSMT models with other positions cannot be imported"));
  }
}

bool is_special(const std::string& token) {
  return token == "<s>" || token == "<pad>" || token == "</s>" || token == "<unk>";
}

// "th" is fairseq's "th@@", "the</w>" its "the".
std::string fairseq_token(const std::string& token) {
  constexpr std::string_view kWordEnd = "</w>";
  if (is_special(token)) return token;
  return token.ends_with(kWordEnd) ? token.substr(0, token.size() - kWordEnd.size()) : token + "@@";
}

TokenSide side(const std::string& folder, const char* file, int64_t size) {
  const std::string path = cat(folder, "/", file);
  TokenSide side{read_piece_ids(path, static_cast<size_t>(size)),
                 {"</s>", "</s>", "<unk>", "<pad>"},
                 path,
                 folder + "/merges.txt"};
  for (size_t id = 0; id < side.tokens.size(); ++id) {
    if (side.tokens[id].empty()) throw DataError(cat(path, ": no token has the id ", id, "; the file is damaged"));
    side.tokens[id] = fairseq_token(side.tokens[id]);
  }
  return side;
}

void read_fsmt_words(ForeignModel& m, const std::string& folder, const JsonFile& json) {
  check_tokenizer(folder, json, {"", "FSMTTokenizer"}, "FSMT");
  if (const std::string path = folder + "/tokenizer_config.json"; is_file(path))
    if (const JsonFile own(path); own.flag("do_lower_case", false))
      own.refuse("do_lower_case", "false: models that read lowercased text cannot be imported");
  const auto size = static_cast<size_t>(std::min(m.config.source_vocab, m.config.target_vocab));
  const std::vector<AddedToken> added = read_added_tokens(folder, size);
  for (const AddedToken& token : added)
    if (!is_special(token.text))
      throw DataError(cat(folder, ": its tokenizer has the added token ", shown(token.text),
                          ", which Moses' tokenizer would take apart; FSMT models with added tokens cannot be "
                          "imported"));
  put_words(m, side(folder, "vocab-src.json", m.config.source_vocab),
            side(folder, "vocab-tgt.json", m.config.target_vocab));
  m.notes.push_back(
      "the words are those of Moses' tokenizer (sacremoses) with normalized punctuation, aggressive_dash_splits and "
      "escape; its detokenizer joins the words of translations");
}

}  // namespace

bool is_fsmt(const std::string& folder) {
  const std::string config = folder + "/config.json";
  return is_file(config) && JsonFile(config).word("model_type", "") == "fsmt";
}

ForeignModel read_fsmt(const std::string& folder, const ImportOptions&) {
  const JsonFile json = configuration(folder);
  if (json.word("model_type", "") != "fsmt") json.refuse("model_type", "fsmt");
  check_keys(json);
  const std::shared_ptr<const ForeignTensors> tensors = open_hugging_face_weights(folder);
  ForeignModel m{.origin = "Hugging Face FSMT", .config = fsmt_config(json, *tensors)};
  resolve(m.config, json.path());
  check_positions(*tensors);
  m.weights =
      hugging_face_weights(m.config, {kFsmtSource, kFsmtTarget, m.config.tied == "none" ? kFsmtOutput : "", false});
  m.weights.ignored.emplace_back(kFsmtOutput);
  m.tensors = tensors;
  widen_feed_forwards(m, json);
  check(m.weights, m.config, *tensors);  // checks the vocabulary sizes against the tensors
  const Generation generation = read_generation(folder, json, m.config.target_vocab);
  if (generation.start != 2) generation.refuse("decoder_start_token_id", "2, fairseq's number of </s>");
  if (generation.first) generation.refuse("forced_bos_token_id", "null: no token begins these translations");
  m.notes.insert(m.notes.end(), generation.notes.begin(), generation.notes.end());
  read_fsmt_words(m, folder, json);
  m.text.usage.search = generation.search;
  return m;
}

}  // namespace hexapla::convert
