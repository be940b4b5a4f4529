#pragma once
// The tree of a large JSON file, without the lists in it that a reader takes as the parser goes along. nlohmann's own
// parser with a callback looks through all that stands beside an object when the object ends: many take hours.
#include <string>
#include <vector>

#include "base/json.h"

namespace hexapla::convert {

class JsonTree : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonTree(std::string path) : path_(std::move(path)) {}
  // DataError naming the file: no JSON, too deep, too many values, or longer than limits::json.
  nlohmann::json read();

  bool start_object(std::size_t) override { return begin(false); }
  bool start_array(std::size_t) override { return begin(true); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(std::string& text) override;
  bool string(std::string& text) override { return value(std::move(text)); }
  bool number_unsigned(number_unsigned_t number) override { return value(number); }
  bool number_integer(number_integer_t number) override { return value(number); }
  bool number_float(number_float_t number, const std::string&) override { return value(number); }
  bool null() override { return value(nullptr); }
  bool boolean(bool yes) override { return value(yes); }
  bool binary(binary_t&) override { refuse("it has binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override;

 protected:
  // Is what stands behind this key of an object, itself on this level (1: the outermost), left out of the tree?
  virtual bool leaves_out(size_t level, const std::string& key) = 0;
  // Events of the values that are left out, as they come. level: of the list or object that has begun or ended, or that
  // the value is in.
  virtual void on_begin(size_t /*level*/, bool /*list*/) {}
  virtual void on_key(size_t /*level*/, const std::string&) {}
  virtual void on_value(size_t /*level*/, const nlohmann::json&) {}
  virtual void on_end(size_t /*level*/) {}

  const std::string& path() const { return path_; }
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  bool begin(bool list);
  bool end();
  bool value(nlohmann::json value);
  nlohmann::json* put(nlohmann::json value);

  std::string path_, key_;
  size_t level_ = 0, values_ = 0;
  size_t left_out_ = 0;  // the level of the key behind which it is left out; 0: it is not
  std::vector<nlohmann::json*> open_;
  nlohmann::json root_;
};

// The tree without what stands behind a key of the outermost object.
nlohmann::json read_json_without(const std::string& path, const std::string& key);

}  // namespace hexapla::convert
