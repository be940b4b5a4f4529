#include "documents/office/parts/run_writer.h"

#include "base/error.h"
#include "base/range.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

constexpr char kStyleBegin = '\x0E', kStyleEnd = '\x0F', kMarkupBegin = '\x10', kMarkupEnd = '\x11',
               kLineBegin = '\x12', kLineEnd = '\x13', kNumberEnd = ';';

class Writer {
 public:
  Writer(const std::string& marked, const std::vector<RunStyle>& styles) : marked_(marked), styles_(styles) {}

  std::string written() {
    while (at_ < marked_.size()) add(marked_[at_++]);
    return std::move(out_);
  }

 private:
  void add(char c) {
    if (c < kStyleBegin || c > kLineEnd) {
      (open_.empty() ? out_ : text_) += c;
      return;
    }
    end_run();
    if (c == kMarkupBegin)
      copy_markup();
    else if (c == kLineEnd)
      open_.clear();
    else if (c == kStyleEnd)
      open_.pop_back();
    else
      open_.push_back(number());
  }
  void copy_markup() {
    const std::size_t end = marked_.find(kMarkupEnd, at_);
    out_.append(marked_, at_, end - at_);
    at_ = end + 1;
  }
  std::size_t number() {
    const std::size_t end = marked_.find(kNumberEnd, at_);
    const auto value = parse_number<uint64_t>(marked_.substr(at_, end - at_));
    at_ = end + 1;
    return *value;
  }
  void end_run() {
    if (text_.empty()) return;
    const RunStyle& style = styles_[open_.back()];
    const bool blanks =
        style.marks_blanks && (text::ascii::is_space(text_.front()) || text::ascii::is_space(text_.back()));
    out_ += style.before;
    if (!style.text.empty()) out_ += cat('<', style.text, blanks ? " xml:space=\"preserve\">" : ">");
    out_ += text_;
    if (!style.text.empty()) out_ += cat("</", style.text, '>');
    out_ += style.after;
    text_.clear();
  }

  const std::string& marked_;
  const std::vector<RunStyle>& styles_;
  std::size_t at_ = 0;
  std::vector<std::size_t> open_;  // style indices; none outside lines
  std::string text_, out_;         // text: of the run that is not written yet
};

}  // namespace

namespace run_marks {

std::string markup(std::string_view xml) { return cat(kMarkupBegin, xml, kMarkupEnd); }
std::string line_begins(std::size_t style) { return cat(kLineBegin, style, kNumberEnd); }
std::string line_ends() { return {kLineEnd}; }
std::string style_begins(std::size_t style) { return cat(kStyleBegin, style, kNumberEnd); }
std::string style_ends() { return {kStyleEnd}; }

}  // namespace run_marks

std::string with_runs(const std::string& marked, const std::vector<RunStyle>& styles) {
  return Writer(marked, styles).written();
}

}  // namespace hexapla::text::document
