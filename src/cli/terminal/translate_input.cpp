#include "cli/terminal/translate_input.h"

#include "base/error.h"
#include "base/json.h"

namespace hexapla::cli {
namespace {

class Plain final : public TranslateInput {
 public:
  explicit Plain(data::BeforeWaiting before_waiting) : lines_("-", std::move(before_waiting)) {}
  bool next(std::string& text, decode::LineConstraints& request) override {
    request = {};
    return lines_.next(text);
  }

 private:
  data::LineReader lines_;
};

class WithPrefixes final : public TranslateInput {
 public:
  WithPrefixes(const std::string& file, const data::BeforeWaiting& before_waiting)
      : prefixes_(file, before_waiting), lines_("-", before_waiting) {}
  bool next(std::string& text, decode::LineConstraints& request) override {
    request = {};
    const int64_t before = lines_.line_number();
    const bool line = lines_.next(text), prefix = prefixes_.next(request.prefix);
    if (line && !prefix)
      throw DataError(cat(prefixes_.name(), " has ", before,
                          " lines, but the input has more; give a prefix for every line, even if it is empty"));
    if (prefix && !line)
      throw DataError(cat(prefixes_.name(), " has more lines than the ", before,
                          " of the input; give exactly one prefix per line"));
    return line;
  }

 private:
  data::LineReader prefixes_, lines_;
};

class Json final : public TranslateInput {
 public:
  explicit Json(data::BeforeWaiting before_waiting) : lines_("-", std::move(before_waiting)) {}
  bool next(std::string& text, decode::LineConstraints& request) override {
    std::string line;
    if (!lines_.next(line)) return false;
    text.clear();
    request = {};
    if (!line.empty()) read(line, text, request);
    return true;
  }

 private:
  void read(const std::string& line, std::string& text, decode::LineConstraints& request) const {
    const auto object = nlohmann::json::parse(line, nullptr, false);
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
    throw DataError(cat("stdin, line ", lines_.line_number(), ": it ", what));
  }

  data::LineReader lines_;
};

}  // namespace

std::unique_ptr<TranslateInput> plain_input(data::BeforeWaiting before_waiting) {
  return std::make_unique<Plain>(std::move(before_waiting));
}
std::unique_ptr<TranslateInput> input_with_prefixes(const std::string& prefix_file,
                                                    data::BeforeWaiting before_waiting) {
  return std::make_unique<WithPrefixes>(prefix_file, before_waiting);
}
std::unique_ptr<TranslateInput> json_input(data::BeforeWaiting before_waiting) {
  return std::make_unique<Json>(std::move(before_waiting));
}

}  // namespace hexapla::cli
