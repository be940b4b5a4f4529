#include "convert/kinds/ctranslate2/words.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/files/file.h"
#include "convert/kinds/hugging_face/pieces/byte_level.h"
#include "convert/kinds/hugging_face/pieces/languages.h"
#include "convert/kinds/zero_start.h"
#include "convert/parsing/known_keys.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "convert/texts/token_list.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

// The special tokens named in config.json, or before version 6 in model.bin.
class TokenSettings {
 public:
  TokenSettings(const std::string& folder, const CTranslate2File& file) : file_(file) {
    if (!is_file(folder + "/config.json")) return;
    json_.emplace(folder + "/config.json");
    refuse_unknown_keys(json_->path(), json_->keys(),
                        {"unk_token", "bos_token", "eos_token", "decoder_start_token", "add_source_bos",
                         "add_source_eos", "layer_norm_epsilon", "quantization_type",
                         "multi_query_attention",  // for tensor parallelism
                         // for AWQ, which quantization_type shows
                         "quantization_bits", "quantization_group_size"});
    if (json_->whole("quantization_type", {0, 1 << 20}, 0) != 0)
      json_->refuse("quantization_type", "0, CTranslate2's own");
  }

  std::string end() const { return word("eos_token", "</s>"); }
  std::string unknown() const { return word("unk_token", "<unk>"); }
  std::string bos() const { return word("bos_token", "<s>"); }
  std::string start() const {
    if (in_json() ? !json_->has("decoder_start_token") : number("user_decoder_start_tokens", 0))
      throw DataError(cat(path(),
                          ": its caller gives the token that a translation starts with (decoder_start_token is ",
                          "null), and that is not read; convert the model with one"));
    if (in_json()) return json_->word("decoder_start_token", "");
    return number("with_target_bos", 1) ? bos() : end();
  }
  bool begins_source() const { return flag("add_source_bos", "with_source_bos"); }
  bool ends_source() const { return flag("add_source_eos", "with_source_eos"); }
  std::string path() const { return in_json() ? json_->path() : file_.path(); }

 private:
  bool in_json() const { return json_ && file_.version() >= 6; }
  bool number(const char* name, float otherwise) const { return file_.number(name).value_or(otherwise) != 0; }
  bool flag(const std::string& key, const char* old) const {
    return in_json() ? json_->flag(key, false) : number(old, 0);
  }
  std::string word(const std::string& key, const std::string& otherwise) const {
    return in_json() ? json_->word(key, otherwise) : file_.text(key).value_or(otherwise);
  }

  const CTranslate2File& file_;
  std::optional<JsonFile> json_;
};

// How text becomes the network's input. CTranslate2's caller passes tokens; the file records only
// some of the rules.
struct TokenRules {
  std::string start, end, unknown, padding;
  std::string before;       // begins every source; "": nothing
  bool ends_source = true;  // with `end`
  // Whether transformers' tokenizer does both before calling CTranslate2.
  bool by_tokenizer = false;
};

TokenRules rules_of(const TokenSettings& s, bool zero_start) {
  TokenRules r{zero_start ? kZeroStart : s.start(), s.end(), s.unknown(), ""};
  r.before = s.begins_source() ? s.bos() : "";
  // This setting means that the caller adds all special tokens. The toolkits' own translations
  // start with bos_token.
  r.by_tokenizer = !s.ends_source() && (zero_start || r.start == r.end || r.start == "<pad>");
  r.ends_source = s.ends_source() || r.by_tokenizer;
  if (r.by_tokenizer && !zero_start && r.start == r.end) r.before = s.bos();  // BART; otherwise a language
  return r;
}

struct Lists {
  std::string source, target;  // files
};

std::string list_at(const std::string& folder, const std::string& name) {
  for (const char* ending : {".json", ".txt"})
    if (const std::string path = cat(folder, "/", name, ending); is_file(path)) return path;
  return "";
}

Lists lists_in(const std::string& folder) {
  if (const std::string shared = list_at(folder, "shared_vocabulary"); !shared.empty()) return {shared, shared};
  Lists lists{list_at(folder, "source_vocabulary"), list_at(folder, "target_vocabulary")};
  if (lists.source.empty() || lists.target.empty())
    throw DataError(cat(folder, ": there is neither shared_vocabulary.json nor source_vocabulary.json with ",
                        "target_vocabulary.json (or .txt); they belong to a CTranslate2 model"));
  return lists;
}

