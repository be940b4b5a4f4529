#include "document/captions/subtitle_text.h"

#include <algorithm>
#include <string_view>

#include "document/html/html.h"

namespace hexapla::document {
namespace {

constexpr std::size_t most_lines = 8;                 // of a cue that are one sentence
const std::string arrow = std::string(2, '-') + ">";  // between the times of a cue
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

std::string replaced(std::string_view text, char what, std::string_view with) {
  std::string result;
  for (const char c : text)
    if (c == what)
      result += with;
    else
      result += c;
  return result;
}

// "- " of somebody who speaks, "{\an8}" of a place on the screen: what does not belong to the sentence.
std::size_t size_of_prefix(std::string_view line) {
  std::size_t size = 0;
  while (line.substr(size, 2) == "{\\" && line.find('}', size) != std::string_view::npos)
    size = line.find('}', size) + 1;
  for (const std::string_view dash : {"-", "\xE2\x80\x93", "\xE2\x80\x94"})
    if (line.substr(size, dash.size()) == dash) {
      size += dash.size();
      while (size < line.size() && line[size] == ' ') ++size;
      break;
    }
  return size;
}

struct Blank {
  std::size_t at;      // bytes in front of it
  std::size_t column;  // characters in front of it, without tags
};

// The blanks outside of tags; columns: of the whole text.
std::vector<Blank> blanks_of(std::string_view text, std::size_t& columns) {
  std::vector<Blank> blanks;
  bool inside = false;  // a tag
  columns = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') inside = true;
    if (!inside && text[i] == ' ') blanks.push_back({i, columns});
    if (!inside && (text[i] & 0xC0) != 0x80) ++columns;
    if (text[i] == '>') inside = false;
  }
  return blanks;
}

}  // namespace

std::string broken_into_lines(const std::string& text, std::size_t lines) {
  if (text.find('\n') != std::string::npos) return text;
  std::size_t columns = 0;
  std::vector<Blank> blanks = blanks_of(text, columns);
  std::string whole;
  std::size_t begin = 0;
  for (std::size_t line = 1; line < lines && !blanks.empty(); ++line) {
    const auto far = [&](const Blank& b) {
      const std::size_t here = b.column * lines, wanted = columns * line;
      return here > wanted ? here - wanted : wanted - here;
    };
    const auto nearest =
        std::min_element(blanks.begin(), blanks.end(), [&](const Blank& a, const Blank& b) { return far(a) < far(b); });
    whole += text.substr(begin, nearest->at - begin) + '\n';
    begin = nearest->at + 1;
    blanks.erase(blanks.begin(), nearest + 1);
  }
  return whole + text.substr(begin);
}

SubtitleText::Cues SubtitleText::cues_of(const std::string& text) {
  Cues cues;
  cues.html = text.starts_with("WEBVTT") || text.starts_with(std::string(byte_order_mark) + "WEBVTT");
  if (text.find("\r\n") != std::string::npos) cues.line_end = "\r\n";
  std::string before;
  bool inside = false, within_text = false;  // a cue; its text, behind its first line
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find('\n', at), text.size());
    const std::size_t end = next > at && text[next - 1] == '\r' ? next - 1 : next;
    const std::string line = text.substr(at, end - at);
    const std::string line_end = text.substr(end, next + 1 - end);
    at = next + 1;
    const bool times = line.find(arrow) != std::string::npos,
               blank = line.find_first_not_of(" \t") == std::string::npos;
    if (!inside || times || blank) {
      before += line + line_end;
      inside = times;
      within_text = false;
      continue;
    }
    const std::size_t prefix = size_of_prefix(line);
    const std::string sentence = line.substr(prefix);
    if (within_text && prefix == 0 && cues.parts.back().lines < most_lines) {
      cues.sentences.back() += "\n" + sentence;
      ++cues.parts.back().lines;
    } else {
      cues.parts.push_back({before + line.substr(0, prefix), 1});
      cues.sentences.push_back(sentence);
    }
    before = line_end;
    within_text = true;
  }
  cues.parts.push_back({before, 0});
  return cues;
}

SubtitleText::SubtitleText(const std::string& text) : SubtitleText(cues_of(text)) {}

PiecesDocument SubtitleText::document_of(const Cues& cues) {
  const text::Escape escape = cues.html ? with_entities : [](std::string_view text) { return std::string(text); };
  std::vector<Pieces> all;
  for (const std::string& sentence : cues.sentences) all.push_back(html_pieces(sentence, escape));
  return PiecesDocument(std::move(all));
}

SubtitleText::SubtitleText(Cues cues) : file_(std::move(cues)), cues_(document_of(file_)) {
  for (std::size_t i = 0; i < cues_.lines().size(); ++i) add_line(cues_.lines()[i], cues_.aligned()[i]);
}

std::string SubtitleText::joined(std::size_t, const Lines& found, std::size_t rank) const {
  std::string whole;
  std::size_t sentence = 0;
  for (const Part& part : file_.parts) {
    whole += part.before;
    if (part.lines == 0) continue;
    const std::string html = cues_.joined(sentence++, found, rank);
    const std::string text = broken_into_lines(html, part.lines);
    whole += replaced(text, '\n', file_.line_end);
  }
  return whole;
}

std::size_t SubtitleText::ranks(std::size_t, const Lines& found) const {
  std::size_t most = 0;
  for (const auto& line : found) most = std::max(most, line.size());
  return most;
}

}  // namespace hexapla::document
