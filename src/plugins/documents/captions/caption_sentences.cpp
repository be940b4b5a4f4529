#include "documents/captions/caption_sentences.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "text/lines/marks.h"
#include "text/lines/sentence_ends.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::int64_t kLongestPause = 2000;                 // milliseconds within which a sentence continues
constexpr std::size_t kMostCues = 6;                         // of a sentence
constexpr std::size_t kMostCuesUnmarked = 3;                 // for automatic captions without punctuation
constexpr std::size_t kMostBytes = 1000, kMostTokens = 400;  // of a sentence in several segments

std::string_view last_of(std::string_view text) { return text.substr(text::last_character(text)); }

bool ends_in_full_stop(std::string_view text) {
  if (text.ends_with("..")) return false;
  return text::is_one_of(last_of(text),
                         {".", "\u3002", "\uFF61", "\u104B", "\u17D4", "\u0964", "\u06D4", "\u0589", "\u1362"});
}

// Whether sentences end in full stops here: Chinese, Japanese and Thai captions seldom use them.
bool is_marked(const std::vector<Segment>& segments) {
  std::size_t cues = 0, stops = 0;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (i + 1 < segments.size() && segments[i + 1].cue == segments[i].cue) continue;
    ++cues;
    stops += ends_in_full_stop(segments[i].text());
  }
  return 10 * stops >= cues;
}

bool begins_aside(std::string_view text) {
  return !text.empty() && text::is_one_of(text::character_at(text, 0), {"[", "(", "\uFF08", "\u3010", "\u266A"});
}
bool ends_aside(std::string_view text) {
  return text::is_one_of(last_of(text), {"]", ")", "\uFF09", "\u3011", "\u266A"});
}

// "{\an8}": the position on the screen.
std::string_view place_of(std::string_view before) {
  const std::size_t begin = before.find("{\\a");
  return begin == before.npos ? "" : before.substr(begin, before.find('}', begin) - begin);
}

int opened_by(const Token& t) { return t.kind == Kind::open ? 1 : t.kind == Kind::close ? -1 : 0; }

int opened_in(const Segment& s) {
  int open = 0;
  for (const Token& t : s.words) open += opened_by(t);
  return open;
}

// Splits a segment at these byte offsets of its text, which are ascending and inside it, and have
// no open element. open: elements open before the segment.
std::vector<Segment> parts_between(Segment s, std::span<const std::size_t> ends, int open) {
  std::vector<Segment> parts;
  const auto part = [&] {
    Segment& last = parts.emplace_back();
    last.row = s.row, last.cue = s.cue;
  };
  std::vector<Token> words = std::move(s.words);
  part();
  std::size_t at = 0;  // bytes of text
  for (Token& t : words) {
    const auto due = [&] { return parts.size() <= ends.size() && at == ends[parts.size() - 1]; };
    if (due() && open == 0) part();
    open += opened_by(t);
    if (t.kind != Kind::text || t.raw != t.text) {
      at += t.kind == Kind::text ? t.text.size() : 0;
      parts.back().words.push_back(std::move(t));
      continue;
    }
    for (std::string_view rest = t.text; !rest.empty();) {
      if (due()) part();
      const std::size_t end = parts.size() <= ends.size() ? ends[parts.size() - 1] : at + rest.size();
      const std::string taken(rest.substr(0, end - at));
      parts.back().words.push_back({Kind::text, "", taken, taken});
      at += taken.size();
      rest.remove_prefix(taken.size());
    }
  }
  for (std::size_t i = 1; i < parts.size(); ++i) {
    Token& first = parts[i].words.front();
    if (first.kind != Kind::text || first.raw != first.text) continue;
    const std::size_t blanks = std::min(first.raw.find_first_not_of(" \t"), first.raw.size());
    const std::size_t mark = size_of_mark_before(std::string_view(first.raw).substr(blanks));
    const bool dash = mark > 0 && blanks + mark < first.raw.size();
    (dash ? parts[i].before : parts[i].blank_before) = first.raw.substr(0, blanks + (dash ? mark : 0));
    first.raw.erase(0, blanks + (dash ? mark : 0));
    first.text = first.raw;
  }
  parts.front().before = std::move(s.before), parts.front().blank_before = std::move(s.blank_before);
  parts.back().blank_after = std::move(s.blank_after);
  parts.front().tags_before = s.tags_before, parts.back().ends_sentence = s.ends_sentence;
  return parts;
}

class Sentences {
 public:
  Sentences(std::vector<Segment> segments, const std::vector<CueTimes>& cues, bool automatic)
      : segments_(std::move(segments)),
        cues_(cues),
        most_cues_(is_marked(segments_) ? kMostCues
                   : automatic          ? kMostCuesUnmarked
                                        : 1) {}

  std::vector<std::vector<Segment>> find() {
    while (at_ < segments_.size()) take_sentences();
    return std::move(found_);
  }

