#include "convert/kinds/hugging_face/pieces/tokenizer_json.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/error.h"
#include "base/json.h"
#include "convert/kinds/hugging_face/pieces/added_tokens.h"
#include "convert/kinds/hugging_face/pieces/byte_level.h"
#include "convert/parsing/limits.h"
#include "convert/parsing/tokenizer_file.h"
#include "text/utf8.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;
using text::PieceModel;
using Type = PieceModel::Type;

constexpr const char *kSpaceMark = "\u2581", *kEndToken = "</s>";
constexpr float kUnmergedScore = -1e9F;
constexpr size_t kLongestMerged = 256;  // bytes of a piece, up to which all ways to merge it are checked

const json& member_or_null(const json& object, const std::string& key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string word(const json& object, const std::string& key) {
  const json& found = member_or_null(object, key);
  return found.is_string() ? found.get<std::string>() : "";
}

bool flag(const json& object, const std::string& key, bool otherwise) {
  const json& found = member_or_null(object, key);
  return found.is_boolean() ? found.get<bool>() : otherwise;
}

// RFC 4648, section 4; nothing if a character is not in its alphabet.
std::optional<std::string> from_base64(const std::string& text) {
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) return {};
    bits = bits << 6 | static_cast<uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xFF));
  }
  return bytes;
}

class TokenizerReader {
 public:
  TokenizerReader(const std::string& path, LanguageStyle style, size_t size)
      : path_(path),
        folder_(path.substr(0, path.rfind('/'))),
        style_(style),
        file_(read_tokenizer_file(path, size)),
        added_(read_added_tokens(folder_, size)) {
    for (const auto& [piece, score] : file_.scored) file_.pieces.push_back(piece);
    file_.pieces.resize(size);
    read_added();
    read_ends();
  }

  PieceModel model() {
    PieceModel pieces = without_added();
    put_added_tokens(pieces, added_, folder_, true);
    return pieces;
  }

