#pragma once
// What users ask of the translations of lines, in their words.
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/constraints/glossary.h"
#include "decode/queue.h"

namespace hexapla::decode {

struct LineConstraints {
  std::string prefix;                             // the translation begins so, in the middle of a word if it must
  std::vector<std::string> require, forbid;       // phrases that it has and has not
  std::shared_ptr<const Glossary> glossary = {};  // of whose terms in the line it has the translations; null: none
};

// What is asked of all lines together with the line's own, made ready for a search. UsageError: a blank phrase, a
// required one that the vocabulary cannot write; more required tokens than a beam can share out (999).
class ConstraintMaker {
 public:
  ConstraintMaker(const text::Vocabulary& target, const PieceTexts& pieces, const LineConstraints& everywhere);
  SentenceConstraints make(const LineConstraints& own, uint64_t line) const;
  // The terms that a sentence of the line has, in its own glossary or in that of all lines. warn: of a term that the
  // vocabulary cannot write, and of more terms than a sentence can have (64), which are left out.
  void add_terms(const LineConstraints& own, const std::string& sentence, SentenceConstraints& to,
                 const std::function<void(const std::string& what)>& warn);

 private:
  using Forms = std::shared_ptr<const std::vector<Phrase>>;
  Forms forms_of(const Glossary::Term& term, const std::function<void(const std::string& what)>& warn);

  const text::Vocabulary& target_;
  const PieceTexts& pieces_;
  SentenceConstraints everywhere_;
  std::shared_ptr<const Glossary> glossary_;
  std::map<const Glossary::Term*, Forms> forms_;  // of those that were found
};

}  // namespace hexapla::decode
