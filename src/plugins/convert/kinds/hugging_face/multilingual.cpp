#include "convert/kinds/hugging_face/multilingual.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files/file.h"
#include "convert/kinds/hugging_face/configuration.h"
#include "convert/kinds/hugging_face/generation.h"
#include "convert/kinds/hugging_face/names.h"
#include "convert/kinds/hugging_face/pieces/languages.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "text/vocabulary/pieces/piece_table.h"
#include "text/vocabulary/vocabulary.h"

namespace hexapla::convert {
namespace {

using model::Config;

// How the kinds differ.
struct MultilingualKind {
  const char *type, *origin;  // type in config.json; origin for provenance
  Config::NormPosition norm_position;
  Config::Positions positions;
  bool embedding_norm, bias, scaled;  // scaled: if config.json does not say
  const char *activation, *source;    // source: transformers' default source language
};
constexpr MultilingualKind kMultilingual[] = {
    {"m2m_100", "Hugging Face M2M-100", "pre", "timing-signal", false, false, true, "relu", "en"},
    {"mbart", "Hugging Face mBART", "pre", "learned", true, true, false, "gelu", "en_XX"},
    {"bart", "Hugging Face BART", "post", "learned", true, true, false, "gelu", ""},
};

const MultilingualKind* multilingual_kind(const JsonFile& json) {
  const std::string type = json.word("model_type", "");
  for (const MultilingualKind& kind : kMultilingual)
    if (type == kind.type) return &kind;
  return nullptr;
}

// M2M-100 has vocab.json; NLLB-200 is an M2M-100 without it.
LanguageStyle style_of_kind(const MultilingualKind& kind, const std::string& folder) {
  const std::string type = kind.type;
  if (type == "bart") return LanguageStyle::none;
  if (type == "mbart") return LanguageStyle::country;
  return is_file(folder + "/vocab.json") ? LanguageStyle::underlined : LanguageStyle::script;
}

Config config_of_kind(const JsonFile& json, const MultilingualKind& kind, const ForeignTensors& tensors) {
  Config c = hugging_face_config(json, kind.activation);
  c.source_vocab = c.target_vocab = json.whole("vocab_size", Config::kVocabulary);
  c.tied = json.flag("tie_word_embeddings", true) ? "all" : Config::Tied("none");
  c.norm_position = kind.norm_position;
  c.positions = kind.positions;
  c.embedding_norm = kind.embedding_norm;
  c.generator_bias = kind.bias;
  c.embedding_scale = json.flag("scale_embedding", kind.scaled) ? "sqrt" : Config::EmbeddingScale("none");
  if (c.positions == "learned") {
    const ForeignTensor& table = tensors.get("model.encoder.embed_positions.weight");
    if (table.shape.size() != 2 || table.shape[0] <= kFirstLearnedPosition)
      throw DataError(cat(tensors.path(), ": the tensor ", table.text(), " should be a table of positions"));
    c.max_positions = static_cast<int64_t>(table.shape[0] - kFirstLearnedPosition);
  } else {
    c.first_position = kFirstLearnedPosition;  // fairseq's first position follows the padding's id
    if (c.d_model % 2 != 0) json.refuse("d_model", "an even number");
  }
  return c;
}

// fairseq's ids of the special tokens, which the configuration repeats.
void check_ids(const JsonFile& json) {
  const std::pair<const char*, int64_t> all[] = {{"bos_token_id", 0}, {"pad_token_id", 1}, {"eos_token_id", 2}};
  for (const auto& [key, id] : all)
    if (json.whole(key, {0, Config::kVocabulary.most}, id) != id) json.refuse(key, cat(id, ", fairseq's number"));
}

// mBART-25 ends sources with their language, and starts translations with theirs instead of </s>.
// transformers uses its tokenizer for mbart folders that do not name another.
bool is_mbart_25(const std::string& folder, const MultilingualKind& kind) {
  const std::string name = tokenizer_class_of(folder, JsonFile(folder + "/config.json"));
  return kind.type == std::string("mbart") && !name.starts_with("MBart50");
}

void check_generation(const Generation& generation, LanguageStyle style, bool mbart_25) {
  constexpr int64_t end = 2;
  if (generation.start != end && !mbart_25)
    generation.refuse("decoder_start_token_id", cat(end, ", fairseq's number of </s>"));
  if (generation.first && mbart_25)
    generation.refuse("forced_bos_token_id", "null: translations of mBART-25 start with their language");
  if (!generation.without.empty()) generation.refuse("renormalize_logits", "false, beside 'bad_words_ids'");
  if (style == LanguageStyle::none && generation.first.value_or(0) != 0)
    generation.refuse("forced_bos_token_id", "0, the number of <s>, or null");
}

// Accepts tokenizers that split text as we do. A folder without a tokenizer name uses its type's
// default, which for mbart is mBART-25's.
void check_tokenizer_of(const std::string& folder, const JsonFile& json, LanguageStyle style) {
  switch (style) {
    case LanguageStyle::none:
      return check_tokenizer(
          folder, json, {"", "BartTokenizer", "BartTokenizerFast", "RobertaTokenizer", "RobertaTokenizerFast"}, "BART");
    case LanguageStyle::underlined:
      return check_tokenizer(folder, json, {"", "M2M100Tokenizer"}, "M2M-100");
    case LanguageStyle::script:
      return check_tokenizer(folder, json, {"", "NllbTokenizer", "NllbTokenizerFast"}, "NLLB-200");
    case LanguageStyle::country:
      return check_tokenizer(folder, json,
                             {"", "MBart50Tokenizer", "MBart50TokenizerFast", "MBartTokenizer", "MBartTokenizerFast"},
                             "mBART");
  }
}

class LanguageTokens {
 public:
  LanguageTokens(const std::string& folder, const MultilingualKind& kind, LanguageStyle style,
                 const text::PieceModel& pieces)
      : kind_(kind), style_(style) {
    for (size_t id = 0; id < pieces.size(); ++id) pieces_.push_back(pieces.pieces[id].text);
    const std::string path = folder + "/tokenizer_config.json";
    if (is_file(path)) config_.emplace(path);
  }

