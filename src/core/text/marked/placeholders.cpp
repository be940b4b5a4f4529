#include "text/marked/placeholders.h"

#include <utf8proc.h>

#include <algorithm>

#include "text/ascii.h"
#include "text/characters.h"
#include "text/lines/marks.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

// Only addresses may be longer; the limit keeps the time linear in the text's length.
constexpr std::size_t kLongest = 1024;
constexpr std::size_t kLongestName = 64;

using ascii::is_digit, ascii::is_letter;
bool alnum(char c) { return is_letter(c) || is_digit(c); }
bool one_of(char c, std::string_view all) { return all.find(c) != all.npos; }
bool control(char c) { return (c >= 0 && c < ' ') || c == 0x7F; }

utf8proc_category_t category_of(char32_t c) { return utf8proc_category(static_cast<utf8proc_int32_t>(c)); }
bool letter_of_any_script(char32_t c) {
  return category_of(c) >= UTF8PROC_CATEGORY_LU && category_of(c) <= UTF8PROC_CATEGORY_LO;
}
bool is_mark(char32_t c) { return category_of(c) >= UTF8PROC_CATEGORY_MN && category_of(c) <= UTF8PROC_CATEGORY_ME; }

// The functions below return the number of bytes that match at the start of a text; 0: no match.

std::size_t run_of(std::string_view text, bool (*belongs)(char)) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), belongs) - text.begin());
}
std::size_t digits(std::string_view text) { return run_of(text, is_digit); }

// {{ name }}, {% if x %}: up to the closing delimiter.
std::size_t double_braces(std::string_view text) {
  const std::string close{text[1] == '{' ? '}' : '%', '}'};
  const std::size_t end = text.substr(0, kLongest).find(close, 2);
  if (end == text.npos || end == 2 || std::any_of(text.begin(), text.begin() + long(end), control)) return 0;
  return std::min(text.find_first_not_of('}', end + 2), text.size());
}

bool in_braces(char c) { return alnum(c) || one_of(c, "_.:,-$@#%+*/|=!?[]()'"); }

// {}, {0}, {user.name}, {0:N2}; with spaces it is text in braces.
std::size_t braces(std::string_view text) {
  if (text.starts_with("{{") || text.starts_with("{%")) return double_braces(text);
  const std::size_t end = 1 + run_of(text.substr(1, kLongestName), in_braces);
  if (end >= text.size() || text[end] != '}') return 0;
  return end == 1 || alnum(text[1]) || one_of(text[1], "_$@#:.") ? end + 1 : 0;
}

// Whether more letters follow than in a unit such as "px": %discount.
bool goes_on(std::string_view text) { return run_of(text, is_letter) > 2 || (!text.empty() && is_digit(text[0])); }

// Python's %(name)s.
std::size_t named_percent(std::string_view text) {
  const std::size_t at =
      2 + run_of(text.substr(2, kLongestName), [](char c) { return alnum(c) || c == '_' || c == '.'; });
  if (at == 2 || at + 1 >= text.size() || text[at] != ')') return 0;
  return is_letter(text[at + 1]) && !goes_on(text.substr(at + 2)) ? at + 2 : 0;
}

// %d, %1$s, %-5.2f of printf, %@ of Objective-C, %1 of Qt, %%. A space is not accepted as a flag:
// "5 % of". After a digit it is a percentage: 100%.
std::size_t percent(std::string_view text, bool after_digit) {
  const std::size_t number = digits(text.substr(1));
  const bool positional = number > 0 && text.substr(1 + number).starts_with("$");
  if (after_digit && !positional) return 0;
  if (text.starts_with("%%")) return 2;
  if (text.starts_with("%(")) return named_percent(text);
  std::size_t at = 1 + (positional ? number + 1 : 0);
  const bool left = text.substr(at).starts_with("-");
  at += left ? 1 : 0;
  at += run_of(text.substr(at), [](char c) { return one_of(c, "+#'"); });
  const std::size_t wide = digits(text.substr(at));
  if (left && wide == 0) return 0;  // 5 %-ig
  at += wide;
  if (at < text.size() && text[at] == '.') at += 1 + digits(text.substr(at + 1));
  if (at < text.size())
    at += std::min<std::size_t>(2, run_of(text.substr(at), [](char c) { return one_of(c, "hlqjzL"); }));
  const bool conversion = at < text.size() && one_of(text[at], "diuoxXeEfFgGaAcCsSpn@");
  if (conversion && (positional || !goes_on(text.substr(at + 1)))) return at + 1;
  const bool alone = number + 1 == text.size() || !alnum(text[number + 1]);
  return !positional && (number == 1 || number == 2) && alone ? number + 1 : 0;
}

