#include "text/document/office/parts/run_writer.h"

#include "base/error.h"
#include "base/range.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

constexpr char style_begin = '\x0E', style_end = '\x0F', markup_begin = '\x10', markup_end = '\x11',
               line_begin = '\x12', line_end = '\x13', number_end = ';';

class Writer {
 public:
  Writer(const std::string& marked, const std::vector<RunStyle>& styles) : marked_(marked), styles_(styles) {}

  std::string written() {
    while (at_ < marked_.size()) add(marked_[at_++]);
    return std::move(out_);
  }

 private:
  void add(char c) {
    if (c < style_begin || c > line_end) {
      (open_.empty() ? out_ : text_) += c;
      return;
    }
    end_run();
    if (c == markup_begin)
      copy_markup();
    else if (c == line_end)
      open_.clear();
    else if (c == style_end)
      open_.pop_back();
    else
      open_.push_back(number());
  }
  void copy_markup() {
    const std::size_t end = marked_.find(markup_end, at_);
    out_.append(marked_, at_, end - at_);
    at_ = end + 1;
  }
  std::size_t number() {
    const std::size_t end = marked_.find(number_end, at_);
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

std::string markup(std::string_view xml) { return cat(markup_begin, xml, markup_end); }
std::string line_begins(std::size_t style) { return cat(line_begin, style, number_end); }
std::string line_ends() { return {line_end}; }
std::string style_begins(std::size_t style) { return cat(style_begin, style, number_end); }
std::string style_ends() { return {style_end}; }

}  // namespace run_marks

std::string with_runs(const std::string& marked, const std::vector<RunStyle>& styles) {
  return Writer(marked, styles).written();
}

}  // namespace hexapla::text::document