 private:
  // Segments up to a definite end of sentence, or up to the limits on a sentence.
  struct Window {
    std::size_t end = 0;  // one past the last segment
    std::string text = {};
    std::vector<std::size_t> from = {}, to = {};  // for each segment, its range of bytes in the text
    std::vector<int> open = {};                   // open elements at each byte, and at the end
    bool cut = false;                             // whether the last sentence may continue after the window
  };

  // Whether a sentence may continue from segment i - 1 to i.
  bool goes_on(std::size_t i) const {
    const Segment &a = segments_[i - 1], &b = segments_[i];
    if (a.ends_sentence || b.begins_sentence) return false;
    if (a.row != b.row && (begins_aside(b.text()) || ends_aside(a.text()))) return false;
    if (a.cue != b.cue && place_of(a.before) != place_of(b.before)) return false;
    for (std::size_t cue = a.cue; cue < b.cue; ++cue) {
      const CueTimes &now = cues_[cue - 1], &next = cues_[cue];
      if (next.from < now.from || next.from - now.to > kLongestPause) return false;
    }
    return true;
  }

  Window window() const {
    Window w{at_};
    std::size_t cues = 0, tokens = 0;
    int open = 0;
    for (; w.end < segments_.size(); ++w.end) {
      const Segment& s = segments_[w.end];
      const bool first = w.end == at_, new_cue = first || segments_[w.end - 1].cue != s.cue;
      if (!first && open == 0 && !goes_on(w.end)) break;
      w.cut = !first && open == 0 &&
              (cues + (new_cue ? 1 : 0) > most_cues_ || w.text.size() > kMostBytes || tokens > kMostTokens);
      if (w.cut) break;
      cues += new_cue ? 1 : 0;
      tokens += s.words.size();
      if (!first && is_blank_before(segments_[w.end - 1], s)) w.text += ' ', w.open.push_back(open);
      w.from.push_back(w.text.size());
      for (const Token& t : s.words) add(t, open, w);
      w.to.push_back(w.text.size());
      note_open(open, w);
    }
    return w;
  }
  static void add(const Token& t, int& open, Window& w) {
    open += opened_by(t);
    if (t.kind != Kind::text) return note_open(open, w);
    note_open(open, w);
    w.text += t.text;
    w.open.resize(w.text.size() + 1, open);
  }
  // Between two texts, the smallest number of open elements counts.
  static void note_open(int open, Window& w) {
    w.open.resize(w.text.size() + 1, open);
    w.open.back() = std::min(w.open.back(), open);
  }

  static std::vector<std::size_t> ends_in(const Window& w) {
    std::vector<std::size_t> ends;
    const bool lower = text::is_all_lower(w.text);
    for (std::size_t end = 0; end < w.text.size();) {
      end += text::end_of_sentence(std::string_view(w.text).substr(end), lower);
      if (end < w.text.size() && w.open[end] == 0) ends.push_back(end);
    }
    return ends;
  }

  void take_sentences() {
    const Window w = window();
    const std::vector<std::size_t> ends = ends_in(w);
    std::vector<Segment> line;
    std::size_t next = 0;  // of ends
    int open = 0;
    for (std::size_t k = at_; k < w.end; ++k) {
      const std::size_t from = w.from[k - at_], to = w.to[k - at_];
      std::vector<std::size_t> inside;
      for (; next < ends.size() && ends[next] < to; ++next) inside.push_back(ends[next] - from);
      const int before = std::exchange(open, open + opened_in(segments_[k]));
      std::vector<Segment> parts = parts_between(std::move(segments_[k]), inside, before);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        line.push_back(std::move(parts[i]));
        if (i + 1 < parts.size() || (open == 0 && next < ends.size() && ends[next] == to))
          found_.push_back(std::exchange(line, {}));
      }
      next += next < ends.size() && ends[next] == to ? 1 : 0;
    }
    if (w.cut && line.size() < w.end - at_) {  // the last sentence may continue: start the next window with it
      at_ = w.end - line.size();
      std::move(line.begin(), line.end(), segments_.begin() + static_cast<std::ptrdiff_t>(at_));
      return;
    }
    if (!line.empty()) found_.push_back(std::move(line));
    at_ = w.end;
  }

  std::vector<Segment> segments_;
  const std::vector<CueTimes>& cues_;
  std::size_t most_cues_, at_ = 0;
  std::vector<std::vector<Segment>> found_;
};

}  // namespace

bool blank_between(std::string_view text, std::string_view next) {
  return !text::ends_without_blank(text) && !text::begins_without_blank(next);
}

bool is_blank_before(const Segment& a, const Segment& b) {
  if (a.row != b.row) return blank_between(a.text(), b.text());
  return !a.blank_after.empty() || !b.blank_before.empty() || b.before.find(' ') != std::string::npos;
}

std::vector<std::vector<Segment>> caption_sentences(std::vector<Segment> segments, const std::vector<CueTimes>& cues,
                                                    bool automatic) {
  return Sentences(std::move(segments), cues, automatic).find();
}

}  // namespace hexapla::text::document
