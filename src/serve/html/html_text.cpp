#include "serve/html/html_text.h"

#include <algorithm>
#include <array>

#include "serve/html/entities.h"
#include "text/utf8.h"

namespace hexapla::serve {
namespace {

using Kind = HtmlToken::Kind;

constexpr std::array<std::string_view, 30> within_sentences{
    "a",   "abbr",  "acronym", "b",      "bdi",    "bdo",  "big", "cite", "data", "del",
    "dfn", "em",    "font",    "i",      "ins",    "mark", "q",   "ruby", "rp",   "rt",
    "s",   "small", "span",    "strike", "strong", "sub",  "sup", "time", "tt",   "u"};
constexpr std::array<std::string_view, 3> points{"img", "wbr", "input"};
// Their content is no text of the page's language.
constexpr std::array<std::string_view, 10> untouched{"script", "style", "code", "pre",  "kbd",
                                                     "samp",   "var",   "svg",  "math", "textarea"};

constexpr std::size_t longest_run = 200;  // tags and texts of a sentence: work grows with their square

template <class List>
bool among(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

bool blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

// Behind the tag that begins at `at`; attributes in quotation marks may hold anything.
std::size_t end_of_tag(std::string_view html, std::size_t at) {
  char quote = 0;
  for (; at < html.size(); ++at) {
    const char c = html[at];
    if (quote != 0 ? c == quote : c == '"' || c == '\'')
      quote = quote != 0 ? 0 : c;
    else if (quote == 0 && c == '>')
      return at + 1;
  }
  return html.size();
}

// Where markup begins at `at`, behind it; else `at`.
std::size_t end_of_markup(std::string_view html, std::size_t at) {
  constexpr std::string_view comment = "<!---->", begins = comment.substr(0, 4), ends = comment.substr(4);
  if (html.substr(at, begins.size()) == begins) {
    const std::size_t end = html.find(ends, at + begins.size());
    return end == std::string_view::npos ? html.size() : end + ends.size();
  }
  const std::string_view next = html.substr(at + 1, 2);
  if (next.empty() ||
      !(letter(next[0]) || next[0] == '!' || next[0] == '?' || (next[0] == '/' && next.size() > 1 && letter(next[1]))))
    return at;
  return end_of_tag(html, at);
}

std::string name_of_tag(std::string_view tag) {
  std::string name;
  for (std::size_t i = tag.substr(0, 2) == "</" ? 2 : 1;
       i < tag.size() && (letter(tag[i]) || (tag[i] >= '0' && tag[i] <= '9')); ++i)
    name += lower(tag[i]);
  return name;
}

// Behind the end tag of an element that begins before `at`.
std::size_t end_of_element(std::string_view html, std::size_t at, const std::string& name) {
  for (; (at = html.find("</", at)) != std::string_view::npos; at += 2)
    if (name_of_tag(html.substr(at, name.size() + 3)) == name) return end_of_tag(html, at);
  return html.size();
}

bool not_to_be_translated(std::string_view tag) {
  return tag.find("translate=\"no\"") != std::string_view::npos ||
         tag.find("translate='no'") != std::string_view::npos || tag.find("notranslate") != std::string_view::npos;
}

Kind kind_of(std::string_view tag, const std::string& name) {
  if (among(points, name)) return Kind::point;
  if (!among(within_sentences, name)) return Kind::block;
  if (tag.starts_with("</")) return Kind::close;
  return tag.ends_with("/>") ? Kind::point : Kind::open;
}

}  // namespace

std::vector<HtmlToken> html_tokens(std::string_view html) {
  std::vector<HtmlToken> tokens;
  std::string text;
  const auto end_text = [&] {
    if (!text.empty()) tokens.push_back({Kind::text, "", std::exchange(text, "")});
  };
  for (std::size_t at = 0; at < html.size();) {
    const std::size_t end = html[at] == '<' ? end_of_markup(html, at) : at;
    if (end == at) {
      text += html[at++];
      continue;
    }
    end_text();
    const std::string_view tag = html.substr(at, end - at);
    const std::string name = name_of_tag(tag);
    Kind kind = name.empty() ? Kind::point : kind_of(tag, name);
    std::size_t after = end;
    if (!tag.starts_with("</") && !tag.ends_with("/>") && kind != Kind::point &&
        (among(untouched, name) || not_to_be_translated(tag))) {
      after = end_of_element(html, end, name);
      kind = among(within_sentences, name) ? Kind::point : Kind::block;
    }
    tokens.push_back({kind, name, std::string(html.substr(at, after - at))});
    at = after;
  }
  end_text();
  return tokens;
}

HtmlText::HtmlText(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    std::vector<Sentence>& sentences = texts_.emplace_back();
    Tokens run;
    for (HtmlToken& token : html_tokens(text)) {
      if (token.kind != Kind::block) run.push_back(std::move(token));
      if (token.kind != Kind::block && run.size() < longest_run) continue;
      add_run(sentences, std::exchange(run, {}));
      if (token.kind != Kind::block) continue;
      sentences.push_back({std::move(token.html), ""});
    }
    add_run(sentences, run);
  }
}

// A tag without its partner in the run ends a sentence like a block.
void HtmlText::add_run(std::vector<Sentence>& sentences, const Tokens& run) {
  std::vector<std::size_t> open;
  std::vector<bool> paired(run.size(), true);
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (run[i].kind == Kind::open) open.push_back(i);
    if (run[i].kind != Kind::close) continue;
    const auto found =
        std::find_if(open.rbegin(), open.rend(), [&](std::size_t o) { return run[o].name == run[i].name; });
    if (found == open.rend()) {
      paired[i] = false;
      continue;
    }
    while (run[open.back()].name != run[i].name) paired[open.back()] = false, open.pop_back();
    open.pop_back();
  }
  for (const std::size_t o : open) paired[o] = false;
  if (std::find(paired.begin(), paired.end(), false) == paired.end()) return add_sentence(sentences, run);
  Tokens part;
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (paired[i]) {
      part.push_back(run[i]);
      continue;
    }
    add_run(sentences, std::exchange(part, {}));  // may have lost the partners of other tags
    sentences.push_back({run[i].html, ""});
  }
  add_run(sentences, part);
}

