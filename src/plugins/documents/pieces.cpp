#include "documents/pieces.h"

#include <algorithm>

#include "base/system/cancellation.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace hexapla::text::document {
namespace {

text::WordLinks links_of(const Alignment& a) {
  text::WordLinks links{a.source_words, a.target_words, a.links};
  if (a.weights.rows == a.target_words.size() + 1 && a.weights.columns == a.source_words.size() + 1)
    links.weight = [&a](std::size_t target, std::size_t source) { return a.weights(target, source); };
  return links;
}

}  // namespace

bool has_words(const text::MarkedLine& line) {
  return line.marked() ? !text::essence(line.text()).empty() : text::has_text(line.text());
}

std::string placed(const text::MarkedLine& line, const Translation& translation, const text::Escape& escape) {
  return line.placed(translation.text, links_of(translation.alignment), escape);
}

void Pieces::keep(std::string_view bytes) { kept_.back() += bytes; }

void Pieces::add(text::MarkedLine line, std::string_view raw, Writing writing) {
  if (!has_words(line)) return keep(raw);
  lines_.push_back({std::move(line), std::string(raw), std::move(writing)});
  kept_.emplace_back();
}

std::string Pieces::written(const Line& line, const Translation& translation) const {
  if (translation.text == line.line.text()) return line.raw;
  std::string all = placed(line.line, translation, escape_);
  return line.writing ? line.writing(std::move(all)) : all;
}

std::string Pieces::joined(std::span<const std::vector<Translation>> found, std::size_t rank) const {
  std::string whole;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    check_canceled();
    whole += kept_[i];
    whole += written(lines_[i], of_rank(found[i], rank));
  }
  return whole += kept_.back();
}

PiecesDocument::PiecesDocument(std::vector<Pieces> texts) : texts_(std::move(texts)) {
  for (const Pieces& text : texts_) {
    first_.push_back(lines().size());
    for (const Pieces::Line& l : text.lines()) add_line(l.line.text(), l.line.marked());
  }
}

std::span<const std::vector<Translation>> PiecesDocument::of_text(std::size_t text, const Lines& found) const {
  return std::span(found).subspan(first_[text], texts_[text].lines().size());
}

std::string PiecesDocument::joined(std::size_t text, const Lines& found, std::size_t rank) const {
  return texts_[text].joined(of_text(text, found), rank);
}

std::size_t PiecesDocument::ranks(std::size_t text, const Lines& found) const {
  std::size_t most = 0;
  for (const std::vector<Translation>& all : of_text(text, found)) most = std::max(most, all.size());
  return most;
}

}  // namespace hexapla::text::document
