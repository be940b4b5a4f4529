#pragma once
// Converts users' constraints to those of a search.
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decode/constraints/glossary.h"
#include "decode/constraints/sentence_constraints.h"
#include "decode/options/line_constraints.h"
#include "text/marked/protected_text.h"

namespace hexapla::decode {

// UsageError naming the first term without a form that the pieces can write; ConstraintMaker would
// ignore it. glossary: may be null.
void check_writable(const PieceTexts& pieces, const Glossary* glossary);

// Combines the constraints of all lines with a line's own and prepares them for a search.
// UsageError: a blank phrase, a required one that the vocabulary cannot write, or more than 999
// required tokens.
class ConstraintMaker {
 public:
  ConstraintMaker(const text::Vocabulary& target, const PieceTexts& pieces, const LineConstraints& everywhere);
  SentenceConstraints make(const LineConstraints& own, uint64_t line) const;
  // Takes the text that is hidden from the model out of the prefix of the sentence, and completes it
  // if the prefix ends inside of it.
  void hide_in_prefix(const LineConstraints& own, const text::ProtectedText& hidden, SentenceConstraints& to) const;
  // Adds the terms of a sentence from the line's own glossary or, if it has none, from that of all
  // lines. Warns of a term that the vocabulary cannot write, and of terms beyond the first 64,
  // which are left out.
  void add_terms(const LineConstraints& own, const std::string& sentence, SentenceConstraints& to,
                 const std::function<void(const std::string& what)>& warn);

 private:
  void set_prefix(const std::string& prefix, SentenceConstraints& to) const;
  using Forms = std::shared_ptr<const std::vector<std::string>>;
  Forms forms_of(const Glossary::Term& term, const std::function<void(const std::string& what)>& warn);

  const text::Vocabulary& target_;
  const PieceTexts& pieces_;
  SentenceConstraints everywhere_;
  std::shared_ptr<const Glossary> glossary_;
  std::map<const Glossary::Term*, Forms> forms_;  // of terms found so far
};

}  // namespace hexapla::decode
