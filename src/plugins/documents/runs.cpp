#include "documents/runs.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/system/cancellation.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

using Kind = Token::Kind;

constexpr std::size_t kLongestRun = 400;  // tags and texts of a line: the work grows with their square

// Whether an element begins right after another one ends, without a space between their texts:
// entries of a menu (<span>A</span><span>B</span>) are separate words.
bool touches(const std::vector<Token>& run, std::size_t i) {
  if (i < 2 || i + 1 >= run.size() || run[i].kind != Kind::open || run[i - 1].kind != Kind::close) return false;
  if (run[i].name.empty()) return false;
  const Token &before = run[i - 2], &after = run[i + 1];
  return before.kind == Kind::text && after.kind == Kind::text && !text::ascii::is_space(before.text.back()) &&
         !text::ascii::is_space(after.text.front());
}

text::LinePart::Kind part_kind(Kind kind) {
  using Part = text::LinePart::Kind;
  switch (kind) {
    case Kind::open:
      return Part::open;
    case Kind::close:
      return Part::close;
    case Kind::text:
      return Part::text;
    default:
      return Part::point;
  }
}

}  // namespace

std::vector<std::size_t> partners_of(const std::vector<Token>& tokens) {
  std::vector<std::size_t> open, partner(tokens.size(), kNoPartner);
  std::unordered_map<std::string_view, std::vector<std::size_t>> of_name;  // those of `open`
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    std::vector<std::size_t>& same = of_name[tokens[i].name];
    if (tokens[i].kind == Kind::open) open.push_back(i), same.push_back(i);
    if (tokens[i].kind != Kind::close || same.empty()) continue;
    partner[i] = same.back();
    partner[same.back()] = i;
    for (std::size_t last = kNoPartner; last != partner[i];) {
      last = open.back();
      open.pop_back();
      of_name[tokens[last].name].pop_back();
    }
  }
  return partner;
}

std::vector<text::LinePart> line_parts(const std::vector<Token>& tokens) {
  std::vector<text::LinePart> parts;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (touches(tokens, i)) parts.push_back({text::LinePart::Kind::text, " "});
    const bool as_text = token.kind == Kind::text || !token.text.empty();
    parts.push_back({part_kind(token.kind), as_text ? token.text : token.raw, token.gap});
  }
  return parts;
}

void Runs::add(Token token) {
  check_canceled();
  const bool block = token.kind == Kind::block;
  if (!block) {
    run_.push_back(std::move(token));
    if (run_.size() < kLongestRun) return;
  }
  finish();
  if (block) pieces_.keep(token.raw);
}

void Runs::finish() { add_run(std::exchange(run_, {})); }

// A tag without a partner in the run ends a line like a block.
void Runs::add_run(const Tokens& run) {
  const std::vector<std::size_t> partner = partners_of(run);
  const auto stands = [&](std::size_t i) {
    return partner[i] != kNoPartner || (run[i].kind != Kind::open && run[i].kind != Kind::close);
  };
  Tokens part;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (stands(i)) {
      part.push_back(run[i]);
      continue;
    }
    add_run(std::exchange(part, {}));  // splitting may separate other tags from their partners
    pieces_.keep(run[i].raw);
  }
  part.size() == run.size() ? add_line(run) : add_run(part);
}

void Runs::add_line(const Tokens& run) {
  if (run.empty()) return;
  std::string raw;
  for (const Token& token : run) raw += token.raw;
  pieces_.add(text::MarkedLine(line_parts(run)), raw, writing_);
}

}  // namespace hexapla::text::document
