#pragma once
// Finds where the markup of a line belongs in its translation.
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/marked/marked_line.h"
#include "text/words.h"

namespace hexapla::text {

class Placement {
 public:
  // Borrows its arguments.
  Placement(const MarkedLine& line, std::string_view translation, const WordLinks& links);

  std::string written(const Escape& escape) const;

 private:
  using Item = MarkedLine::Item;
  using Indices = std::vector<std::size_t>;
  struct Range {
    std::size_t from = 0, to = 0;  // half-open
    bool empty() const { return from >= to; }
  };

  void align(const WordLinks& links);
  void link_same_marks();
  void place_in(std::size_t parent, Range words);
  void place_element(std::size_t element, Range words, const Indices& owner);
  Indices owners(std::size_t parent) const;
  Range words_of(std::size_t element, Range within, const Indices& owner) const;
  Range nearest_word(std::size_t element, Range within, const Indices& owner) const;
  Range bytes_of(std::size_t element, Range words) const;
  bool inside_word(std::size_t element) const;
  std::optional<Range> same_characters(std::size_t element, Range words) const;
  std::size_t point_at(const Item& point, Range words) const;
  std::size_t after_word(std::size_t byte, Range words, std::size_t otherwise) const;
  std::size_t before_word(std::size_t byte, Range words, std::size_t otherwise) const;
  std::size_t last_target(std::size_t most, Range words) const;
  std::size_t first_target(std::size_t least, Range words) const;
  std::size_t same_part(const Item& point) const;
  std::size_t outside_of_siblings(std::size_t point, std::size_t at) const;
  std::size_t word_at(std::size_t byte) const;
  void write(std::size_t element, Range limits, const Escape& escape, std::string& out) const;
  void write_point(const Item& point, std::size_t at, std::string& out) const;

  const MarkedLine& line_;
  const std::vector<Item>& items_;
  std::string_view translation_;
  const WordLinks& links_;
  std::vector<TokenSpan> source_, target_;  // words
  Indices source_of_;                       // for each target word
  Indices targets_up_to_, targets_from_;    // for each source word, last_target() and first_target() of all words
  std::vector<Indices> children_;           // of each item, in source order
  std::vector<Indices> elements_;           // those of them that are elements
  std::vector<Range> place_;                // of each item: bytes of the translation
};

}  // namespace hexapla::text