// The tokens of the table's rows. CTranslate2 appends the unknown token to a list without one.
std::vector<std::string> tokens_at(const std::string& path, const std::string& unknown, int64_t rows) {
  std::vector<std::string> tokens = read_token_list(path);
  const auto size = static_cast<size_t>(rows);
  if (tokens.size() + 1 == size && std::find(tokens.begin(), tokens.end(), unknown) == tokens.end())
    tokens.push_back(unknown);
  if (tokens.size() != size)
    throw DataError(cat(path, ": it has ", tokens.size(), " tokens, but the model's table ", size,
                        " rows; the files do not belong together"));
  return tokens;
}

constexpr const char* kMerges = "/merges.txt";

// SentencePiece models in the same folder, as named by our exports, converters and packages; or
// BART's byte-level BPE.
std::string pieces_beside(const CTranslate2Folder& folder, const std::string& side) {
  for (const std::string& place : {folder.model, folder.package})
    for (const std::string& name :
         {side + ".spm", std::string("sentencepiece.model"), std::string("sentencepiece.bpe.model")})
      if (const std::string path = place + "/" + name; !place.empty() && is_file(path)) return path;
  return has_byte_level_files(folder.model) ? folder.model + kMerges : "";
}

struct Subwords {
  std::string source, target;  // files; "": text is already split
};

Subwords subwords_for(const CTranslate2Folder& folder, const ImportOptions& options) {
  if (!options.source_spm.empty() || !options.target_spm.empty())
    return {options.source_spm, options.target_spm.empty() ? options.source_spm : options.target_spm};
  return {pieces_beside(folder, "source"), pieces_beside(folder, "target")};
}

bool has(const std::vector<std::string>& tokens, const std::string& token) {
  return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
}

// How language tokens are written; none: there are not two of them.
LanguageStyle style_of_tokens(const std::vector<std::string>& tokens) {
  for (const LanguageStyle style : {LanguageStyle::underlined, LanguageStyle::script, LanguageStyle::country})
    if (std::count_if(tokens.begin(), tokens.end(), [&](const std::string& token) {
          return token.find('_') != token.npos && !language_piece(style, token).empty();
        }) > 1)
      return style;
  return LanguageStyle::none;
}

// The tokens of a side, and how its texts are split and begin.
struct Side {
  std::string list, subwords;  // files
  std::vector<std::string> tokens;
  std::string opening = {};
  bool open_ended = false, opening_behind = false;
};

// Whether the SentencePiece model has exactly these tokens and can be used unchanged.
bool is_vocabulary(const text::PieceModel& model, const Side& side, const TokenRules& r) {
  const auto same = [](const text::PieceModel::Piece& piece, const std::string& token) { return piece.text == token; };
  return model.size() == side.tokens.size() && model.bos == r.start && model.eos == r.end &&
         side.tokens[model.unknown()] == r.unknown &&
         std::equal(side.tokens.begin(), side.tokens.end(), model.pieces.begin(),
                    [&](const std::string& token, const auto& piece) { return same(piece, token); });
}

// BART's pieces, which must be those of the list. DataError: they are not.
std::string byte_level(const Side& side, const TokenRules& r) {
  text::PieceModel model = read_byte_level_files(directory_of(side.subwords), side.tokens.size());
  model.bos = r.start;
  if (!is_vocabulary(model, side, r))
    throw DataError(
        cat(side.list, ": its tokens are not those of vocab.json beside it; the files do not belong together"));
  return model.serialized();
}

std::string vocabulary_of_side(const Side& side, const TokenRules& r) {
  std::string bytes;
  if (side.subwords.ends_with(kMerges) && has_byte_level_files(directory_of(side.subwords))) {
    bytes = byte_level(side, r);
  } else if (!side.subwords.empty() && (side.subwords.ends_with(".spm") || side.subwords.ends_with(".model"))) {
    bytes = read_limited(side.subwords, limits::kText);
    if (!is_vocabulary(text::PieceModel::parse(bytes, side.subwords), side, r)) bytes.clear();
  }
  if (bytes.empty())
    bytes = vocabulary_of_tokens(side.tokens, {r.start, r.end, r.unknown, r.padding}, side.subwords, side.list);
  text::PieceModel model = text::PieceModel::parse(bytes, side.list);
  if (model.opening == side.opening && model.open_ended == side.open_ended &&
      model.opening_behind == side.opening_behind)
    return bytes;
  model.opening = side.opening, model.open_ended = side.open_ended, model.opening_behind = side.opening_behind;
  return model.serialized();
}

