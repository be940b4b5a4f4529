#include "convert/parsing/json_tree.h"

#include "base/error.h"
#include "convert/parsing/limits.h"

namespace hexapla::convert {

using nlohmann::json;

json JsonTree::read() {
  walk_json(read_limited(path_, limits::kJson), *this);
  return std::move(root_);
}

void JsonTree::refuse(const std::string& what) const { throw DataError(cat(path_, ": ", what)); }

bool JsonTree::parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
  throw DataError(
      cat(path_, " is not valid JSON at its byte ", position, "; the file is damaged, get it again from its source"));
}

bool JsonTree::key(std::string& text) {
  if (left_out_ == 0 || left_out_ == level_) left_out_ = leaves_out(level_, text) ? level_ : 0;
  if (left_out_ > 0)
    on_key(level_, text);
  else
    key_ = std::move(text);
  return true;
}

bool JsonTree::begin(bool list) {
  if (++level_ > limits::kDepth)
    refuse(cat("it has more than ", limits::kDepth, " lists and objects inside each other"));
  if (left_out_ > 0)
    on_begin(level_, list);
  else
    open_.push_back(put(list ? json::array() : json::object()));
  return true;
}

bool JsonTree::end() {
  if (left_out_ > 0 && left_out_ < level_) {
    on_end(level_);
  } else {
    left_out_ = 0;
    open_.pop_back();
  }
  --level_;
  return true;
}

bool JsonTree::value(json value) {
  if (left_out_ > 0)
    on_value(level_, value);
  else
    put(std::move(value));
  return true;
}

// A value of the tree stays at its address while it is open.
json* JsonTree::put(json value) {
  if (++values_ > kMostJsonValues) refuse(cat("it has more than ", kMostJsonValues, " values"));
  if (open_.empty()) return &(root_ = std::move(value));
  json& parent = *open_.back();
  if (parent.is_object()) return &(parent[key_] = std::move(value));
  parent.push_back(std::move(value));
  return &parent.back();
}

namespace {

class Without : public JsonTree {
 public:
  Without(const std::string& path, const std::string& key) : JsonTree(path), key_(key) {}

 private:
  bool leaves_out(size_t level, const std::string& key) override { return level == 1 && key == key_; }

  const std::string& key_;
};

}  // namespace

json read_json_without(const std::string& path, const std::string& key) { return Without(path, key).read(); }

}  // namespace hexapla::convert