// Blanks between words are one; those at the ends, and all where there are no words, stay as they are. A tag within a
// word comes before it if it opens, and after it if it closes.
void HtmlText::add_sentence(std::vector<Sentence>& sentences, const Tokens& run) {
  Sentence s;
  std::string line, whole, blanks;
  std::vector<std::size_t> open;
  bool inside = false;  // a word
  for (const HtmlToken& token : run) {
    whole += token.html;
    if (token.kind == Kind::open) {
      open.push_back(s.elements.size());
      const std::size_t parent = open.size() > 1 ? open[open.size() - 2] : Element::none;
      s.elements.push_back({token.html, "", s.words - (inside ? 1 : 0), 0, parent});
    } else if (token.kind == Kind::close && !open.empty()) {
      s.elements[open.back()].close = token.html;
      s.elements[open.back()].last = s.words;
      open.pop_back();
    } else if (token.kind == Kind::point) {
      s.points.push_back({token.html, s.words});
    } else if (token.kind == Kind::text) {
      for (const char c : without_entities(token.html)) {
        if (blank(c)) {
          if (s.words == 0 && s.elements.empty() && s.points.empty()) s.before += c;
          blanks += c;
        } else {
          if (!inside && s.words > 0) line += ' ';
          if (!inside) ++s.words;
          line += c;
          blanks.clear();
        }
        inside = !blank(c);
      }
    }
  }
  s.translated = text::has_text(line);
  if (!s.translated) {
    sentences.push_back({std::move(whole), ""});
    return;
  }
  s.after = blanks;
  s.line = lines_.size();
  aligned_ = aligned_ || !s.elements.empty() || !s.points.empty();
  lines_.push_back(std::move(line));
  sentences.push_back(std::move(s));
}

// The elements around a word, from the outermost on.
std::vector<std::size_t> HtmlText::path_of(const Sentence& sentence, std::size_t word) {
  std::vector<std::size_t> path;
  for (std::size_t i = 0; i < sentence.elements.size(); ++i)
    if (sentence.elements[i].first <= word && word < sentence.elements[i].last) path.push_back(i);
  return path;  // an element is listed before those in it
}

std::string HtmlText::translated(const Sentence& s, const Translation& t) {
  if (s.elements.empty() && s.points.empty()) return with_entities(t.text);
  const std::vector<std::string>& words = t.alignment.target_words;
  std::vector<std::size_t> source_of(words.size(), s.words);  // the word that most of it came from
  if (t.alignment.source_words.size() == s.words)
    for (const auto& [source, target] : t.alignment.links)
      if (static_cast<std::size_t>(target) < words.size())
        source_of[static_cast<std::size_t>(target)] = static_cast<std::size_t>(source);
  std::string html;
  std::vector<std::size_t> open;
  std::vector<bool> used(s.elements.size(), false);
  std::size_t point = 0;
  const auto close_to = [&](std::size_t depth) {
    for (; open.size() > depth; open.pop_back()) html += s.elements[open.back()].close;
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<std::size_t> path = path_of(s, source_of[i]);
    const auto common = static_cast<std::size_t>(
        std::mismatch(open.begin(), open.end(), path.begin(), path.end()).first - open.begin());
    close_to(common);
    if (i > 0) html += ' ';
    for (; point < s.points.size() && source_of[i] < s.words && s.points[point].before <= source_of[i]; ++point)
      html += s.points[point].html;
    for (std::size_t depth = common; depth < path.size(); ++depth) {
      html += s.elements[path[depth]].open;
      open.push_back(path[depth]);
      used[path[depth]] = true;
    }
    html += with_entities(words[i]);
  }
  close_to(0);
  for (; point < s.points.size(); ++point) html += s.points[point].html;
  for (std::size_t i = 0; i < s.elements.size(); ++i)  // no word came from them
    if (!used[i]) html += s.elements[i].open + s.elements[i].close;
  return html;
}

std::string HtmlText::joined(std::size_t text, const PendingTranslation::Lines& found, std::size_t rank) const {
  std::string html;
  for (const Sentence& s : texts_[text]) {
    html += s.before;
    if (s.translated) html += translated(s, of_rank(found[s.line], rank));
    html += s.after;
  }
  return html;
}

std::size_t HtmlText::ranks(std::size_t text, const PendingTranslation::Lines& found) const {
  std::size_t most = 0;
  for (const Sentence& s : texts_[text])
    if (s.translated) most = std::max(most, found[s.line].size());
  return most;
}

}  // namespace hexapla::serve
