#pragma once
#include <memory>
#include <string>
#include <vector>

namespace hexapla::decode {

class Glossary;  // decode/constraints/glossary.h

// Constraints on the translations of lines, as users give them.
struct LineConstraints {
  std::string prefix;                             // beginning of the translation; may end inside of a word
  std::vector<std::string> require, forbid;       // phrases that it must and must not contain
  std::shared_ptr<const Glossary> glossary = {};  // its terms in the line are translated as it says; null: none
};

// UsageError naming the option and the text: one that is not UTF-8, of which no translation could have a part. place:
// begins the message, "line 3: ".
void check_utf8(const LineConstraints& constraints, const std::string& place = "");

}  // namespace hexapla::decode
