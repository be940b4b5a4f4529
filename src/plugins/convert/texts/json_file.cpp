#include "convert/texts/json_file.h"

#include "base/error.h"
#include "convert/parsing/limits.h"
#include "text/utf8.h"

namespace hexapla::convert {
namespace {

// A value for a message: one line, shortened.
std::string shown_json(const nlohmann::json& value) {
  const std::string text = json_text(value);
  return text::printable(text.size() > 60 ? text.substr(0, 60) + "..." : text, "");
}

// Parses {"text": integer, ...} and nothing else as a stream, without building a tree.
class TableReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  TableReader(const std::string& path, size_t most) : path_(path), most_(most) {}
  std::vector<std::string> pieces;

  bool start_object(std::size_t) override {
    if (inside_) refuse("an object");
    inside_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("a list"); }
  bool end_array() override { return true; }
  bool key(std::string& text) override {
    key_ = text;
    return true;
  }
  bool number_unsigned(number_unsigned_t id) override {
    if (!inside_) return refuse("a number");
    if (id >= most_)
      throw DataError(cat(path_, ": the piece '", text::printable(key_, ""), "' has the id ", id,
                          ", but the model has ", most_, " pieces; the files do not belong together"));
    if (id >= pieces.size()) pieces.resize(id + 1);
    if (!pieces[id].empty() || key_.empty())
      throw DataError(cat(path_, ": the id ", id, " belongs to '", text::printable(pieces[id], ""), "' and to '",
                          text::printable(key_, ""), "'; the file is damaged, get it again from its source"));
    pieces[id] = key_;
    return true;
  }
  bool string(std::string&) override { return refuse("a text"); }
  bool number_integer(number_integer_t) override { return refuse("a number below 0"); }
  bool number_float(number_float_t, const std::string&) override { return refuse("a broken number"); }
  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool binary(binary_t&) override { return refuse("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw DataError(cat(path_, " is not valid JSON at its byte ", position, "; the file is damaged, get it again"));
  }

 private:
  [[noreturn]] bool refuse(const char* what) const {
    throw DataError(cat(path_, ": ", what, key_.empty() ? "" : " at '" + text::printable(key_, "") + "'",
                        "; allowed is one object of pieces with their ids, {\"the\": 5}"));
  }

  const std::string& path_;
  size_t most_;
  bool inside_ = false;
  std::string key_;
};

}  // namespace

JsonFile::JsonFile(const std::string& path) : path_(path) {
  object_ = parse_json(read_limited(path, kMaxBytes), path);
  if (!object_.is_object()) throw DataError(cat(path, " holds ", shown_json(object_), "; allowed is a JSON object"));
}

void JsonFile::set_default(const std::string& key, const nlohmann::json& value) {
  if (!object_.contains(key)) object_[key] = value;
}

bool JsonFile::has(const std::string& key) const { return !value(key).is_null(); }

const nlohmann::json& JsonFile::value(const std::string& key) const {
  static const nlohmann::json none;
  const auto found = object_.find(key);
  return found == object_.end() ? none : *found;
}

std::vector<std::string> JsonFile::keys() const {
  std::vector<std::string> all;
  for (const auto& [key, value] : object_.items()) all.push_back(key);
  return all;
}

void JsonFile::refuse(const std::string& key, const std::string& allowed) const {
  const auto found = object_.find(key);
  throw DataError(cat(path_, ": '", key, "' is ", found == object_.end() ? "missing" : shown_json(*found),
                      "; allowed is ", allowed));
}

void JsonFile::refuse_unknown(const std::string& key) const {
  throw DataError(
      cat(path_, ": '", text::printable(key.substr(0, 60), ""), "' is ", shown_json(value(key)),
          "; hexapla does not know this key, and it may change what the model computes: take it out of the ",
          "file if it does not"));
}

int64_t JsonFile::whole(const std::string& key, const Range<int64_t>& allowed) const {
  const nlohmann::json& found = value(key);
  const bool fits = found.is_number_integer() &&
                    (!found.is_number_unsigned() || found.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX));
  if (!fits || !allowed.has(found.get<int64_t>())) refuse(key, allowed.requirement());
  return found.get<int64_t>();
}

int64_t JsonFile::whole(const std::string& key, const Range<int64_t>& allowed, int64_t otherwise) const {
  return has(key) ? whole(key, allowed) : otherwise;
}

double JsonFile::number(const std::string& key, const Range<double>& allowed, double otherwise) const {
  const nlohmann::json& found = value(key);
  if (found.is_null()) return otherwise;
  if (!found.is_number() || !allowed.has(found.get<double>())) refuse(key, allowed.requirement());
  return found.get<double>();
}

bool JsonFile::flag(const std::string& key, bool otherwise) const {
  const nlohmann::json& found = value(key);
  if (found.is_null()) return otherwise;
  if (!found.is_boolean()) refuse(key, "true or false");
  return found.get<bool>();
}

std::string JsonFile::word(const std::string& key, const std::string& otherwise) const {
  const nlohmann::json& found = value(key);
  if (found.is_null()) return otherwise;
  if (!found.is_string()) refuse(key, "a text");
  return found.get<std::string>();
}

std::vector<std::string> read_piece_ids(const std::string& path, size_t most) {
  TableReader reader(path, most);
  walk_json(read_limited(path, limits::kText), reader);
  return std::move(reader.pieces);
}

}  // namespace hexapla::convert
