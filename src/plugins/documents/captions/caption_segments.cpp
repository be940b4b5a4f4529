#include "documents/captions/caption_segments.h"

#include <algorithm>
#include <utility>

#include "text/ascii.h"
#include "text/lines/marks.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kMostTagsOfCue = 400;  // tags of a cue that belong to its words; the work grows with their square
constexpr std::string_view kIndents = " \t";

bool is_blank_text(const Token& t) {
  return t.kind == Kind::text && t.raw.find_first_not_of(kIndents) == std::string::npos;
}
bool is_tag(const Token& t) { return t.kind != Kind::text && t.kind != Kind::block; }

// Where the music notes at the end of a sung line begin.
std::size_t begin_of_mark_after(std::string_view text) {
  std::size_t end = text.size();
  const auto drop_blanks = [&](std::size_t from) {
    while (from > 0 && kIndents.find(text[from - 1]) != kIndents.npos) --from;
    return from;
  };
  for (std::size_t at = drop_blanks(end);
       text.substr(0, at).ends_with("\u266A") || text.substr(0, at).ends_with("\u266B");)
    end = at = drop_blanks(at - 3);
  return end;
}

Token block(std::string name, std::string_view raw) { return {Kind::block, std::move(name), std::string(raw)}; }

// Splits the first `size` bytes of a text token off as a token of their own.
void part_text(std::vector<Token>& tokens, std::size_t i, std::size_t size, bool web) {
  const std::string raw = tokens[i].raw;
  std::vector<Token> rest = caption_tokens(std::string_view(raw).substr(size), web);
  tokens[i] = {Kind::text, "", raw.substr(0, size), caption_tokens(raw.substr(0, size), web).front().text};
  tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1, rest.begin(), rest.end());
}

// Turns the marks at both ends of a row into blocks.
void set_marks_apart(std::vector<Token>& row, bool web) {
  const auto text = [](const Token& t) { return t.kind == Kind::text && !is_blank_text(t); };
  const auto first = std::find_if(row.begin(), row.end(), text);
  if (first == row.end()) return;
  const auto i = static_cast<std::size_t>(first - row.begin());
  const std::size_t indent = first->raw.find_first_not_of(kIndents);
  const std::size_t mark = size_of_mark_before(std::string_view(first->raw).substr(indent));
  if (mark > 0 && indent + mark < first->raw.size()) part_text(row, i, indent + mark, web);
  if (mark > 0) row[i] = block("mark", row[i].raw);
  const auto last = std::find_if(row.rbegin(), row.rend(), text);
  if (last == row.rend()) return;
  const auto k = static_cast<std::size_t>(row.rend() - last) - 1;
  const std::size_t end = begin_of_mark_after(row[k].raw);
  if (end == row[k].raw.size()) return;
  if (end > 0) part_text(row, k, end, web);
  row[end > 0 ? k + 1 : k] = block("end", row[end > 0 ? k + 1 : k].raw);
}

// The tokens of a cue, with a block "row" before each row.
std::vector<Token> tokens_of_rows(std::span<const CaptionRow* const> rows, bool web) {
  std::vector<Token> all;
  for (const CaptionRow* row : rows) {
    all.push_back(block("row", ""));
    std::vector<Token> tokens = caption_tokens(row->text, web);
    set_marks_apart(tokens, web);
    std::move(tokens.begin(), tokens.end(), std::back_inserter(all));
  }
  return all;
}

// Finds the tags that belong to the layout around the text, not to words.
class Breaks {
 public:
  explicit Breaks(std::vector<Token>& tokens) : tokens_(tokens), edge_(tokens.size()), before_(tokens.size() + 1) {
    if (std::count_if(tokens.begin(), tokens.end(), is_tag) > static_cast<std::ptrdiff_t>(kMostTagsOfCue)) {
      for (Token& t : tokens_)
        if (is_tag(t)) t = block("tag", t.raw);
      return;
    }
    find_edges();
    const std::vector<std::size_t> partner = partners_of(tokens_);
    const auto around = [&](std::size_t i) {
      const std::size_t p = partner[i];
      return edge_[i] && (p == kNoPartner || edge_[p]);
    };
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      before_[i + 1] =
          before_[i] + (tokens_[i].kind == Kind::block ? is_firm(tokens_[i]) : is_tag(tokens_[i]) && around(i));
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!is_tag(tokens_[i])) continue;
      if (around(i))
        structure_.push_back(i);
      else if (const std::size_t p = partner[i]; p == kNoPartner)
        tokens_[i].kind = Kind::point;
      else if (before_[std::max(i, p)] > before_[std::min(i, p) + 1])
        parting_.push_back(i);
    }
    for (const std::size_t i : structure_) tokens_[i] = block("around", tokens_[i].raw);
    for (const std::size_t i : parting_) tokens_[i] = block("tag", tokens_[i].raw);
  }

 private:
  static bool is_firm(const Token& t) { return t.name != "row" && t.name.find_first_of("0123456789") != 0; }

  // Finds tags that open right after a break or close right before one, with no text between.
  void find_edges() {
    bool edge = true;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (is_tag(tokens_[i])) edge_[i] = edge && tokens_[i].kind != Kind::close;
      edge = tokens_[i].kind == Kind::block || (edge && (is_tag(tokens_[i]) || is_blank_text(tokens_[i])));
    }
    edge = true;
    for (std::size_t i = tokens_.size(); i-- > 0;) {
      if (is_tag(tokens_[i])) edge_[i] = edge_[i] || (edge && tokens_[i].kind != Kind::open);
      edge = tokens_[i].kind == Kind::block || (edge && (is_tag(tokens_[i]) || is_blank_text(tokens_[i])));
    }
  }

  std::vector<Token>& tokens_;
  std::vector<bool> edge_;
  std::vector<std::size_t> before_, structure_, parting_;  // firm breaks before each token; indices of tags
};

