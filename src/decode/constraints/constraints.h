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
  std::string text;      // of the ids; empty if no constraint reads text
  const SentenceConstraints& request;
};

class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual bool allows(const Partial& so_far, int32_t id) const = 0;
};

// The constraints of one search.
class Constraints {
 public:
  // InternalError: a constraint needs text, but there are no piece texts.
  Constraints(const AllConstraints& all, const SearchOptions& options, const SpecialIds& special);

  Partial partial(const text::Ids& ids, const SentenceConstraints& request) const;
  // The token that the translation must begin with, if nothing is written yet.
  static std::optional<int32_t> opening(const Partial& so_far) {
    return so_far.ids.size() == 1 ? so_far.request.opening : std::nullopt;
  }
  // Whether the requested prefix is incomplete: then it alone decides, and few tokens are allowed.
  bool forced(const Partial& so_far) const { return so_far.text.size() < so_far.request.prefix.size(); }
  bool allows(const Partial& so_far, int32_t id) const;

 private:
  const PieceTexts* pieces_;
  int32_t eos_;
  bool read_text_ = false;
  std::vector<std::unique_ptr<Constraint>> constraints_;
};

// Whether any sentence is constrained: if not, there are faster ways to decode.
bool is_constrained(const AllConstraints& all, const SearchOptions& options);

}  // namespace hexapla::decode
