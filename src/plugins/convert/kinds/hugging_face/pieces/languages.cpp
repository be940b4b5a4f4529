#include "convert/kinds/hugging_face/pieces/languages.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <regex>
#include <sstream>

#include "base/classic.h"
#include "base/error.h"
#include "convert/kinds/hugging_face/pieces/added_tokens.h"
#include "convert/kinds/hugging_face/pieces/byte_level.h"
#include "convert/kinds/hugging_face/pieces/tokenizer_json.h"
#include "convert/parsing/json_tree.h"
#include "convert/parsing/limits.h"
#include "convert/texts/token_list.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;

// M2M-100's (Fan et al. 2020) in the order of their ids; its folders may omit them.
constexpr const char* kOfM2M100 =
    "af am ar ast az ba be bg bn br bs ca ceb cs cy da de el en es et fa ff fi fr fy ga gd gl gu ha he hi hr ht hu hy "
    "id ig ilo is it ja jv ka kk km kn ko lb lg ln lo lt lv mg mk ml mn mr ms my ne nl no ns oc or pa pl ps pt ro ru "
    "sd si sk sl so sq sr ss su sv sw ta th tl tn tr uk ur uz vi wo xh yi yo zh zu";
// mBART-25's (Liu et al. 2020), likewise.
constexpr const char* kOfMBart25 =
    "ar_AR cs_CZ de_DE en_XX es_XX et_EE fi_FI fr_XX gu_IN hi_IN it_IT ja_XX kk_KZ ko_KR lt_LT lv_LV my_MM ne_NP nl_XX "
    "ro_RO ru_RU si_LK tr_TR vi_VN zh_CN";
constexpr const char* kOfWmt21 = "en ha is ja cs ru zh de";  // language_codes wmt21

constexpr const char* kSentencePieces = "/sentencepiece.bpe.model";

class PiecesByNumber {
 public:
  PiecesByNumber(LanguageStyle style, size_t size, std::string path)
      : style_(style), size_(size), path_(std::move(path)) {}

  void put(size_t id, const std::string& piece) {
    if (id >= size_)
      throw DataError(cat(path_, ": the piece ", shown(piece), " has the id ", id, ", but the model has ", size_,
                          " pieces; the files do not belong together"));
    const std::string language = language_piece(style_, piece);
    if (!language.empty()) ++languages_;
    if (id >= pieces_.size()) pieces_.resize(id + 1);
    std::string& place = pieces_[id];
    if (!place.empty() && place != piece && place != language)
      throw DataError(cat(path_, ": the id ", id, " belongs to ", shown(place), " and to ", shown(piece),
                          "; the file is damaged, get it again from its source"));
    place = language.empty() ? piece : language;
  }
  size_t languages() const { return languages_; }
  std::vector<std::string> take() {
    pieces_.resize(size_);
    return std::move(pieces_);
  }

 private:
  LanguageStyle style_;
  size_t size_;
  std::string path_;
  std::vector<std::string> pieces_;
  size_t languages_ = 0;
};

// Skips "model", which in tokenizer.json repeats all pieces and merges.
json parsed(const std::string& path) { return read_json_without(path, "model"); }

std::optional<std::string> text_in(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object() && value.contains("content") && value["content"].is_string())
    return value["content"].get<std::string>();
  return {};
}

const json& member_named(const json& object, const char* key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

// Numbers the listed languages from `first` on, followed by <mask>.
bool put_listed(const std::string& folder, LanguageStyle style, size_t first, PiecesByNumber& pieces) {
  for (const char* name : {"/special_tokens_map.json", "/tokenizer_config.json"}) {
    if (!is_file(folder + name)) continue;
    const json file = parsed(folder + name);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      size_t id = first;
      const json& list = member_named(file, key);
      if (!list.is_array()) continue;
      for (const json& token : list)
        if (const auto text = text_in(token); text && !language_piece(style, *text).empty()) pieces.put(id++, *text);
      if (id == first) continue;
      if (style != LanguageStyle::underlined) pieces.put(id, "<mask>");
      return true;
    }
  }
  return false;
}

void put_of_m2m100(const std::string& folder, size_t first, PiecesByNumber& pieces) {
  const std::string config = folder + "/tokenizer_config.json";
  const bool wmt21 = is_file(config) && member_named(parsed(config), "language_codes") == "wmt21";
  Classic<std::istringstream> codes(wmt21 ? kOfWmt21 : kOfM2M100);
  for (std::string code; codes >> code;) pieces.put(first++, cat("__", code, "__"));
}

