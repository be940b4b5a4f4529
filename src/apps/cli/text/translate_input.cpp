#include "cli/text/translate_input.h"

#include <utility>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::cli {
namespace {

class Plain final : public TranslateInput {
 public:
  explicit Plain(TextFile lines) : lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    request = {};
    return lines_.next(text);
  }
  bool ready() override { return lines_.ready(); }

 private:
  TextFile lines_;
};

class WithPrefixes final : public TranslateInput {
 public:
  WithPrefixes(TextFile lines, const std::string& file) : prefixes_(file), lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    request = {};
    const int64_t before = read_;
    const bool line = lines_.next(text), prefix = prefixes_.next(request.prefix);
    if (line && !prefix)
      throw DataError(cat(prefixes_.name(), " has ", before,
                          " lines, but the input has more; give a prefix for every line, even if it is empty"));
    if (prefix && !line)
      throw DataError(cat(prefixes_.name(), " has more lines than the ", before,
                          " of the input; give exactly one prefix per line"));
    read_ += line;
    return line;
  }
  bool ready() override { return lines_.ready() && prefixes_.ready(); }

 private:
  TextFile prefixes_;
  TextFile lines_;
  int64_t read_ = 0;
};

class JsonInput final : public TranslateInput {
 public:
  explicit JsonInput(TextFile lines) : lines_(std::move(lines)) {}
  bool next(std::string& text, Constraints& request) override {
    std::string line;
    if (!lines_.next(line)) return false;
    ++number_;
    text.clear();
    request = {};
    if (!line.empty()) read(line, text, request);
    return true;
  }
  bool ready() override { return lines_.ready(); }

 private:
  void read(const std::string& line, std::string& text, Constraints& request) const {
    const auto object = json_or_null(line);
    if (!object.is_object()) fail("is not a JSON object; give {\"text\": \"...\"}");
    if (!object.contains("text")) fail("has no \"text\"; give {\"text\": \"...\"}");
    for (const auto& [key, value] : object.items()) {
      if (key == "text")
        text = string(value, key);
      else if (key == "prefix")
        request.prefix = string(value, key);
      else if (key == "require")
        request.require = list(value, key);
      else if (key == "forbid")
        request.forbid = list(value, key);
      else
        fail(cat("has a \"", key, "\"; allowed are text, prefix, require and forbid"));
    }
  }
  std::string string(const nlohmann::json& value, const std::string& key) const {
    if (!value.is_string()) fail(cat("has a \"", key, "\" that is not a string"));
    return value.get<std::string>();
  }
  std::vector<std::string> list(const nlohmann::json& value, const std::string& key) const {
    std::vector<std::string> all;
    if (!value.is_array()) fail(cat("has a \"", key, "\" that is not a list of strings"));
    for (const auto& item : value) all.push_back(string(item, key));
    return all;
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError(cat(lines_.name(), ", line ", number_, ": it ", what));
  }

  TextFile lines_;
  int64_t number_ = 0;
};

}  // namespace

std::unique_ptr<TranslateInput> plain_input(TextFile lines) { return std::make_unique<Plain>(std::move(lines)); }
std::unique_ptr<TranslateInput> input_with_prefixes(TextFile lines, const std::string& prefix_file) {
  return std::make_unique<WithPrefixes>(std::move(lines), prefix_file);
}
std::unique_ptr<TranslateInput> json_input(TextFile lines) { return std::make_unique<JsonInput>(std::move(lines)); }

}  // namespace hexapla::cli
