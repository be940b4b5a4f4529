#pragma once
// Constraints on translations, for every search strategy. A constraint checks the next token after
// the translation so far; it keeps no state, so hypotheses may come, go and change their ancestors.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decode/constraints/sentence_constraints.h"
#include "decode/options/search_options.h"
#include "decode/steps/hypothesis.h"

namespace hexapla::decode {

// A translation so far.
struct Partial {
  const text::Ids& ids;  // <s> first
  TextSoFar so_far;      // of the ids; empty if no constraint reads text
  const SentenceConstraints& request;

  const std::string& text() const { return so_far.text; }
};

class Constraint {
 public:
  virtual ~Constraint() = default;
  // added: the text of the id; empty if no constraint reads text.
  virtual bool allows(const Partial& so_far, int32_t id, std::string_view added) const = 0;
};

// The constraints of one search.
class Constraints {
 public:
  // InternalError: a constraint needs text, but there are no piece texts.
  Constraints(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special);

  Partial partial(const text::Ids& ids, const SentenceConstraints& request) const;
  // The text with one more token.
  TextSoFar with(const Partial& so_far, int32_t id) const;
  // The token that the translation must begin with, if nothing is written yet.
  static std::optional<int32_t> opening(const Partial& so_far) {
    return so_far.ids.size() == 1 ? so_far.request.opening : std::nullopt;
  }
  // Whether the requested prefix is incomplete: then it alone decides, and few tokens are allowed.
  bool forced(const Partial& so_far) const { return so_far.text().size() < so_far.request.prefix.size(); }
  // Whether with this token the prefix is incomplete although more than one token has added nothing
  // to the text. Where a model weighs each of them higher than the prefix, such translations would
  // never get to it.
  bool late(const Partial& so_far, int32_t id) const;
  bool allows(const Partial& so_far, int32_t id) const;

 private:
  bool allows_prefix(const Partial& so_far, int32_t id, std::string_view added) const;

  const PieceTexts* pieces_;
  int32_t eos_;
  bool read_text_ = false;
  std::vector<std::unique_ptr<Constraint>> constraints_;
  const Constraint* forbidden_ = nullptr;  // one of them
};

// Whether any sentence is constrained: if not, there are faster ways to decode.
bool is_constrained(const AllConstraints& all, const SearchOptions& options);

}  // namespace hexapla::decode
