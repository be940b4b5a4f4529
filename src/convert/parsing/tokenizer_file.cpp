#include "convert/parsing/tokenizer_file.h"

#include "base/error.h"
#include "convert/parsing/limits.h"
#include "text/vocabulary/piece_model.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;
using Event = json::parse_event_t;

constexpr size_t kMostOtherValues = size_t{1} << 20;

// Told of every value with its depth, it takes those of the lists and lets the parser keep the rest.
class Taker {
 public:
  Taker(std::string path, size_t size, TokenizerFile& to) : path_(std::move(path)), size_(size), to_(to) {}

  bool keeps(int depth, Event event, const json& value) {
    if (depth > static_cast<int>(limits::depth)) refuse("it has objects too deep inside of one another");
    if (event == Event::key) on_key(depth, value);
    if (!in_list(depth)) {
      if (++others_ > kMostOtherValues) refuse("it has too many values beside its pieces and merges");
      return true;
    }
    if (event == Event::object_start || (event == Event::array_start && depth > 3))
      refuse(cat("'model.", list_, "' has objects or lists in its entries"));
    if (event == Event::array_start) parts_ = 0;
    if (event == Event::value) return on_value(depth, value);
    if (event == Event::array_end && depth == 3) return on_pair(value);
    return true;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(cat(path_, ": ", what)); }
  bool in_list(int depth) const { return inside_model_ && depth >= 3 && (list_ == "vocab" || list_ == "merges"); }

  void on_key(int depth, const json& value) {
    const std::string& text = value.get_ref<const std::string&>();
    if (depth == 1) inside_model_ = text == "model";
    if (depth == 2) list_ = text, name_.clear();
    if (depth == 3) name_ = text;
  }
  // A piece's id, a merge as one text, or a part of a pair.
  bool on_value(int depth, const json& value) {
    if (depth > 3 && ++parts_ > 2) refuse(cat("'model.", list_, "' has an entry that is no pair"));
    if (depth > 3) return true;
    if (list_ == "vocab")
      put(value);
    else
      put_merge(value);
    return false;
  }
  void put(const json& id) {
    if (!id.is_number_unsigned() || name_.empty()) refuse(cat("'model.vocab' has ", shown(json_text(id))));
    if (id.get<uint64_t>() >= size_)
      refuse(cat("the piece ", shown(name_), " has the id ", id.get<uint64_t>(), ", but the model has ", size_,
                 " pieces; the files do not belong together"));
    const auto at = id.get<size_t>();
    if (at >= to_.pieces.size()) to_.pieces.resize(at + 1);
    if (!to_.pieces[at].empty())
      refuse(cat("the id ", at, " belongs to ", shown(to_.pieces[at]), " and ", shown(name_)));
    to_.pieces[at] = name_;
  }
  void add_merge(std::string left, std::string right) {
    if (to_.merges.size() == text::PieceModel::max_pieces)
      refuse(cat("it has more than ", text::PieceModel::max_pieces, " merges"));
    to_.merges.emplace_back(std::move(left), std::move(right));
  }
  void put_merge(const json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    const size_t blank = text.find(' ');
    if (blank == text.npos || blank == 0 || blank + 1 == text.size() || text.find(' ', blank + 1) != text.npos)
      refuse(cat("'model.merges' has ", shown(json_text(value)), ", which is no pair of pieces"));
    add_merge(text.substr(0, blank), text.substr(blank + 1));
  }
  bool on_pair(const json& pair) {
    const bool scored = list_ == "vocab";
    if (pair.size() != 2 || !pair[0].is_string() || !(scored ? pair[1].is_number() : pair[1].is_string()))
      refuse(cat("'model.", list_, "' has ", shown(json_text(pair)), ", which is no pair"));
    if (scored && to_.scored.size() == size_)
      refuse(cat("it has more than ", size_, " pieces, as many as the model; the files do not belong together"));
    if (scored)
      to_.scored.emplace_back(pair[0].get<std::string>(), pair[1].get<double>());
    else
      add_merge(pair[0].get<std::string>(), pair[1].get<std::string>());
    return false;
  }

  std::string path_;
  size_t size_, others_ = 0, parts_ = 0;
  TokenizerFile& to_;
  bool inside_model_ = false;
  std::string list_, name_;
};

}  // namespace

TokenizerFile read_tokenizer_file(const std::string& path, size_t size) {
  const std::string text = read_limited(path, limits::json);
  TokenizerFile file;
  Taker taker(path, size, file);
  try {
    file.rest =
        json::parse(text, [&](int depth, Event event, const json& value) { return taker.keeps(depth, event, value); });
  } catch (const json::exception&) {
    throw DataError(cat(path, " is not valid JSON; the file is damaged, get it again from its source"));
  }
  if (!file.rest.is_object()) throw DataError(cat(path, " is no JSON object; the file is damaged"));
  return file;
}

}  // namespace hexapla::convert
