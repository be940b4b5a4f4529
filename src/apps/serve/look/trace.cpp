#include "base/error.h"
#include "base/system/cancellation.h"
#include "serve/look/changes.h"
#include "serve/look/look.h"
#include "serve/look/request.h"

namespace hexapla::serve {
namespace {

Answer beam_of(const SearchHypothesis& h) { return {{"tokens", h.tokens}, {"text", h.text}, {"score", h.score}}; }

Answer finished_of(const SearchHypothesis& h) {
  Answer answer = beam_of(h);
  answer["normalized"] = h.normalized;
  return answer;
}

Answer candidate_of(const SearchCandidate& c) {
  return {{"from", c.beam},
          {"token", c.token},
          {"log_probability", c.log_probability},
          {"score", c.score},
          {"normalized", c.normalized},
          {"kept", c.fate == "goes on" || c.fate == "finished"},
          {"fate", c.fate},
          {"why", c.why}};
}

template <class Item, class F>
Answer list_of(const std::vector<Item>& items, F&& each) {
  Answer list = Answer::array();
  for (const Item& item : items) list.push_back(each(item));
  return list;
}

Answer step_of(const SearchStep& step) {
  return {{"beams", list_of(step.beams, beam_of)}, {"candidates", list_of(step.candidates, candidate_of)}};
}

TranslatorOptions limited(TranslatorOptions options) {
  if (options.beam_size > kWidestBeam)
    throw UsageError(cat("beam_size ", *options.beam_size, " is too wide for a trace; give at most ", kWidestBeam),
                     "beam_size", cat(*options.beam_size));
  options.stop = cancel_flag();
  options.max_length = std::min(options.max_length.value_or(kLongestSide), kLongestSide);
  options.longest = options.longest.value_or(0) == 0 ? kLongestSide : std::min(*options.longest, kLongestSide);
  return options;
}

}  // namespace

Answer trace(const Inspector& inspector, const nlohmann::json& request) {
  const TranslatorOptions options = limited(options_member(request));
  const auto changes = changes_member(request);
  if (changes && changes->source_tokens)
    throw UsageError("\"source_tokens\" is for /v1/inspect: a trace reads the text in \"q\"", "source_tokens", "");
  const std::string source = text_member(request, "q");
  const SearchTrace found =
      changes ? inspector.changed(changes->model).trace(source, options) : inspector.trace(source, options);
  Answer answer{{"source_tokens", found.source_tokens},
                {"steps", list_of(found.steps, step_of)},
                {"ending", found.ending},
                {"why", found.why},
                {"finished", list_of(found.finished, finished_of)}};
  if (!found.warnings.empty()) answer["warnings"] = found.warnings;
  return answer;
}

}  // namespace hexapla::serve
