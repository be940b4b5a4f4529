#pragma once
// Warnings of an answer about the lines of its request: letters that the vocabulary lacks, lines that were cut.
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "base/json.h"
#include "documents/document.h"
#include "serve/work/lines_job.h"

namespace hexapla::serve {

class Warnings {
 public:
  // where: {"line": 3} or {"text": "a dog"}. Only the first 1,000 are kept; the others are counted.
  void add(nlohmann::json where, const std::string& what);
  // "warnings", if there are any.
  template <class Json>
  void put_into(Json& answer) const {
    if (nlohmann::json all = list(); !all.empty()) answer["warnings"] = std::move(all);
  }

 private:
  nlohmann::json list() const;

  mutable std::mutex mutex_;
  nlohmann::json list_ = nlohmann::json::array();
  std::size_t more_ = 0;
};

// Those about a task's lines: with their numbers, from 1; or with the beginnings of the document's texts, which have no
// numbers that a client knows.
void collect_warnings(LinesTask& task, std::shared_ptr<Warnings> into);
void collect_warnings(LinesTask& task, std::shared_ptr<Warnings> into,
                      std::shared_ptr<const text::document::Document> document);

}  // namespace hexapla::serve