  // Whether a source's language follows its </s>, as in NLLB-200's first tokenizer.
  bool behind() const { return style_ == LanguageStyle::script && config_ && config_->flag("legacy_behaviour", false); }

  // ">>en<<", which begins every source.
  std::string source(const std::string& asked) const {
    if (style_ == LanguageStyle::none) return none(asked, "source-language");
    if (!asked.empty()) return known(asked, "source-language");
    if (const std::string recorded = in_config("src_lang"); !recorded.empty()) return recorded;
    const std::string usual = cat(">>", style_ == LanguageStyle::script ? "eng_Latn" : kind_.source, "<<");
    return has(usual) ? usual : first();
  }
  // "": not recorded.
  std::string target(const std::string& asked, const Generation& generation) const {
    if (style_ == LanguageStyle::none) {
      const std::string start = none(asked, "target-language");
      return generation.first ? start : "";
    }
    if (!asked.empty()) return known(asked, "target-language");
    if (generation.first) {
      const std::string& piece = pieces_[*generation.first];
      if (!text::begins_text(piece)) generation.refuse("forced_bos_token_id", "the id of a language");
      return piece;
    }
    return in_config("tgt_lang");
  }
  // The language that translations start with.
  std::string start(const std::string& asked, const Generation& generation) const {
    if (!asked.empty()) return known(asked, "target-language");
    const std::string& piece = pieces_[generation.start];
    if (!text::begins_text(piece))
      generation.refuse("decoder_start_token_id",
                        "the id of a language, as in mBART-25, since no 'tokenizer_class' says mBART-50");
    return piece;
  }

 private:
  bool has(const std::string& piece) const { return std::find(pieces_.begin(), pieces_.end(), piece) != pieces_.end(); }
  std::string first() const { return *std::find_if(pieces_.begin(), pieces_.end(), text::begins_text); }
  static std::string none(const std::string& asked, const char* option) {
    if (!asked.empty())
      throw UsageError(cat("`", option, "` ", asked, ": BART is not told languages; leave it out"), option, asked);
    return "<s>";
  }
  std::string known(const std::string& code, const char* option) const {
    const std::string piece = cat(">>", code, "<<");
    if (has(piece)) return piece;
    std::string all;
    for (const std::string& one : pieces_)
      if (text::begins_text(one)) all += (all.empty() ? "" : ", ") + one.substr(2, one.size() - 4);
    throw UsageError(cat("`", option, "` '", code, "' is none of the model's languages: ", all), option, code);
  }
  std::string in_config(const char* key) const {
    const std::string code = config_ ? config_->word(key, "") : "";
    if (code.empty()) return "";
    const std::string piece = cat(">>", code, "<<");
    if (!has(piece)) config_->refuse(key, "a language of the model");
    return piece;
  }

