#pragma once
// The tour of the page for one sentence, as a file that needs no server.
#include <optional>
#include <string>
#include <vector>

namespace hexapla::serve {

struct ExplainJob {
  std::string model;  // as ModelPlace::parse() reads it
  std::string source;
  std::optional<std::string> target;  // none: the model translates
  std::string language;               // of the page: "en", "zh", or "" for the browser's
  std::string out;
};

struct ExplainedFile {
  size_t bytes = 0;
  int layers = 0, all_layers = 0;          // in the file, and in the larger stack of the model
  std::vector<std::string> warnings = {};  // about text that the vocabulary cannot spell
};

// Writes a page with the server's own answers to what the tour asks about this sentence. Layers that
// would make it larger than 2 MB are left out, but for the first. UsageError: no sentence or more than
// a line, or too many tokens. Errors as Service, and RunError: the file cannot be written.
ExplainedFile explain(const ExplainJob& job);

}  // namespace hexapla::serve
