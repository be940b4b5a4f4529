#include "convert/parsing/json_texts.h"

#include "base/json.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {
namespace {

// Follows the parser and tracks the nesting level, 0 at the outside. Subclasses choose values.
class Follower : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Follower(const std::string& path) : path_(path) {}

  bool start_object(std::size_t) override { return deeper(false); }
  bool start_array(std::size_t) override { return deeper(true); }
  bool end_object() override { return shallower(); }
  bool end_array() override { return shallower(); }
  bool key(std::string& text) override {
    on_key(text);
    return true;
  }
  bool string(std::string& text) override {
    on_text(text);
    return true;
  }
  bool number_unsigned(number_unsigned_t) override { return other("a number"); }
  bool number_integer(number_integer_t) override { return other("a number"); }
  bool number_float(number_float_t, const std::string&) override { return other("a number"); }
  bool null() override { return other("null"); }
  bool boolean(bool) override { return other("true or false"); }
  bool binary(binary_t&) override { return other("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    throw DataError(cat(path_, ": it is not valid JSON at its byte ", position, "; the file is damaged"));
  }

 protected:
  virtual void on_key(const std::string& text) = 0;
  virtual void on_text(std::string& text) = 0;
  virtual void on_level(bool list) = 0;           // after a level has begun
  virtual void on_other(const std::string&) = 0;  // a value that is not a string

  size_t level() const { return level_; }
  [[noreturn]] void refuse(const std::string& what) const { throw DataError(cat(path_, ": ", what)); }

 private:
  bool deeper(bool list) {
    if (++level_ > limits::kDepth)
      refuse(cat("it is nested deeper than ", limits::kDepth, " levels; the file is damaged"));
    on_level(list);
    return true;
  }
  bool shallower() {
    --level_;
    return true;
  }
  bool other(const char* what) {
    on_other(what);
    return true;
  }

  const std::string& path_;
  size_t level_ = 0;
};

class MapFollower : public Follower {
 public:
  MapFollower(const std::string& path, const std::string& key) : Follower(path), key_(key) {}
  std::map<std::string, std::string> map;
  bool found = false;

 private:
  void on_key(const std::string& text) override {
    if (level() == 1) inside_ = text == key_;
    if (level() == 1 && inside_ && found) refuse(cat("the key ", shown(key_), " is there twice"));
    found = found || inside_;
    if (level() == 2 && inside_) {
      name_ = text;
      if (map.size() == limits::kTensors) refuse(cat(shown(key_), " has more than ", limits::kTensors, " entries"));
      if (!map.emplace(text, "").second) refuse(cat(shown(key_), " has the key ", shown(text), " twice"));
    }
  }
  void on_text(std::string& text) override {
    if (level() == 1 && inside_) refuse_value("a text");
    if (level() == 2 && inside_) map[name_] = std::move(text);
  }
  void on_level(bool list) override {
    if (level() == 1 && list) refuse("it is a list; it should be an object");
    if (inside_ && (level() == 3 || list)) refuse_value("a list or an object");
  }
  void on_other(const std::string& what) override {
    if (level() == 0) refuse(cat("it is ", what, "; it should be an object"));
    if (inside_ && level() <= 2) refuse_value(what);
  }
  [[noreturn]] void refuse_value(const std::string& what) const {
    refuse(cat(shown(key_), " has ", what, " at ", shown(name_), "; allowed is an object of texts"));
  }

  const std::string& key_;
  std::string name_;
  bool inside_ = false;
};

class ListFollower : public Follower {
 public:
  using Follower::Follower;
  std::vector<std::string> list;

 private:
  void on_key(const std::string&) override {}
  void on_text(std::string& text) override {
    if (level() != 1) refuse_item("a text that is in no list");
    if (list.size() == limits::kTokens) refuse(cat("it has more than ", limits::kTokens, " texts"));
    list.push_back(std::move(text));
  }
  void on_level(bool is_list) override {
    if (level() > 1 || !is_list) refuse_item("a list or an object");
  }
  void on_other(const std::string& what) override { refuse_item(what); }
  [[noreturn]] void refuse_item(const std::string& what) const {
    refuse(cat("after ", list.size(), " texts there is ", what, "; it should be a list of texts"));
  }
};

}  // namespace

std::map<std::string, std::string> read_text_map(const std::string& path, const std::string& key) {
  MapFollower follower(path, key);
  walk_json(read_limited(path, limits::kJson), follower);
  if (!follower.found) throw DataError(cat(path, ": there is no ", shown(key), " in it"));
  return std::move(follower.map);
}

std::vector<std::string> read_text_list(const std::string& path) {
  ListFollower follower(path);
  walk_json(read_limited(path, limits::kJson), follower);
  return std::move(follower.list);
}

}  // namespace hexapla::convert