 private:
  PieceModel without_added() {
    const json& model = member_or_null(file_.rest, "model");
    const std::string type = word(model, "type");
    if (type != "Unigram" && type != "BPE") refuse("model.type", model, "type", "Unigram or BPE");
    for (const char* key : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"})
      if (const json& value = member_or_null(model, key);
          !value.is_null() && (!value.is_string() || word(model, key) != ""))
        refuse(cat("model.", key), model, key, "null");
    if (flag(model, "ignore_merges", false)) refuse("model.ignore_merges", model, "ignore_merges", "false");
    read_normalizer(member_or_null(file_.rest, "normalizer"));
    read_pre_tokenizer(member_or_null(file_.rest, "pre_tokenizer"));
    if (byte_level_ && type != "BPE") refuse("model.type", model, "type", "BPE, as its pre-tokenizer is ByteLevel");
    if (byte_level_) return of_bytes();
    return type == "BPE" ? of_merges(model) : of_scores(model);
  }

  // Rejects the value of a key of `object`, which messages call `name`.
  [[noreturn]] void refuse(const std::string& name, const json& object, const std::string& key,
                           const std::string& allowed) const {
    const json& found = member_or_null(object, key);
    throw DataError(cat(path_, ": '", name, "' is ", found.is_null() ? "missing or null" : shown(json_text(found)),
                        "; allowed is ", allowed));
  }

  void read_added() {
    for (const AddedToken& token : added_) {
      std::string& place = file_.pieces[token.id];
      if (!place.empty() && place != token.text)
        throw DataError(cat(path_, ": the id ", token.id, " belongs to ", shown(place), " and to ", shown(token.text),
                            "; the file is damaged, get it again from its source"));
      const bool beyond = place.empty();
      const std::string language = language_piece(style_, token.text);
      place = language.empty() ? token.text : language;
      if (token.special || beyond) special_.insert(place);
    }
  }

  // The model's kind determines which pieces texts begin and end with; only the end is read here.
  void read_ends() const {
    const json& all = member_or_null(file_.rest, "post_processor");
    const json alone = json::array({all});
    bool ends = false;
    for (const json& one : word(all, "type") == "Sequence" ? member_or_null(all, "processors") : alone) {
      const std::string type = word(one, "type");
      if (type == "ByteLevel") continue;
      if (type == "RobertaProcessing") {
        const json& separator = member_or_null(one, "sep");
        ends = separator.is_array() && !separator.empty() && separator[0] == kEndToken;
      } else if (type == "TemplateProcessing") {
        for (const json& part : member_or_null(one, "single"))
          ends |= word(member_or_null(part, "SpecialToken"), "id") == kEndToken;
      } else {
        refuse("post_processor", file_.rest, "post_processor", "RobertaProcessing, TemplateProcessing or ByteLevel");
      }
    }
    if (!ends) refuse("post_processor", file_.rest, "post_processor", "one that ends texts with </s>");
  }

  void read_normalizer(const json& one) {
    if (one.is_null()) return;
    const std::string type = word(one, "type");
    if (type == "Sequence") {
      const json& all = member_or_null(one, "normalizers");
      if (!all.is_array() ||
          std::any_of(all.begin(), all.end(), [](const json& x) { return word(x, "type") == "Sequence"; }))
        refuse("normalizer", file_.rest, "normalizer", "a list of normalizers");
      for (const json& inner : all) read_normalizer(inner);
    } else if (type == "Precompiled") {
      const std::optional<std::string> rules = from_base64(word(one, "precompiled_charsmap"));
      if (!rules || !normalizer_.charsmap.empty())
        throw DataError(cat(path_, ": 'normalizer.precompiled_charsmap' is no base64, or there twice"));
      normalizer_.charsmap = *rules;
    } else if (type == "Replace" && word(member_or_null(one, "pattern"), "Regex") == " {2,}" &&
               (word(one, "content") == " " || word(one, "content") == kSpaceMark)) {
      normalizer_.remove_extra_whitespaces = true;
    } else if (type != "Strip") {
      throw DataError(cat(path_, ": 'normalizer' has ", shown(json_text(one)), "; allowed are Precompiled, Strip, and ",
                          "Replace of several blanks by one"));
    }
  }

  void read_pre_tokenizer(const json& one) {
    const std::string type = word(one, "type");
    const json& all = member_or_null(one, "pretokenizers");
    if (type == "Sequence" && all.is_array() && all.size() == 2 && word(all[0], "type") == "WhitespaceSplit" &&
        word(all[1], "type") == "Metaspace") {
      normalizer_.remove_extra_whitespaces = true;
      read_pre_tokenizer(all[1]);
    } else if (type == "Metaspace" && word(one, "replacement") == kSpaceMark) {
      const std::string scheme = word(one, "prepend_scheme");
      if (scheme == "first" && !added_.empty())
        refuse("pre_tokenizer.prepend_scheme", one, "prepend_scheme", "always or never, beside 'added_tokens'");
      normalizer_.add_dummy_prefix = scheme.empty() ? flag(one, "add_prefix_space", true) : scheme != "never";
    } else if (type == "ByteLevel" && flag(one, "use_regex", true)) {
      byte_level_ = true;
      normalizer_.add_dummy_prefix = flag(one, "add_prefix_space", true);
      if (!member_or_null(file_.rest, "normalizer").is_null())
        refuse("normalizer", file_.rest, "normalizer", "null, as the pre-tokenizer is ByteLevel");
    } else {
      throw DataError(cat(path_, ": 'pre_tokenizer' is ", shown(json_text(one)),
                          "; allowed are Metaspace, that behind ",
                          "WhitespaceSplit, and ByteLevel with its own regular expression"));
    }
  }

  PieceModel of_bytes() const {
    return byte_level_model({file_.pieces, file_.merges, special_, normalizer_.add_dummy_prefix}, path_);
  }

  PieceModel of_scores(const json& model) const {
    const json& unknown = member_or_null(model, "unk_id");
    if (!unknown.is_number_unsigned() || unknown.get<uint64_t>() >= file_.scored.size())
      refuse("model.unk_id", model, "unk_id", "the id of a piece");
    PieceModel pieces = without_scores(PieceModel::Kind::unigram, unknown.get<size_t>());
    for (size_t id = 0; id < file_.scored.size(); ++id)
      pieces.pieces[id].score = static_cast<float>(file_.scored[id].second);
    return checked(pieces, model);
  }

  // SentencePiece merges any two pieces that form a piece, by that piece's score: equivalent only
  // if the merges agree.
  PieceModel of_merges(const json& model) const {
    if (!flag(model, "fuse_unk", false)) refuse("model.fuse_unk", model, "fuse_unk", "true");
    const auto found = std::find(file_.pieces.begin(), file_.pieces.end(), word(model, "unk_token"));
    if (found == file_.pieces.end()) refuse("model.unk_token", model, "unk_token", "a piece");
    PieceModel pieces = without_scores(PieceModel::Kind::bpe, static_cast<size_t>(found - file_.pieces.begin()));
    const std::map<std::string, float> scores = scores_of_merges();
    for (PieceModel::Piece& piece : pieces.pieces) {
      if (piece.type != Type::normal) continue;
      const auto made = scores.find(piece.text);
      const bool one = text::character_bytes(piece.text) == piece.text.size();
      piece.score = made == scores.end() ? kUnmergedScore : made->second;
      if (!one && made == scores.end()) piece.type = Type::unused;
    }
    return checked(pieces, model);
  }

  std::map<std::string, float> scores_of_merges() const {
    std::map<std::string, float> scores;
    std::map<std::string, size_t> ways;
    std::string last;
    for (size_t rank = 0; rank < file_.merges.size(); ++rank) {
      const std::string made = file_.merges[rank].first + file_.merges[rank].second;
      if (made.size() > kLongestMerged) refuse_merges(made);
      if (made != last && !scores.emplace(made, -static_cast<float>(rank)).second) refuse_merges(made);
      ++ways[made];
      last = made;
    }
    std::unordered_set<std::string_view> mergeable;
    for (const std::string& piece : file_.pieces)
      if (scores.contains(piece) || text::character_bytes(piece) == piece.size()) mergeable.insert(piece);
    for (const auto& [made, count] : ways) {
      size_t splits = 0;
      const std::string_view all = made;
      for (size_t at = text::character_bytes(all); at < all.size(); at += text::character_bytes(all.substr(at)))
        splits += mergeable.contains(all.substr(0, at)) && mergeable.contains(all.substr(at));
      if (splits != count || !mergeable.contains(made)) refuse_merges(made);
    }
    return scores;
  }
  [[noreturn]] void refuse_merges(const std::string& piece) const {
    throw DataError(cat(path_, ": 'model.merges' makes ", shown(piece), " otherwise than SentencePiece would, whose ",
                        "pieces are merged by their scores alone; give the SentencePiece model"));
  }

  PieceModel without_scores(PieceModel::Kind kind, size_t unknown) const {
    PieceModel pieces;
    pieces.kind = kind;
    pieces.normalizer = normalizer_;
    pieces.bos = kEndToken;  // translations start with it
    for (size_t id = 0; id < file_.pieces.size(); ++id) {
      const std::string& text = file_.pieces[id];
      const Type type = id == unknown                             ? Type::unknown
                        : text.empty() || special_.contains(text) ? Type::control
                                                                  : Type::normal;
      pieces.pieces.push_back({text.empty() ? cat("<no piece ", id, ">") : text, 0, type});
    }
    pieces.ids = pieces.pieces.size();
    return pieces;
  }
  PieceModel checked(PieceModel& pieces, const json& model) const {
    pieces.byte_fallback = flag(model, "byte_fallback", false);
    if (pieces.byte_fallback) {
      std::unordered_set<std::string> bytes;
      for (int byte = 0; byte < 256; ++byte) bytes.insert(text::byte_piece(static_cast<unsigned char>(byte)));
      for (PieceModel::Piece& piece : pieces.pieces)
        if (bytes.contains(piece.text)) piece.type = Type::byte;
    }
    return PieceModel::parse(pieces.serialized(), path_);
  }

  const std::string& path_;
  std::string folder_;
  LanguageStyle style_;
  TokenizerFile file_;
  std::vector<AddedToken> added_;
  std::unordered_set<std::string> special_;
  PieceModel::Normalizer normalizer_{.charsmap = "", .remove_extra_whitespaces = false};
  bool byte_level_ = false;
};

}  // namespace

text::PieceModel read_tokenizer_json(const std::string& path, LanguageStyle style, size_t size) {
  return TokenizerReader(path, style, size).model();
}

}  // namespace hexapla::convert
