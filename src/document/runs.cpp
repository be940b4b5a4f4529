#include "document/runs.h"

#include <algorithm>
#include <utility>

namespace hexapla::document {
namespace {

using Kind = Token::Kind;

constexpr std::size_t longest_run = 400;  // tags and texts of a line: work grows with their square

// Whether each tag has its partner in the run, well nested.
std::vector<bool> paired_tags(const std::vector<Token>& run) {
  std::vector<std::size_t> open;
  std::vector<bool> paired(run.size(), true);
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i].kind == Kind::open) open.push_back(i);
    if (run[i].kind != Kind::close) continue;
    const auto same = [&](std::size_t o) { return run[o].name == run[i].name; };
    const auto found = std::find_if(open.rbegin(), open.rend(), same);
    paired[i] = found != open.rend();
    if (!paired[i]) continue;
    for (; !same(open.back()); open.pop_back()) paired[open.back()] = false;
    open.pop_back();
  }
  for (const std::size_t o : open) paired[o] = false;
  return paired;
}

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Whether an element begins here where another one ends, without a blank between their texts: those of a menu
// (<span>A</span><span>B</span>) are words of their own.
bool touches(const std::vector<Token>& run, std::size_t i) {
  if (i < 2 || i + 1 >= run.size() || run[i].kind != Kind::open || run[i - 1].kind != Kind::close) return false;
  if (run[i].name.empty()) return false;
  const Token &before = run[i - 2], &after = run[i + 1];
  return before.kind == Kind::text && after.kind == Kind::text && !blank(before.text.back()) &&
         !blank(after.text.front());
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

void Runs::add(Token token) {
  const bool block = token.kind == Kind::block;
  if (!block) {
    run_.push_back(std::move(token));
    if (run_.size() < longest_run) return;
  }
  finish();
  if (block) pieces_.keep(token.raw);
}

void Runs::finish() { add_run(std::exchange(run_, {})); }

// A tag without its partner in the run ends a line like a block.
void Runs::add_run(const Tokens& run) {
  const std::vector<bool> paired = paired_tags(run);
  if (std::find(paired.begin(), paired.end(), false) == paired.end()) return add_line(run);
  Tokens part;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (paired[i]) {
      part.push_back(run[i]);
      continue;
    }
    add_run(std::exchange(part, {}));  // may have lost the partners of other tags
    pieces_.keep(run[i].raw);
  }
  add_run(part);
}

void Runs::add_line(const Tokens& run) {
  if (run.empty()) return;
  std::vector<text::LinePart> parts;
  std::string raw;
  for (std::size_t i = 0; i < run.size(); ++i) {
    const Token& token = run[i];
    if (touches(run, i)) parts.push_back({text::LinePart::Kind::text, " "});
    parts.push_back({part_kind(token.kind), token.kind == Kind::text ? token.text : token.raw, token.gap});
    raw += token.raw;
  }
  pieces_.add(text::MarkedLine(std::move(parts)), raw);
}

}  // namespace hexapla::document
