#include "serve/work/warnings.h"

#include "base/error.h"
#include "documents/beginning.h"

namespace hexapla::serve {

using nlohmann::json;

void Warnings::add(json where, const std::string& what) {
  constexpr std::size_t most = 1000;
  const std::lock_guard lock(mutex_);
  if (list_.size() == most) {
    ++more_;
    return;
  }
  where["what"] = what;
  list_.push_back(std::move(where));
}

json Warnings::list() const {
  const std::lock_guard lock(mutex_);
  json all = list_;
  if (more_ > 0) all.push_back({{"what", cat(more_, " more warnings like these")}});
  return all;
}

void collect_warnings(LinesTask& task, std::shared_ptr<Warnings> into) {
  task.options.warn = [into](std::size_t line, const std::string& what) { into->add({{"line", line}}, what); };
}

void collect_warnings(LinesTask& task, std::shared_ptr<Warnings> into,
                      std::shared_ptr<const text::document::Document> document) {
  task.options.warn = [into, document](std::size_t line, const std::string& what) {
    into->add({{"text", text::document::beginning(document->lines()[line - 1])}}, what);
  };
}

}  // namespace hexapla::serve