// Languages: M2M-100's, NLLB-200's and mBART-50's callers put them before sources and begin
// translations with them.
class SourceLanguages {
 public:
  SourceLanguages(const CTranslate2Folder& folder, LanguageStyle style) : style_(style) {
    if (const std::string path = folder.model + "/tokenizer_config.json"; is_file(path)) tokenizer_.emplace(path);
  }

  // Renames language tokens to the form in our vocabularies.
  void rename(std::vector<std::string>& tokens) const {
    for (std::string& token : tokens)
      if (std::string piece = token.find('_') == token.npos ? "" : language_piece(style_, token); !piece.empty())
        token = std::move(piece);
  }
  std::string source(const std::vector<std::string>& tokens, const std::string& asked) const {
    if (!asked.empty()) return known(tokens, asked, "source-language");
    if (const std::string recorded = recorded_as("src_lang", tokens); !recorded.empty()) return recorded;
    const char* usual = style_ == LanguageStyle::underlined ? ">>en<<"
                        : style_ == LanguageStyle::script   ? ">>eng_Latn<<"
                                                            : ">>en_XX<<";
    return has(tokens, usual) ? usual : *std::find_if(tokens.begin(), tokens.end(), text::begins_text);
  }
  // "": not recorded.
  std::string target(const std::vector<std::string>& tokens, const std::string& asked) const {
    return asked.empty() ? recorded_as("tgt_lang", tokens) : known(tokens, asked, "target-language");
  }
  // Whether a source's language follows its </s>, as in NLLB-200's first tokenizer.
  bool behind() const {
    return style_ == LanguageStyle::script && tokenizer_ && tokenizer_->flag("legacy_behaviour", false);
  }

 private:
  static std::string known(const std::vector<std::string>& tokens, const std::string& code, const char* option) {
    const std::string piece = cat(">>", code, "<<");
    if (has(tokens, piece)) return piece;
    std::string all;
    for (const std::string& token : tokens)
      if (text::begins_text(token)) all += (all.empty() ? "" : ", ") + token.substr(2, token.size() - 4);
    throw UsageError(cat("`", option, "` '", code, "' is none of the model's languages: ", all), option, code);
  }
  std::string recorded_as(const char* key, const std::vector<std::string>& tokens) const {
    const std::string code = tokenizer_ ? tokenizer_->word(key, "") : "";
    if (code.empty()) return "";
    if (!has(tokens, cat(">>", code, "<<"))) tokenizer_->refuse(key, "a language of the model");
    return cat(">>", code, "<<");
  }

  LanguageStyle style_;
  std::optional<JsonFile> tokenizer_;
};

void refuse_given_languages(const ImportOptions& options) {
  for (const auto& [name, code] :
       {std::pair{"source-language", options.source_language}, {"target-language", options.target_language}})
    if (!code.empty())
      throw UsageError(cat("`", name, "` ", code, ": this model's vocabulary has no languages; leave it out"), name,
                       code);
}

// The token that translations begin with, if the package names one.
std::string prefix_in(const CTranslate2Folder& folder) {
  return folder.package.empty() ? "" : JsonFile(folder.package + "/metadata.json").word("target_prefix", "");
}

