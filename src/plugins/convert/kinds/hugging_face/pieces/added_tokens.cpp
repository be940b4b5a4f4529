#include "convert/kinds/hugging_face/pieces/added_tokens.h"

#include <map>
#include <unordered_set>

#include "base/error.h"
#include "base/json.h"
#include "base/range.h"
#include "convert/parsing/json_tree.h"
#include "convert/parsing/limits.h"
#include "convert/texts/json_file.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;
using text::PieceModel;
using Type = PieceModel::Type;

const json& member_of(const json& object, const std::string& key) {
  static const json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

// A token as text, or as an object with its properties; "": none.
std::string text_of_token(const json& token) {
  const json& content = token.is_object() ? member_of(token, "content") : token;
  return content.is_string() ? content.get<std::string>() : "";
}

json read_file_if(const std::string& path) { return is_file(path) ? read_json_without(path, "model") : json(); }

class Reader {
 public:
  Reader(const std::string& folder, size_t size) : folder_(folder), size_(size) {}

  std::vector<AddedToken> read() {
    const std::string config = folder_ + "/tokenizer_config.json", tokenizer = folder_ + "/tokenizer.json",
                      numbers = folder_ + "/added_tokens.json";
    const json settings = read_file_if(config), all = read_file_if(tokenizer);
    const json& numbered = member_of(settings, "added_tokens_decoder");
    if (numbered.is_object())
      for (const auto& [number, token] : numbered.items())
        put(config, "added_tokens_decoder", parse_number<uint64_t>(number), token);
    for (const json& token : member_of(all, "added_tokens")) {
      const json& id = member_of(token, "id");
      put(tokenizer, "added_tokens",
          id.is_number_unsigned() ? std::optional<uint64_t>(id.get<uint64_t>()) : std::nullopt, token);
    }
    if (is_file(numbers)) read_numbers(numbers);
    std::vector<AddedToken> tokens;
    for (auto& [id, token] : tokens_) tokens.push_back(std::move(token));
    return tokens;
  }

 private:
  void put(const std::string& path, const char* key, std::optional<uint64_t> id, const json& token) {
    const std::string text = text_of_token(token);
    if (!id || *id >= size_ || text.empty())
      throw DataError(cat(path, ": '", key, "' has ", shown(json_text(token)), id ? cat(" as ", *id) : "",
                          "; allowed are pieces with ids below ", size_,
                          ", the number that the model has (resize_token_embeddings makes room for more)"));
    const auto flag = [&](const char* name, bool otherwise) {
      const json& found = member_of(token, name);
      if (!found.is_null() && !found.is_boolean())
        throw DataError(
            cat(path, ": '", key, "' has ", shown(json_text(token)), ", whose '", name, "' is neither true nor false"));
      return found.is_boolean() ? found.get<bool>() : otherwise;
    };
    const bool special = flag("special", false);
    tokens_.emplace(*id, AddedToken{*id,
                                    text,
                                    special,
                                    {flag("lstrip", false), flag("rstrip", false), flag("single_word", false),
                                     flag("normalized", !special)}});
  }

  void read_numbers(const std::string& path) {
    std::unordered_set<std::string> special;
    for (const char* name : {"/special_tokens_map.json", "/tokenizer_config.json"}) {
      const json file = read_file_if(folder_ + name);
      if (!file.is_object()) continue;
      for (const auto& [key, value] : file.items()) {
        if (key.ends_with("_token")) special.insert(text_of_token(value));
        if (key.ends_with("_special_tokens") && value.is_array())
          for (const json& token : value) special.insert(text_of_token(token));
      }
    }
    const std::vector<std::string> texts = read_piece_ids(path, size_);
    for (size_t id = 0; id < texts.size(); ++id)
      if (const bool known = special.contains(texts[id]); !texts[id].empty())
        tokens_.emplace(id, AddedToken{id, texts[id], known, {.normalized = !known}});
  }

  const std::string& folder_;
  size_t size_;
  std::map<size_t, AddedToken> tokens_;
};

// Special tokens that every tokenizer of these kinds has: literal ones in a text stay text (ADR 60).
bool is_own(const PieceModel& pieces, const PieceModel::Piece& piece) {
  for (const char* text : {"<s>", "</s>", "<pad>", "<unk>", "<mask>"})
    if (piece.text == text) return true;
  return piece.type == Type::unknown || piece.text == pieces.bos || piece.text == pieces.eos ||
         piece.text == pieces.pad || text::begins_text(piece.text);
}

// transformers numbers a special token without a number when it reads the files.
void check_listed(const PieceModel& pieces, const std::string& folder) {
  std::unordered_set<std::string_view> known;
  for (const PieceModel::Piece& piece : pieces.pieces) known.insert(piece.text);
  for (const char* name : {"/special_tokens_map.json", "/tokenizer_config.json"}) {
    const json file = read_file_if(folder + name);
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"}) {
      if (!member_of(file, key).is_array()) continue;
      for (const json& token : member_of(file, key)) {
        std::string text = text_of_token(token), language = text;
        if (language.starts_with("__") && language.ends_with("__") && language.size() > 4)
          language = language.substr(2, language.size() - 4);
        if (!text.empty() && !known.contains(text) && !known.contains(cat(">>", language, "<<")))
          throw DataError(cat(folder, name, ": '", key, "' has ", shown(text),
                              ", but no file says which number it has; load the tokenizer with transformers and save "
                              "it again (save_pretrained)"));
      }
    }
  }
}

}  // namespace

std::vector<AddedToken> read_added_tokens(const std::string& folder, size_t size) {
  return Reader(folder, size).read();
}

void put_added_tokens(PieceModel& pieces, const std::vector<AddedToken>& tokens, const std::string& folder,
                      bool by_library) {
  for (const AddedToken& token : tokens) {
    PieceModel::Piece& piece = pieces.pieces[token.id];
    if (is_own(pieces, piece)) continue;
    piece.type = token.special ? Type::control : piece.type == Type::normal ? Type::normal : Type::unused;
    piece.added = token.how;
    pieces.added_by_library = by_library;
  }
  check_listed(pieces, folder);
}

}  // namespace hexapla::convert