  const MultilingualKind& kind_;
  LanguageStyle style_;
  std::vector<std::string> pieces_;
  std::optional<JsonFile> config_;
};

// Its languages are fixed: pieces of other names, so that lines cannot choose them.
void read_words_of_mbart_25(ForeignModel& m, text::PieceModel words, const std::string& source,
                            const std::string& target) {
  const auto fixed = [](const std::string& piece) { return piece.substr(2, piece.size() - 4); };
  for (text::PieceModel::Piece& piece : words.pieces)
    if (text::begins_text(piece.text)) piece.text = fixed(piece.text);
  text::PieceModel other = words;
  words.opening = fixed(source);
  words.opening_behind = true;
  m.text.source_vocabulary = words.serialized();
  other.bos = fixed(target);
  m.text.target_vocabulary = other.serialized();
}

void read_multilingual_words(ForeignModel& m, const std::string& folder, const MultilingualKind& kind,
                             const Generation& generation, const ImportOptions& options) {
  const LanguageStyle style = style_of_kind(kind, folder);
  const bool mbart_25 = is_mbart_25(folder, kind);
  check_generation(generation, style, mbart_25);
  text::PieceModel words = pieces_in(folder, style, static_cast<size_t>(m.config.source_vocab));
  const LanguageTokens languages(folder, kind, style, words);
  const std::string source = languages.source(options.source_language);
  if (mbart_25) return read_words_of_mbart_25(m, words, source, languages.start(options.target_language, generation));
  std::string target = languages.target(options.target_language, generation);
  if (target.empty() && style != LanguageStyle::none) {
    target = source;
    m.notes.push_back(cat(folder, " does not say into which language it translates, so that is ",
                          target.substr(2, target.size() - 4),
                          ", too; give `target-language`, or begin lines with >>code<<"));
  }
  words.opening = source;
  words.opening_behind = languages.behind();
  m.text.source_vocabulary = words.serialized();
  words.opening = target;
  words.opening_behind = false;
  m.text.target_vocabulary = words.serialized();
}

}  // namespace

bool is_hugging_face_multilingual(const std::string& folder) {
  const std::string config = folder + "/config.json";
  return is_file(config) && multilingual_kind(JsonFile(config)) != nullptr;
}

ForeignModel read_hugging_face_multilingual(const std::string& folder, const ImportOptions& options) {
  const JsonFile json(folder + "/config.json");
  const MultilingualKind* kind = multilingual_kind(json);
  if (!kind) json.refuse("model_type", "m2m_100, mbart or bart");
  check_configuration_keys(json);
  check_tokenizer_of(folder, json, style_of_kind(*kind, folder));
  const std::shared_ptr<const ForeignTensors> tensors = open_hugging_face_weights(folder);
  ForeignModel m{.origin = kind->origin, .config = config_of_kind(json, *kind, *tensors)};
  resolve(m.config, json.path());
  check_ids(json);
  const HuggingFaceTables tables = hugging_face_tables(m.config, *tensors, true);
  m.weights = hugging_face_weights(m.config, tables);
  m.tensors = tensors;
  widen_feed_forwards(m, json);
  check(m.weights, m.config, *tensors);  // checks the vocabulary sizes against the tensors
  const Generation generation = read_generation(folder, json, m.config.target_vocab);
  m.notes.insert(m.notes.end(), generation.notes.begin(), generation.notes.end());
  read_multilingual_words(m, folder, *kind, generation, options);
  m.text.usage.search = generation.search;
  if (const std::string note = check_other_tables(m.config, tables, *tensors); !note.empty()) m.notes.push_back(note);
  return m;
}

}  // namespace hexapla::convert