void set_languages(ForeignModel& m, const CTranslate2Folder& folder, Side& source, Side& target,
                   const ImportOptions& options) {
  const LanguageStyle style = style_of_tokens(target.tokens);
  std::string asked = options.target_language;
  if (const std::string prefix = prefix_in(folder); asked.empty() && !prefix.empty()) {
    const std::string piece = language_piece(style, prefix);
    if (piece.empty()) JsonFile(folder.package + "/metadata.json").refuse("target_prefix", "the token of a language");
    asked = piece.substr(2, piece.size() - 4);
  }
  const SourceLanguages languages(folder, style);
  languages.rename(source.tokens);
  languages.rename(target.tokens);
  source.opening = languages.source(source.tokens, options.source_language);
  source.opening_behind = languages.behind();
  target.opening = languages.target(target.tokens, asked);
  if (!target.opening.empty()) return;
  target.opening = has(target.tokens, source.opening)
                       ? source.opening
                       : *std::find_if(target.tokens.begin(), target.tokens.end(), text::begins_text);
  m.notes.push_back(cat(folder.model, " does not say into which language it translates, so that is ",
                        target.opening.substr(2, target.opening.size() - 4),
                        "; give `target-language`, or begin lines with >>code<<"));
}

// Toolkits that do not end sources may have no </s> in the source list; the replacement never
// occurs in text.
std::string end_of_source(const std::vector<std::string>& tokens, const TokenRules& r) {
  if (has(tokens, r.end) || r.ends_source) return r.end;
  for (const char* other : {"<blank>", "<pad>", "<s>"})
    if (has(tokens, other)) return other;
  return r.end;  // refused
}

void tell(ForeignModel& m, const TokenRules& r, const Subwords& subwords) {
  if (subwords.source.empty())
    m.notes.push_back("text comes cut into tokens, with blanks between them, and so do translations");
  if (!r.ends_source)
    m.notes.push_back(cat("sources do not end with ", r.end, ", since the model's files do not add it"));
  if (r.by_tokenizer)
    m.notes.push_back(cat("sources end with ", r.end, ", which the tokenizer of transformers adds to such models"));
}

// Argos Translate does not use CTranslate2's defaults.
std::map<std::string, std::string> package_search(bool package) {
  return {{"beam-size", package ? "4" : "2"},
          {"length-penalty", package ? "0.2" : "1"},
          {"length-normalization", "power"},
          {"longest", "256"},
          {"min-length", "1"}};
}

}  // namespace

double norm_eps_in(const CTranslate2Folder& folder) {
  const std::string path = folder.model + "/config.json";
  if (!is_file(path)) return 1e-5;
  return JsonFile(path).number("layer_norm_epsilon", {.least = 0, .most = 1, .open_least = true}, 1e-5);
}

void read_words(ForeignModel& m, const CTranslate2Folder& folder, const CTranslate2File& file, bool zero_start,
                const ImportOptions& options) {
  const TokenRules rules = rules_of(TokenSettings(folder.model, file), zero_start);
  const Lists lists = lists_in(folder.model);
  const Subwords subwords = subwords_for(folder, options);
  const bool one = m.config.tied == "all";
  Side source{lists.source, subwords.source,
              tokens_at(lists.source, rules.unknown, m.config.source_vocab - (zero_start && one))},
      target{lists.target, subwords.target, tokens_at(lists.target, rules.unknown, m.config.target_vocab - zero_start)};
  TokenRules of_target = rules, of_source = rules;
  source.opening = rules.before;
  source.open_ended = !rules.ends_source;
  if (rules.start == rules.end && style_of_tokens(target.tokens) != LanguageStyle::none) {
    set_languages(m, folder, source, target, options);
    of_target.padding = of_source.padding = "<pad>";
  } else {
    refuse_given_languages(options);
    if (!prefix_in(folder).empty())
      JsonFile(folder.package + "/metadata.json").refuse("target_prefix", "nothing: the vocabulary has no languages");
  }
  if (zero_start) target.tokens.emplace_back(kZeroStart);
  if (zero_start && one) source.tokens.emplace_back(kZeroStart);
  of_source.end = end_of_source(source.tokens, rules);
  // No source starts with it; but it must be a special piece that text is never split into, as the
  // opening piece must.
  const bool opened = !source.opening.empty() && !text::begins_text(source.opening);
  of_source.start = opened ? source.opening : has(source.tokens, rules.start) ? rules.start : of_source.end;
  m.text.source_vocabulary = vocabulary_of_side(source, of_source);
  m.text.target_vocabulary = vocabulary_of_side(target, of_target);
  m.text.usage.search = package_search(!folder.package.empty());
  tell(m, rules, subwords);
}

}  // namespace hexapla::convert
