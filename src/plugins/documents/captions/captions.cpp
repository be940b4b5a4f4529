#include "documents/captions/captions.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "documents/captions/caption_sentences.h"
#include "documents/captions/spread.h"
#include "documents/html/html.h"
#include "documents/pieces.h"
#include "text/ascii.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

bool begins_with_inner_time(const Segment& s) {
  for (std::size_t at = 0; (at = s.before.find('<', at)) != std::string::npos; ++at)
    if (at + 1 < s.before.size() && text::ascii::is_digit(s.before[at + 1])) return true;
  return false;
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t'; });
  return text;
}

std::string text_of(std::string_view written, bool web) {
  std::string text;
  for (const Token& t : caption_tokens(written, web))
    if (t.kind == Token::Kind::text) text += t.text;
  return text;
}

}  // namespace

Captions::Captions(std::string_view content) {
  const CaptionFile file = caption_file(content);
  web_ = file.web;
  std::vector<Segment> segments = read(file);
  const bool automatic = std::any_of(segments.begin(), segments.end(), begins_with_inner_time) ||
                         std::any_of(rows_.begin(), rows_.end(), [](const Row& r) { return r.copied != kNoRow; });
  for (std::vector<Segment>& sentence : caption_sentences(std::move(segments), file.cues, automatic))
    add_line(std::move(sentence));
}

std::vector<Segment> Captions::read(const CaptionFile& file) {
  std::vector<Segment> all;
  std::unordered_map<std::string, std::size_t> before, now;  // rows of the previous and of this cue, by their text
  for (std::size_t first = 0, end = 0; first < file.rows.size(); first = end) {
    std::vector<const CaptionRow*> words;
    std::vector<std::size_t> numbers;
    for (end = first; end < file.rows.size() && file.rows[end].cue == file.rows[first].cue; ++end) {
      const CaptionRow& row = file.rows[end];
      rows_.push_back({row.words ? "" : row.text, row.end, row.words, row.cue});
      if (row.words) words.push_back(&row), numbers.push_back(end);
    }
    CueText cue = cue_text(words, web_);
    std::map<std::size_t, std::vector<Segment>> by_row;
    for (Segment& s : cue.segments) by_row[s.row].push_back(std::move(s));
    now.clear();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      Row& row = rows_[numbers[i]];
      row.before = cue.tails[i];
      std::string key;
      for (Segment& s : by_row[i]) s.row = numbers[i], key += without_blanks(s.text());
      const auto same = before.find(key);
      const bool plain =
          by_row[i].size() == 1 && by_row[i].front().words.size() == 1 && !begins_with_inner_time(by_row[i].front());
      if (plain && same != before.end()) {
        row.copied = same->second;
        row.segments = {segments_.size()};
        segments_.push_back(std::move(by_row[i].front()));
      } else {
        std::move(by_row[i].begin(), by_row[i].end(), std::back_inserter(all));
      }
      if (!key.empty()) now.emplace(std::move(key), row.copied == kNoRow ? numbers[i] : row.copied);
    }
    std::swap(before, now);
  }
  return all;
}

void Captions::add_line(std::vector<Segment> sentence) {
  std::vector<text::LinePart> parts;
  Line line{text::MarkedLine({}), {}};
  for (std::size_t i = 0; i < sentence.size(); ++i) {
    if (i > 0 && is_blank_before(sentence[i - 1], sentence[i])) parts.push_back({text::LinePart::Kind::text, " "});
    const std::vector<text::LinePart> more = line_parts(sentence[i].words);
    parts.insert(parts.end(), more.begin(), more.end());
    line.segments.push_back(segments_.size() + i);
    rows_[sentence[i].row].segments.push_back(segments_.size() + i);
  }
  std::move(sentence.begin(), sentence.end(), std::back_inserter(segments_));
  line.line = text::MarkedLine(std::move(parts));
  if (!has_words(line.line)) return;
  Document::add_line(line.line.text(), line.line.marked());
  marked_.push_back(std::move(line));
}

std::string Captions::escaped(std::string_view text) const { return web_ ? with_entities(text) : std::string(text); }

void Captions::spread_line(const Line& line, const Translation& translation, std::vector<Said>& said) const {
  if (translation.text == line.line.text()) return;
  std::vector<Share> shares;
  for (const std::size_t i : line.segments) {
    const Segment& s = segments_[i];
    shares.push_back({s.cue, s.row, static_cast<double>(text::width(s.text())), s.tags_before});
  }
  const auto escape = [this](std::string_view text) { return escaped(text); };
  std::vector<std::string> parts = spread(placed(line.line, translation, escape), web_, shares);
  for (std::size_t k = 0; k < parts.size(); ++k) said[line.segments[k]] = {parts[k], document::text_of(parts[k], web_)};
}

std::string Captions::text_of(const Row& row, const std::vector<Said>& said) const {
  std::string all;
  for (const std::size_t i : row.segments) {
    if (!all.empty() && !said[i].text.empty() && blank_between(all, said[i].text)) all += ' ';
    all += said[i].text;
  }
  return all;
}

void Captions::put_copy(const Row& row, std::vector<Said>& said) const {
  const std::string text = text_of(rows_[row.copied], said);
  Said& own = said[row.segments.front()];
  if (without_blanks(text) != without_blanks(own.text)) own = {escaped(text), text};
}

// The bytes between two segments of a row: a space is added or dropped if the target script
// requires it.
std::string Captions::between(const Segment& last, const Segment& next, const Said& before, const Said& after) const {
  const bool is = is_blank_before(last, next), needed = blank_between(before.text, after.text);
  if (needed == blank_between(last.text(), next.text())) return last.blank_after + next.before + next.blank_before;
  if (needed) return last.blank_after + next.before + (is ? next.blank_before : " ");
  return next.before;
}

std::string Captions::written(const Row& row, const std::vector<Said>& said) const {
  std::string all;
  std::size_t last = kNoRow;  // the last segment before this one that has text
  for (const std::size_t i : row.segments) {
    const Segment& s = segments_[i];
    if (said[i].text.empty() && !s.text().empty())
      all += s.before;
    else
      all += last == kNoRow ? s.before + s.blank_before : between(segments_[last], s, said[last], said[i]);
    all += said[i].written;
    if (!said[i].text.empty() || s.text().empty()) last = i;
  }
  return all + (last == kNoRow ? "" : segments_[last].blank_after) + row.before;
}

std::string Captions::joined(std::size_t, const Lines& found, std::size_t rank) const {
  std::vector<Said> said;
  for (const Segment& s : segments_) said.push_back({s.raw(), s.text()});
  for (std::size_t i = 0; i < marked_.size(); ++i) spread_line(marked_[i], of_rank(found[i], rank), said);
  for (const Row& row : rows_)
    if (row.copied != kNoRow) put_copy(row, said);
  std::string all;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const std::string text = written(row, said);
    const auto of_cue = [&](std::size_t k) { return k < rows_.size() && rows_[k].words && rows_[k].cue == row.cue; };
    const bool empty =
        row.words && !row.segments.empty() && text_of(row, said).find_first_not_of(' ') == std::string::npos;
    const bool goes_on = empty && of_cue(i + 1);                         // into the next row
    const bool ended = empty && i > 0 && of_cue(i - 1) && text.empty();  // an empty row would end the cue
    all += text + (goes_on || ended ? "" : row.end);
  }
  return all;
}

std::size_t Captions::ranks(std::size_t, const Lines& found) const {
  std::size_t most = 0;
  for (const auto& line : found) most = std::max(most, line.size());
  return most;
}

}  // namespace hexapla::text::document
