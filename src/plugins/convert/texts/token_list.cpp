#include "convert/texts/token_list.h"

#include <algorithm>
#include <unordered_set>

#include "base/error.h"
#include "convert/parsing/json_texts.h"
#include "convert/parsing/limits.h"
#include "convert/parsing/pickle.h"
#include "convert/texts/bpe_codes.h"
#include "text/vocabulary/pieces/piece_model.h"
#include "text/vocabulary/pieces/piece_table.h"

namespace hexapla::convert {
namespace {

using text::PieceModel;
using Type = PieceModel::Type;

constexpr const char* kWordMark = "\u2581";  // before a word, in SentencePiece's pieces

std::string first_of(const std::vector<std::string>& tokens, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (std::find(tokens.begin(), tokens.end(), name) != tokens.end()) return name;
  return "";
}

// A word-level model: each word of a text is one token.
PieceModel word_model(const std::vector<std::string>& tokens, const TokenNames& names, const std::string& path) {
  PieceModel model;
  model.kind = PieceModel::Kind::word;
  model.bos = names.start, model.eos = names.end, model.pad = names.padding;
  std::unordered_set<std::string> seen;
  for (const std::string& token : tokens) {
    if (!seen.insert(token).second) throw DataError(cat(path, ": the token ", shown(token), " is there twice"));
    if (token.find(kWordMark) != std::string::npos)
      throw DataError(cat(path, ": the token ", shown(token),
                          " is a piece of a SentencePiece model; name its file with ",
                          "`source-spm` and `target-spm`, so that text can be cut into such pieces"));
    const bool control =
        token == names.start || token == names.end || token == names.padding || text::begins_text(token);
    if (token == names.unknown)
      model.pieces.push_back({token, 0, Type::unknown});
    else if (control)
      model.pieces.push_back({token, 0, Type::control});
    else
      model.pieces.push_back({kWordMark + token, 0, Type::normal});
  }
  model.ids = model.pieces.size();  // the table's size: each unknown word is one token
  return model;
}

std::vector<std::string> pickled_tokens(const std::string& path) {
  const std::string text = read_limited(path, limits::kPickle);
  Cursor bytes(text, path);
  const Pickle pickle = Pickle::read(bytes, {});
  const PickleValue* list = &pickle[pickle.root()];
  if (list->kind == PickleValue::Kind::dictionary) list = pickle.find(*list, "itos");
  if (!list || list->kind != PickleValue::Kind::list)
    throw DataError(cat(path, ": there is no list of tokens in this pickle, and no dictionary with 'itos'"));
  std::vector<std::string> tokens;
  for (const PickleId id : list->items) {
    if (pickle[id].kind != PickleValue::Kind::text)
      throw DataError(cat(path, ": token ", tokens.size(), " is no text; give a list of texts"));
    tokens.emplace_back(pickle[id].text);
  }
  return tokens;
}

}  // namespace

bool is_piece_model(const std::string& path) { return path.ends_with(".spm") || path.ends_with(".model"); }

std::vector<std::string> read_token_list(const std::string& path) {
  if (path.ends_with(".json")) return read_text_list(path);
  if (path.ends_with(".pkl")) return pickled_tokens(path);
  const std::string text = read_limited(path, limits::kText);
  if (const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); lines > limits::kTokens)
    throw DataError(cat(path, ": it has ", lines, " lines; a model has at most ", limits::kTokens, " tokens"));
  std::vector<std::string> tokens;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    tokens.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  // Tokens may end with \r themselves, so it is part of the line end only if all lines have it.
  if (std::all_of(tokens.begin(), tokens.end(), [](const std::string& token) { return token.ends_with('\r'); }))
    for (std::string& token : tokens) token.pop_back();
  return tokens;
}

text::PieceModel read_piece_model(const std::string& path) {
  return PieceModel::parse(read_limited(path, limits::kPieces), path);
}

TokenNames find_token_names(const std::vector<std::string>& tokens, const std::string& path) {
  const TokenNames names{first_of(tokens, {"<s>", "<bos>", "<sos>", "<start>", "[BOS]"}),
                         first_of(tokens, {"</s>", "<eos>", "<end>", "[EOS]"}),
                         first_of(tokens, {"<unk>", "<UNK>", "[UNK]"}),
                         first_of(tokens, {"<pad>", "<blank>", "[PAD]"})};
  for (const auto& [name, meaning] : {std::pair{names.start, "starts a sentence (<s>, <bos>, <sos>)"},
                                      {names.end, "ends a sentence (</s>, <eos>)"},
                                      {names.unknown, "stands for unknown ones (<unk>)"}})
    if (name.empty()) throw DataError(cat(path, ": none of its ", tokens.size(), " tokens ", meaning));
  return names;
}

std::string vocabulary_of_tokens(const std::vector<std::string>& tokens, const TokenNames& names,
                                 const std::string& subwords, const std::string& path) {
  for (const std::string* name : {&names.start, &names.end, &names.unknown})
    if (std::find(tokens.begin(), tokens.end(), *name) == tokens.end())
      throw DataError(cat(path, ": there is no token ", shown(*name), ", which the model's configuration asks for"));
  if (subwords.empty()) {
    const std::string bytes = word_model(tokens, names, path).serialized();
    return PieceModel::parse(bytes, path).serialized();
  }
  text::PieceTable table{tokens, names.start, names.end, names.unknown, names.padding};
  if (is_bpe_codes(subwords)) {
    for (std::string& piece : table.pieces)
      if (piece != names.start && piece != names.end && piece != names.unknown && piece != names.padding)
        piece = piece_of_bpe_token(piece);
    return text::with_ids_of(table, read_bpe_codes(subwords, tokens), path).serialized();
  }
  const PieceModel pieces = read_piece_model(subwords);
  return text::with_ids_of(table, pieces, path).serialized();
}

std::string read_vocabulary(const std::string& path, const std::string& option, const std::string& subwords,
                            int64_t size) {
  if (path.empty())
    throw UsageError(cat("`", option, "` is missing: the file of the tokens, one on each line or a JSON list, or the ",
                         "SentencePiece model"),
                     option, "");
  const auto check_size = [&](size_t found) {
    if (found != static_cast<size_t>(size))
      throw DataError(cat(path, ": it has ", found, " tokens, but the model's table ", size,
                          " rows; the files do not belong together"));
  };
  if (is_piece_model(path)) {
    std::string bytes = read_limited(path, limits::kPieces);
    check_size(PieceModel::parse(bytes, path).size());
    return bytes;
  }
  const std::vector<std::string> tokens = read_token_list(path);
  check_size(tokens.size());
  return vocabulary_of_tokens(tokens, find_token_names(tokens, path), subwords, path);
}

}  // namespace hexapla::convert