// A name and attributes with values: <b>, </b>, <x id="1"/>, <1>.
std::size_t tag(std::string_view text) {
  text = text.substr(0, kLongest);
  std::size_t at = text.starts_with("</") ? 2 : 1;
  const auto blanks = [&] { return run_of(text.substr(at), [](char c) { return c == ' '; }); };
  const auto name = [&] { return run_of(text.substr(at), [](char c) { return alnum(c) || one_of(c, "_:.-"); }); };
  if (at >= text.size() || !alnum(text[at])) return 0;
  if (is_digit(text[at]) && digits(text.substr(at)) != name()) return 0;  // <3
  at += name();
  for (std::size_t gap = blanks(); gap > 0 && at + gap < text.size() && is_letter(text[at + gap]); gap = blanks()) {
    at += gap;
    at += name();
    if (at + 1 >= text.size() || text[at] != '=') return 0;
    const char quote = text[++at];
    const bool quoted = quote == '"' || quote == '\'';
    const std::size_t end = quoted ? text.find(quote, at + 1) : text.find_first_of(" >", at);
    if (end == text.npos) return 0;
    at = quoted ? end + 1 : end;
  }
  at += blanks();
  if (at < text.size() && text[at] == '/') ++at;
  return at < text.size() && text[at] == '>' ? at + 1 : 0;
}

// `code`, ``co`de``. A backtick may also be an apostrophe: then the text between begins or ends
// with a space.
std::size_t code(std::string_view text) {
  text = text.substr(0, kLongest);
  const std::size_t ticks = std::min(text.find_first_not_of('`'), text.size());
  for (std::size_t at = ticks; at < text.size();) {
    const std::size_t close = text.find('`', at);
    if (close == text.npos) return 0;
    at = std::min(text.find_first_not_of('`', close), text.size());
    if (at - close != ticks) continue;
    const std::string_view inside = text.substr(ticks, close - ticks);
    const bool blank = ticks == 1 && (inside.front() == ' ' || inside.back() == ' ');
    return blank || std::any_of(inside.begin(), inside.end(), control) ? 0 : at;
  }
  return 0;
}

// The ASCII and Latin letters and other characters of an address.
std::size_t address_characters(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto [c, bytes] = code_point_at(text, at);
    const bool latin = c >= 0xC0 && c < 0x250;
    if (!latin && (c <= ' ' || c >= 0x7F || one_of(static_cast<char>(c), "<>\"`{}|\\^"))) break;
    at += bytes;
  }
  return at;
}

// Drops trailing punctuation of the sentence, and closing brackets that the address does not open.
std::size_t without_marks_after(std::string_view address) {
  auto opened = std::count_if(address.begin(), address.end(), [](char c) { return one_of(c, "(["); });
  opened -= std::count_if(address.begin(), address.end(), [](char c) { return one_of(c, ")]"); });
  while (!address.empty() && one_of(address.back(), ".,;:!?'*_~)]")) {
    const bool closes = one_of(address.back(), ")]");
    if (closes && opened >= 0) break;
    opened += closes ? 1 : 0;
    address.remove_suffix(1);
  }
  return address.size();
}

std::size_t address(std::string_view text) { return without_marks_after(text.substr(0, address_characters(text))); }

