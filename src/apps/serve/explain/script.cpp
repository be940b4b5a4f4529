#include "serve/explain/script.h"

#include <map>
#include <set>
#include <vector>

#include "base/error.h"
#include "serve/look/page.h"

namespace hexapla::serve {
namespace {

constexpr std::string_view kMain = "/assets/main.js";

// Modules may import each other in a circle: then one of them gets functions and objects that stand for those
// of the other, which runs after it.
constexpr const char* kLater = R"(const later = (path, name) => new Proxy(() => {}, {
apply: (_, self, all) => modules[path][name](...all),
get: (_, key) => modules[path][name][key],
set: (_, key, value) => { modules[path][name][key] = value; return true; },
has: (_, key) => key in modules[path][name],
});
)";

std::string_view content_of(const std::string& path) {
  const PageFile* file = page_file(path);
  HEXAPLA_CHECK(file != nullptr, "the page has no file ", path);
  return file->content;
}

// "../dom.js" imported by "/assets/tour/tour.js" is "/assets/dom.js".
std::string resolved(std::string_view from, std::string_view relative) {
  std::string folder(from.substr(0, from.rfind('/')));
  for (; relative.starts_with("../"); relative.remove_prefix(3)) folder.resize(folder.rfind('/'));
  if (relative.starts_with("./")) relative.remove_prefix(2);
  return cat(folder, "/", relative);
}

struct Import {
  std::string path;
  std::vector<std::string> names;  // "h", or "h as own"
};

struct Module {
  std::vector<Import> imports;
  std::string body;
};

std::string_view between(std::string_view text, std::string_view left, std::string_view right) {
  const size_t from = text.find(left) + left.size();
  return text.substr(from, text.find(right, from) - from);
}

std::string trimmed(std::string_view text) {
  const size_t from = text.find_first_not_of(" \n"), to = text.find_last_not_of(" \n");
  return from == text.npos ? "" : std::string(text.substr(from, to + 1 - from));
}

// import { a, b as c } from "./dom.js";
Import import_of(const std::string& path, std::string_view statement) {
  Import import{resolved(path, between(statement, "from \"", "\"")), {}};
  std::string_view names = between(statement, "{", "}");
  while (!names.empty()) {
    const size_t comma = std::min(names.find(','), names.size());
    if (const std::string name = trimmed(names.substr(0, comma)); !name.empty()) import.names.push_back(name);
    names.remove_prefix(std::min(comma + 1, names.size()));
  }
  return import;
}

// Statements begin at the beginning of a line, as the page's style requires.
Module parsed(const std::string& path) {
  Module module;
  std::string_view rest = content_of(path);
  constexpr std::string_view import = "import ", exported = "export ";
  while (!rest.empty()) {
    const bool imports = rest.starts_with(import);
    const size_t end = std::min(imports ? rest.find(";\n") + 2 : rest.find('\n') + 1, rest.size());
    std::string_view line = rest.substr(0, end == 0 ? rest.size() : end);
    rest.remove_prefix(line.size());
    if (imports) {
      module.imports.push_back(import_of(path, line));
    } else {
      if (line.starts_with(exported)) line.remove_prefix(exported.size());
      module.body += line;
    }
  }
  return module;
}

class Bundle {
 public:
  void add(const std::string& path) {
    if (!seen_.insert(path).second) return;
    Module module = parsed(path);
    for (const Import& import : module.imports) {
      add(import.path);
      for (const std::string& name : import.names) used_[import.path].insert(name.substr(0, name.find(' ')));
    }
    order_.emplace_back(path, std::move(module));
  }
  std::string text() const {
    std::string all = cat("\"use strict\";\nconst modules = {};\n", kLater);
    std::set<std::string> before;
    for (const auto& [path, module] : order_) {
      all += text_of(path, module, before);
      before.insert(path);
    }
    return all;
  }

 private:
  std::string text_of(const std::string& path, const Module& module, const std::set<std::string>& before) const {
    std::string text = cat("modules[\"", path, "\"] = (() => {\n");
    for (const Import& import : module.imports)
      for (const std::string& name : import.names) text += declared(name, import.path, before.contains(import.path));
    text += module.body + "return {";
    if (const auto used = used_.find(path); used != used_.end())
      for (const std::string& name : used->second) text += cat(" ", name, ",");
    return text + " };\n})();\n";
  }

  // name: "h", or "h as own".
  static std::string declared(const std::string& name, const std::string& path, bool is_there) {
    const size_t as = name.find(" as ");
    const std::string theirs = name.substr(0, as), own = as == name.npos ? name : name.substr(as + 4);
    if (is_there) return cat("const ", own, " = modules[\"", path, "\"].", theirs, ";\n");
    return cat("const ", own, " = later(\"", path, "\", \"", theirs, "\");\n");
  }

  std::set<std::string> seen_;
  std::map<std::string, std::set<std::string>> used_;  // the names that others import
  std::vector<std::pair<std::string, Module>> order_;
};

}  // namespace

std::string page_script() {
  Bundle bundle;
  bundle.add(std::string(kMain));
  return bundle.text();
}

std::string page_style() {
  std::string all;
  std::string_view page = content_of("/");
  constexpr std::string_view link = "<link rel=\"stylesheet\" href=\"";
  for (size_t at = page.find(link); at != page.npos; at = page.find(link)) {
    page.remove_prefix(at + link.size());
    all += content_of(std::string(page.substr(0, page.find('"'))));
  }
  return all;
}

}  // namespace hexapla::serve
