#pragma once
// Lines of text as sentences of ids where a line may be too long for one.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/text/line_encoder.h"

namespace hexapla::decode {

// Whether the sentences of a line are translated one by one. automatic: where the model has not seen several at once.
enum class Sentences { automatic, split, keep };
// What becomes of a line, or of such a sentence, that is longer than is translated at a time.
enum class LongInput { split, refuse, truncate };
// UsageError: another word.
Sentences parse_sentences(const std::string& word);
LongInput parse_long_input(const std::string& word);
bool parse_capitals(const std::string& letter_case);  // -> Parting::capitals

// How a line becomes what is translated at a time.
struct Parting {
  Sentences sentences = Sentences::keep;
  int64_t familiar = 0;  // tokens of lines with several sentences that the model has learned to translate; 0: of none
  LongInput long_input = LongInput::split;
  std::shared_ptr<const text::Protection> protection = {};  // of what the model does not see; none: it sees all
  bool capitals = false;  // whether a sentence in capitals (text::in_capitals) is read in small letters
};

class SourceReader : public LineEncoder {
 public:
  using LineEncoder::LineEncoder;

  struct Part {
    std::string text;          // UTF-8, as it is written
    std::string seen;          // what of it the model sees, in its letters
    text::Ids ids;             // of that, without </s>
    std::string between = {};  // what separates it from the part before, where that is more than one blank
    std::shared_ptr<const text::ProtectedText> hidden = {};  // if there is something in it that ids do not have
    bool capitals = false;                                   // it is written in capitals, and seen in small letters
    // Where tokens of what the model sees stand in the text.
    std::vector<text::TokenSpan> in_text(std::vector<text::TokenSpan> tokens) const;
  };
  // The parts of a line; none for a blank line. Where something is lost, or a sentence cut in two, this warns. A line
  // of which the model sees nothing is a part without ids.
  std::vector<Part> read(const std::string& text, size_t line, const Parting& how) const;
  // The line as one part; a long one is cut, and warned of.
  std::vector<Part> whole(const std::string& text, size_t line) const;
  bool too_long(const std::string& text) const;
  // Whether one of the sentences that the line becomes is.
  bool too_long(const std::string& text, const Parting& how) const;
  // Whether it becomes several sentences.
  bool has_several(const std::string& text, const Parting& how) const;
  // Of a long line that is refused, the first of `lines`: how long it is, how many of these are, and what to do.
  // otherwise: the value of `long-input` that reads it.
  std::string why_refused(std::span<const std::string> lines, const char* otherwise = "split") const;
  int64_t longest() const { return longest_; }

 private:
  enum class Letters { as_written, sentence, small };  // that the model sees
  // A line that is masked (text/marked/protected_text.h), and what the vocabulary makes of all of it.
  struct Masked {
    text::MaskedLine line;
    std::string seen;  // the line, with its sentences in capitals in small letters
    text::Ids ids;     // of that
  };
  struct Sentence {
    std::string_view text;  // of a masked line
    bool capitals;
  };
  // A sentence, or a part of one.
  struct Cut {
    std::string_view text;
    std::string seen;
    text::Ids ids;
    bool capitals;
    std::string_view between = {};
  };
  std::vector<Sentence> sentences_of(std::string_view masked, const text::Ids& ids, const Parting& how) const;
  std::vector<Cut> cuts_of(const Sentence& sentence, size_t line, const Parting& how) const;
  Cut cut(std::string_view masked, Letters letters, const Parting& how) const;
  Masked masked(const std::string& clean, const Parting& how) const;
  std::string in_its_letters(const std::string& clean, const Parting& how) const;
  static std::vector<Cut> with_neighbors(std::vector<Cut> cuts);
  static std::vector<Part> parts_of(const text::MaskedLine& line, std::vector<Cut> cuts);
  bool fits(const text::Ids& ids) const { return static_cast<int64_t>(ids.size()) < longest_; }
};

}  // namespace hexapla::decode
