#include "convert/parsing/tokenizer_file.h"

#include "base/error.h"
#include "convert/parsing/json_tree.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

using nlohmann::json;

// Levels: 1 the file, 2 "model", 3 its list of pieces or merges, 4 a pair in that list.
class Taker : public JsonTree {
 public:
  Taker(const std::string& path, size_t size, TokenizerFile& to) : JsonTree(path), size_(size), to_(to) {}

 private:
  bool leaves_out(size_t level, const std::string& key) override {
    if (level == 1) inside_model_ = key == "model";
    if (level != 2 || !inside_model_ || (key != "vocab" && key != "merges")) return false;
    list_ = key;
    name_.clear();
    return true;
  }
  void on_begin(size_t level, bool list) override {
    if (level > 4 || (level == 4 && !list)) refuse(cat("'model.", list_, "' has objects or lists in its entries"));
    pair_.clear();
  }
  void on_key(size_t level, const std::string& text) override {
    if (level == 3) name_ = text;
  }
  // A piece's id, a merge as one string, or half of a pair.
  void on_value(size_t level, const json& value) override {
    if (level == 2 && value.is_null()) return;
    if (level == 4 && pair_.size() == 2) refuse(cat("'model.", list_, "' has an entry that is no pair"));
    if (level == 4)
      pair_.push_back(value);
    else if (list_ == "vocab")
      put(value);
    else
      put_merge(value);
  }
  void on_end(size_t level) override {
    if (level == 4) put_pair();
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
    if (to_.merges.size() == limits::kMerges) refuse(cat("it has more than ", limits::kMerges, " merges"));
    to_.merges.emplace_back(std::move(left), std::move(right));
  }
  void put_merge(const json& value) {
    const std::string text = value.is_string() ? value.get<std::string>() : "";
    const size_t blank = text.find(' ');
    if (blank == text.npos || blank == 0 || blank + 1 == text.size() || text.find(' ', blank + 1) != text.npos)
      refuse(cat("'model.merges' has ", shown(json_text(value)), ", which is no pair of pieces"));
    add_merge(text.substr(0, blank), text.substr(blank + 1));
  }
  void put_pair() {
    const bool scored = list_ == "vocab";
    if (pair_.size() != 2 || !pair_[0].is_string() || !(scored ? pair_[1].is_number() : pair_[1].is_string()))
      refuse(cat("'model.", list_, "' has ", shown(json_text(json(pair_))), ", which is no pair"));
    if (scored && to_.scored.size() == size_)
      refuse(cat("it has more than ", size_, " pieces, as many as the model; the files do not belong together"));
    if (scored)
      to_.scored.emplace_back(pair_[0].get<std::string>(), pair_[1].get<double>());
    else
      add_merge(pair_[0].get<std::string>(), pair_[1].get<std::string>());
  }

  size_t size_;
  TokenizerFile& to_;
  bool inside_model_ = false;
  std::string list_, name_;
  std::vector<json> pair_;
};

}  // namespace

TokenizerFile read_tokenizer_file(const std::string& path, size_t size) {
  TokenizerFile file;
  file.rest = Taker(path, size, file).read();
  if (!file.rest.is_object()) throw DataError(cat(path, " is no JSON object; the file is damaged"));
  return file;
}

}  // namespace hexapla::convert
