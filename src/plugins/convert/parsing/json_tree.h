#pragma once
// The tree of a large JSON file, except lists that a subclass takes while parsing. nlohmann's
// parser with a callback searches all siblings of an object when the object ends, which takes hours
// for many objects.
#include <string>
#include <vector>

#include "base/json.h"

namespace hexapla::convert {

class JsonTree : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit JsonTree(std::string path) : path_(std::move(path)) {}
  // DataError naming the file: not JSON, too deep, too many values, or longer than limits::json.
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
  // Whether to leave the value of this key on this level (1: the outermost) out of the tree.
  virtual bool leaves_out(size_t level, const std::string& key) = 0;
  // Events for the values left out, in order. level: of the list or object that begins or ends, or
  // that contains the value.
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
  size_t left_out_ = 0;  // level of the key whose value is being left out; 0: none
  std::vector<nlohmann::json*> open_;
  nlohmann::json root_;
};

// The tree without the value of a key of the outermost object.
nlohmann::json read_json_without(const std::string& path, const std::string& key);

}  // namespace hexapla::convert