// a.b.org: labels, the last one made of letters. -> its length, and where the last label begins
struct Domain {
  std::size_t bytes = 0, last = 0;
};
Domain domain(std::string_view text) {
  Domain d;
  for (std::size_t at = 0, labels = 0; at < text.size(); ++labels) {
    const std::size_t label = run_of(text.substr(at), [](char c) { return alnum(c) || c == '-' || c == '_'; });
    if (label == 0 || !alnum(text[at]) || !alnum(text[at + label - 1])) break;
    if (labels > 0 && label >= 2 && run_of(text.substr(at), is_letter) == label) d = {at + label, at};
    at += label;
    if (at >= text.size() || text[at] != '.') break;
    ++at;
  }
  return d;
}

bool known_ending(std::string_view label) {
  constexpr std::string_view all[] = {"com", "org", "net", "edu", "gov", "info", "io", "dev", "app"};
  return std::find(std::begin(all), std::end(all), label) != std::end(all);
}

// Matches an address that begins with a word of ASCII characters.
std::size_t address_at_word(std::string_view text, std::string_view word) {
  const std::string_view rest = text.substr(word.size());
  if (rest.starts_with("://") && rest.size() > 3 && word.size() >= 2 && run_of(word, is_letter) == word.size()) {
    const std::size_t all = address(text);
    return all > word.size() + 3 ? all : 0;
  }
  if (word == "mailto" && rest.size() > 1 && rest[0] == ':' && alnum(rest[1])) return address(text);
  if (rest.starts_with("@")) {
    const std::size_t host = domain(rest.substr(1)).bytes;
    return host > 0 ? word.size() + 1 + host : 0;
  }
  const Domain d = domain(text);
  const std::string_view host = text.substr(0, d.bytes), after = text.substr(d.bytes);
  if (d.bytes == 0 || (!host.starts_with("www.") && !known_ending(host.substr(d.last)))) return 0;
  const bool path = !after.empty() && one_of(after[0], "/:?#");
  return path ? address(text) : !after.empty() && after[0] == '@' ? 0 : d.bytes;
}

// The letters of a name after @ or #. A name in a script with case, such as ASCII, ends where
// letters of another script begin.
std::size_t name(std::string_view text, bool any_script) {
  std::size_t at = 0;
  bool capitals = false;
  while (at < text.size()) {
    const auto [c, bytes] = code_point_at(text, at);
    const bool joins = joins_words(c);
    if (at == 0) {
      if (c != '_' && !letter_of_any_script(c)) return 0;
      capitals = joins;
      if (!capitals && !any_script) return 0;
    }
    if (capitals ? !joins : !joins && !letter_of_any_script(c) && !is_mark(c)) break;
    at += bytes;
  }
  return at;
}

// @name, @user@host.org, @a/b and @a.b, without a full stop at the end.
std::size_t at_name(std::string_view text) {
  std::size_t at = 1 + name(text.substr(1), false);
  if (at == 1) return 0;
  while (at + 1 < text.size() && one_of(text[at], "./-") && alnum(text[at + 1]))
    at += 1 + run_of(text.substr(at + 1), [](char c) { return alnum(c) || c == '_'; });
  if (at < text.size() && text[at] == '@')
    at += domain(text.substr(at + 1)).bytes > 0 ? 1 + domain(text.substr(at + 1)).bytes : 0;
  return at;
}
std::size_t hash_name(std::string_view text) {
  const std::size_t letters = name(text.substr(1), true);
  return letters > 0 ? 1 + letters : 0;
}

constexpr std::string_view kAsEmoji = "\uFE0F", kKeycap = "\u20E3";