class CueReader {
 public:
  explicit CueReader(std::span<const CaptionRow* const> rows) : rows_(rows) {}

  CueText read(const std::vector<Token>& tokens) {
    for (const Token& t : tokens) t.kind == Kind::block ? add_break(t) : add_words(t);
    end_row();
    return std::move(found_);
  }

 private:
  void add_break(const Token& t) {
    end_words();
    if (t.name == "row" && row_++ > 0) end_row();
    const bool time = t.name.find_first_of("0123456789") == 0;
    if (t.name == "mark" || t.name == "v" || t.name == "tag") begins_ = true;
    if (t.name == "end" || t.name == "tag" || t.name == "v") end_sentence();
    if (t.name != "row" && !time) tags_ = true;
    before_ += t.raw;
  }
  void end_sentence() {
    if (!found_.segments.empty()) found_.segments.back().ends_sentence = true;
  }
  void add_words(const Token& t) {
    if (words_.empty() && is_blank_text(t)) {
      blank_ += t.raw;
      return;
    }
    words_.push_back(t);
  }
  static std::string take_front(Token& t) {
    const std::size_t n = t.raw.find_first_not_of(kIndents);
    const std::string taken = t.raw.substr(0, n);
    t.raw.erase(0, n), t.text.erase(0, n);
    return taken;
  }
  static std::string take_back(Token& t) {
    const std::size_t n = t.raw.find_last_not_of(kIndents) + 1;
    const std::string taken = t.raw.substr(n);
    t.raw.resize(n), t.text.resize(t.text.size() - taken.size());
    return taken;
  }
  void end_words() {
    std::string after;
    while (!words_.empty() && is_blank_text(words_.back())) {
      after = words_.back().raw + after;
      words_.pop_back();
    }
    if (words_.empty()) {
      before_ += std::exchange(blank_, "") + after;
      return;
    }
    if (words_.front().kind == Kind::text) blank_ += take_front(words_.front());
    if (words_.back().kind == Kind::text) after = take_back(words_.back()) + after;
    const CaptionRow& row = *rows_[row_ - 1];
    found_.segments.push_back({std::exchange(before_, ""), std::exchange(blank_, ""), std::exchange(words_, {}),
                               std::move(after), row_ - 1, row.cue, false, std::exchange(begins_, false),
                               std::exchange(tags_, false)});
  }
  void end_row() {
    end_words();
    found_.tails.push_back(std::exchange(before_, ""));
  }

  std::span<const CaptionRow* const> rows_;
  CueText found_;
  std::size_t row_ = 0;
  std::string before_, blank_;
  std::vector<Token> words_;
  bool begins_ = false, tags_ = false;
};

}  // namespace

std::size_t size_of_mark_before(std::string_view text) {
  std::size_t size = 0;
  for (const std::string_view mark :
       {"-", "\u2013", "\u2014", ">>>", ">>", "&gt;&gt;&gt;", "&gt;&gt;", "\u266A", "\u266B", "\u266A\u266A", "#"})
    if (text.starts_with(mark)) size = std::max(size, mark.size());
  const bool number = size == 1 && text.size() > 1 && text::ascii::is_digit(text[1]);
  if (size == 0 || number || text.substr(size, 1) == "-") return 0;
  return std::min(text.find_first_not_of(kIndents, size), text.size());
}

std::string Segment::text() const {
  std::string all;
  for (const Token& t : words)
    if (t.kind == Kind::text) all += t.text;
  return all;
}

std::string Segment::raw() const {
  std::string all;
  for (const Token& t : words) all += t.raw;
  return all;
}

CueText cue_text(std::span<const CaptionRow* const> rows, bool web) {
  std::vector<Token> tokens = tokens_of_rows(rows, web);
  Breaks find(tokens);
  return CueReader(rows).read(tokens);
}

}  // namespace hexapla::text::document
