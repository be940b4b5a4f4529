#pragma once
// Splits lines of text into the parts that are translated one by one, as ids.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/lines/line_encoder.h"
#include "decode/options/parting.h"

namespace hexapla::decode {

class SourceReader : public LineEncoder {
 public:
  using LineEncoder::LineEncoder;

  struct Part {
    std::string text;  // UTF-8, as in the line
    std::string seen;  // what the model sees: the language, if only the line says it, and the text in its letter case
    size_t told = 0;   // bytes of the language at the start of `seen`, if it is not in the text
    text::Ids ids;     // of `seen`, without </s>
    std::string between = {};  // separator from the previous part, if longer than one blank
    std::shared_ptr<const text::ProtectedText> hidden = {};  // null if ids cover the whole text
    bool capitals = false;                                   // the text is in capitals, `seen` in small letters
    // Converts spans of `seen` to spans of `text`.
    std::vector<text::TokenSpan> in_text(std::vector<text::TokenSpan> tokens) const;
  };
  // A line as the model sees it, so that the checks and read() encode it once.
  struct Prepared {
    std::string clean;                    // the line, valid UTF-8
    std::vector<text::TokenSpan> hidden;  // in `clean`
    std::string seen;                     // `clean` with sentences in capitals lowercased
    text::Ids ids;                        // of `seen`
  };
  Prepared prepare(const std::string& text, const Parting& how) const;
  // The parts of a line; none for a blank line. Warns if text is lost or a sentence is cut in two.
  // A line of which the model sees nothing is one part without ids. whole: the line, prepared.
  std::vector<Part> read(const std::string& text, const Prepared& whole, size_t line, const Parting& how) const;
  std::vector<Part> read(const std::string& text, size_t line, const Parting& how) const {
    return read(text, prepare(text, how), line, how);
  }
  // The line as one part; truncates a long one with a warning.
  std::vector<Part> whole(const std::string& text, size_t line) const;
  bool too_long(const std::string& text) const;
  // Whether the line as a whole is too long and one of its sentences is, too.
  bool too_long(const Prepared& whole, const Parting& how) const;
  // Whether the line is split into several sentences.
  bool has_several(const Prepared& whole, const Parting& how) const;
  // The error message for the first of `lines`, which is too long: its length, the number of long
  // lines, and the remedy. otherwise: the value of `long-input` that accepts it.
  std::string why_refused(std::span<const std::string> lines, const char* otherwise = "split") const;
  int64_t longest() const { return longest_; }

 private:
  enum class Letters { as_written, sentence, small };  // as the model sees it
  struct Sentence {
    std::string_view text;  // of a masked line
    bool capitals;
  };
  // A sentence, or a part of one.
  struct Cut {
    std::string_view text;
    std::string seen;
    size_t told;
    text::Ids ids;
    bool capitals;
    std::string_view between = {};
  };
  std::vector<Sentence> sentences_of(std::string_view masked, const text::Ids& ids, const Parting& how) const;
  // language: the piece such as >>de<< that the line begins with; parts without their own are
  // translated into it.
  std::vector<Cut> cuts_of(const Sentence& sentence, Cut one, std::string_view language, size_t line,
                           const Parting& how) const;
  // The sentence as one cut.
  Cut cut(const Sentence& sentence, std::string_view language, const Prepared& whole, const Parting& how) const;
  Cut cut(std::string_view masked, std::string_view language, Letters letters, const Parting& how) const;
  std::string_view language_of(std::string_view masked) const {
    return masked.substr(0, vocabulary_.leading(masked).bytes);
  }
  std::string in_its_letters(const std::string& clean, const Parting& how) const;
  static std::vector<Cut> with_neighbors(std::vector<Cut> cuts);
  static std::vector<Part> parts_of(const text::MaskedLine& line, std::vector<Cut> cuts);
  bool fits(const text::Ids& ids) const { return std::ssize(ids) < longest_; }
};

}  // namespace hexapla::decode