bool is_emoji(char32_t c) {
  return (c >= 0x1F000 && c < 0x1FB00) || (c >= 0x2600 && c < 0x27C0) || (c >= 0x23E9 && c < 0x23FB) || c == 0x231A ||
         c == 0x231B || c == 0x2B50 || c == 0x2B55 || c == 0x2B1B || c == 0x2B1C;
}
// Modifiers for skin, hair and flags, and emoji joined to this one.
bool joins_emoji(char32_t c) {
  return c == 0xFE0F || c == 0xFE0E || c == 0x20E3 || (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F);
}
std::size_t emoji(std::string_view text) {
  const auto [first, bytes] = code_point_at(text, 0);
  std::string_view rest = text.substr(bytes);
  if (first < 0x80) {  // 1 in a box
    if (rest.starts_with(kAsEmoji)) rest.remove_prefix(kAsEmoji.size());
    return rest.starts_with(kKeycap) ? text.size() - rest.size() + kKeycap.size() : 0;
  }
  if (!is_emoji(first) && !rest.starts_with(kAsEmoji)) return 0;
  std::size_t at = bytes;
  while (at < text.size()) {
    auto [c, more] = code_point_at(text, at);
    if (c == 0x200D && at + more < text.size()) more += code_point_at(text, at + more).second;
    if (!joins_emoji(c) && c != 0x200D && !is_emoji(c)) break;
    at += more;
  }
  return at;
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::vector<TokenSpan> all() {
    std::vector<TokenSpan> found;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t bytes = span_at(at);
      if (bytes > 0) found.push_back({at, at + bytes}), end_ = at + bytes;
      at += bytes > 0 ? bytes : character_bytes(text_.substr(at));
    }
    return found;
  }

 private:
  std::size_t span_at(std::size_t at) {
    const std::string_view rest = text_.substr(at);
    const char c = rest[0];
    if (static_cast<unsigned char>(c) >= 0x80) return emoji(rest);
    if (alnum(c)) return word(at);
    switch (c) {
      case '{':
        return braces(rest);
      case '<':
        return tag(rest);
      case '`':
        return after_word(at) ? 0 : code(rest);
      case '$':
      case '%':
      case '#':
      case '@':
        return with_sign(at);
      default:
        return c == '*' ? emoji(rest) : 0;
    }
  }

  // ${x}, %{x}, #{x}, and other placeholders that begin with such a sign.
  std::size_t with_sign(std::size_t at) const {
    const std::string_view rest = text_.substr(at);
    const bool inside = after_word(at);
    if (rest.size() > 1 && rest[1] == '{' && (rest[0] == '$' || !inside))
      if (const std::size_t bytes = braces(rest.substr(1)); bytes > 0) return bytes + 1;
    if (rest[0] == '%') return percent(rest, at > end_ && is_digit(text_[at - 1]));
    if (inside || rest[0] == '$') return 0;
    if (rest[0] == '@') return at_name(rest);
    const std::size_t boxed = emoji(rest);
    return boxed > 0 || (at > 0 && one_of(text_[at - 1], "#&/")) ? boxed : hash_name(rest);
  }

  // An address begins at the start of a word.
  std::size_t word(std::size_t at) {
    if (is_digit(text_[at]))
      if (const std::size_t boxed = emoji(text_.substr(at)); boxed > 0) return boxed;
    if (at < looked_at_) return 0;
    const std::string_view rest = text_.substr(at);
    const std::size_t bytes = run_of(rest, [](char c) { return alnum(c) || one_of(c, "._%+-"); });
    looked_at_ = at + bytes;
    const std::string_view local = rest.substr(0, bytes);
    if (const std::size_t found = after_word(at) ? 0 : address_at_word(rest, local); found > 0) return found;
    const std::size_t begin = local.find_last_of("._%+-") + 1;  // "see.http://..": only the scheme
    const bool scheme = begin > 0 && rest.substr(bytes).starts_with("://");
    looked_at_ -= scheme ? bytes - begin : 0;
    return 0;
  }

  bool after_word(std::size_t at) const {
    if (at == end_) return false;  // at the beginning, too
    std::size_t before = at - 1;
    while (before > 0 && (text_[before] & 0xC0) == 0x80 && at - before < 4) --before;
    return joins_words(code_point_at(text_, before).first);
  }

  std::string_view text_;
  std::size_t looked_at_ = 0;  // no address begins before this byte
  std::size_t end_ = 0;        // of the last match
};

}  // namespace

bool joins_words(char32_t c) {
  const utf8proc_category_t kind = category_of(c);
  return c == '_' || kind == UTF8PROC_CATEGORY_ND || (kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LT);
}

std::vector<TokenSpan> placeholders(std::string_view text) { return Scanner(text).all(); }

}  // namespace hexapla::text