// mBART-50's folders, which have more pieces, list their languages.
void put_of_mbart25(size_t first, size_t size, PiecesByNumber& pieces) {
  Classic<std::istringstream> words(cat(kOfMBart25, " <mask>"));
  const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
  if (first + all.size() != size) return;
  for (const std::string& word : all) pieces.put(first++, word);
}

void put_fairseq_pieces(const text::PieceModel& model, const std::string& path, PiecesByNumber& pieces) {
  const std::vector<std::string> special{"<s>", "<pad>", "</s>", "<unk>"};
  for (size_t id = 0; id < special.size(); ++id) pieces.put(id, special[id]);
  const size_t before = special.size() - 1;  // <unk> <s> </s>, the first pieces of a SentencePiece model
  for (size_t id = 0; id < before; ++id)
    if (id >= model.pieces.size() || model.pieces[id].type == text::PieceModel::Type::normal)
      throw DataError(cat(path, ": it does not begin with <unk>, <s> and </s>, so its pieces have no numbers of ",
                          "fairseq; the files do not belong together"));
  for (size_t id = before; id < model.pieces.size(); ++id) pieces.put(id + 1, model.pieces[id].text);
}

// SentencePiece's pieces with the ids of vocab.json or of fairseq.
text::PieceModel numbered_pieces(const std::string& folder, LanguageStyle style, size_t size) {
  const std::string spm = folder + kSentencePieces, vocab = folder + "/vocab.json";
  const text::PieceModel model = read_piece_model(spm);
  const bool by_table = style == LanguageStyle::underlined;
  const std::string& numbering = by_table ? vocab : spm;
  PiecesByNumber pieces(style, size, numbering);
  size_t first = model.pieces.size() + 1;  // id after the pieces
  if (by_table) {
    const std::vector<std::string> listed = read_piece_ids(vocab, size);
    for (size_t id = 0; id < listed.size(); ++id)
      if (!listed[id].empty()) pieces.put(id, listed[id]);
    first = listed.size();
  } else {
    put_fairseq_pieces(model, spm, pieces);
  }
  const std::vector<AddedToken> added = read_added_tokens(folder, size);
  for (const AddedToken& token : added) pieces.put(token.id, token.text);
  if (pieces.languages() == 0 && style != LanguageStyle::none && !put_listed(folder, style, first, pieces)) {
    if (by_table) put_of_m2m100(folder, first, pieces);
    if (style == LanguageStyle::country) put_of_mbart25(first, size, pieces);
  }
  if (pieces.languages() == 0 && style != LanguageStyle::none)
    throw DataError(cat(folder, ": neither tokenizer.json nor special_tokens_map.json nor tokenizer_config.json says ",
                        "what the languages are; the folder is incomplete"));
  text::PieceModel all = text::with_ids_of({pieces.take(), "</s>", "</s>", "<unk>", "<pad>"}, model, numbering);
  put_added_tokens(all, added, folder, !by_table);
  return all;
}

}  // namespace

std::string language_piece(LanguageStyle style, const std::string& piece) {
  static const std::regex underlined("__([a-z]{2,3})__"), script("([a-z]{3}_[A-Z][a-z]{3})"),
      country("([a-z]{2}_[A-Z]{2})");
  if (style == LanguageStyle::none || piece.size() > 12) return "";
  const std::regex& form = style == LanguageStyle::underlined ? underlined
                           : style == LanguageStyle::script   ? script
                                                              : country;
  std::smatch match;
  return std::regex_match(piece, match, form) ? cat(">>", match[1].str(), "<<") : "";
}

text::PieceModel pieces_in(const std::string& folder, LanguageStyle style, size_t size) {
  const std::string tokenizer = folder + "/tokenizer.json";
  if (is_file(folder + kSentencePieces)) return numbered_pieces(folder, style, size);
  if (style == LanguageStyle::none && has_byte_level_files(folder)) return read_byte_level_files(folder, size);
  if (style == LanguageStyle::underlined || !is_file(tokenizer))
    throw DataError(cat(folder, ": there is no sentencepiece.bpe.model",
                        style == LanguageStyle::none         ? ", no vocab.json with merges.txt and no tokenizer.json"
                        : style == LanguageStyle::underlined ? ""
                                                             : " and no tokenizer.json",
                        "; the folder is incomplete"));
  text::PieceModel all = read_tokenizer_json(tokenizer, style, size);
  const auto is_language = [](const text::PieceModel::Piece& piece) { return text::begins_text(piece.text); };
  if (style != LanguageStyle::none && std::none_of(all.pieces.begin(), all.pieces.end(), is_language))
    throw DataError(cat(tokenizer, " does not say what the languages are; the folder is incomplete"));
  return all;
}

}  // namespace hexapla::convert
