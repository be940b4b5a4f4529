#pragma once
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>

namespace hexapla::api {

struct InspectJob {
  std::string model, source_language, target_language;
  std::optional<std::string> source_text, source_ids;  // one of them
  std::optional<std::string> target_text, target_ids;  // at most one; none: translates the source
  std::string attention = "cross";                     // encoder, decoder or cross
  std::string layer = "last", head;                    // from 0; head: also all, mean, or "" for the default
  std::optional<std::string> beside;                   // a second source, for a padded batch
  std::optional<std::string> vocabulary;               // source or target: only lists its pieces
  std::string out;  // file for all numbers (.safetensors, .json) or the attention (.svg); "": none
  bool with_weights = false, with_gradients = false;  // in the file of numbers
  int width = 80;                                     // columns of the text
  bool color = false;
};

// Runs one pair of sentences through a model; shows its tokens and one attention as text. say: gets notes on the text.
// UsageError: options that are missing, invalid or exclude each other; further errors as
// decode::open_model() and inspect::read_source().
void inspect_pair_of_text(const InspectJob& job, std::ostream& out,
                          const std::function<void(const std::string& note)>& say);

}  // namespace hexapla::api
