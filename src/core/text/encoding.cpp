#include "text/encoding.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "text/characters.h"
#include "text/utf8.h"

namespace hexapla::text {
namespace {

using namespace std::string_view_literals;
using EncodingKind = Encoding::Kind;

constexpr size_t kLinesNamed = 5;

unsigned byte_at(std::string_view bytes, size_t at) {
  return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0;
}
bool has(std::string_view some, unsigned byte) { return some.find(static_cast<char>(byte)) != some.npos; }
bool lower(unsigned c) { return c >= 'a' && c <= 'z'; }
bool letter(unsigned c) { return lower(c) || (c >= 'A' && c <= 'Z'); }

struct Units {
  size_t width;  // bytes
  bool little;
  const char* name;
};
constexpr Units kUnits[] = {
    {4, true, "UTF-32LE"}, {4, false, "UTF-32BE"}, {2, true, "UTF-16LE"}, {2, false, "UTF-16BE"}};

// The fraction of units that are text characters; a surrogate pair counts as one.
double share_of_text(std::string_view bytes, const Units& u) {
  const size_t n = bytes.size() / u.width;
  size_t good = 0;
  for (size_t i = 0; i < n; ++i) {
    uint32_t code = 0;
    for (size_t k = 0; k < u.width; ++k)
      code = code << 8 | byte_at(bytes, i * u.width + (u.little ? u.width - 1 - k : k));
    const bool space = code == '\n' || code == '\r' || code == '\t';
    const auto kind = code <= 0x10FFFF ? utf8proc_category(static_cast<utf8proc_int32_t>(code)) : UTF8PROC_CATEGORY_CN;
    const bool none = kind == UTF8PROC_CATEGORY_CN || kind == UTF8PROC_CATEGORY_CC || kind == UTF8PROC_CATEGORY_CO;
    good += space || !none;
  }
  return n == 0 ? 0 : static_cast<double>(good) / static_cast<double>(n);
}

// For text with zeros: UTF-16 or UTF-32 without a mark, in the byte order that yields characters;
// otherwise "".
std::string wide_encoding(std::string_view bytes) {
  const Units* best = nullptr;
  double most = 0.9;
  for (const Units& u : kUnits)
    if (const double share = share_of_text(bytes, u); share > most && bytes.size() >= u.width) most = share, best = &u;
  return best ? best->name : "";
}

std::string marked_encoding(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  return bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv) ? "UTF-16" : "";
}

// Two-byte units have many: the first byte of a Cyrillic letter is 4, of a Devanagari letter 9.
size_t controls_in(std::string_view bytes) {
  return static_cast<size_t>(
      std::count_if(bytes.begin(), bytes.end(), [](char c) { return c > 0 && c < ' ' && c != '\n' && c != '\r'; }));
}

struct Utf8Counts {
  int64_t sequences = 0, bad_bytes = 0;   // multi-byte sequences; bytes outside any
  int64_t good_lines = 0, bad_lines = 0;  // among those with more than ASCII
  std::vector<int64_t> first_lines;

  explicit Utf8Counts(std::string_view bytes) {
    for (int64_t line = 1; !bytes.empty(); ++line) {
      const size_t end = std::min(bytes.find('\n'), bytes.size());
      add(bytes.substr(0, end), line);
      bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
  }

 private:
  void add(std::string_view line, int64_t number) {
    const int64_t sequences_before = sequences, bad_before = bad_bytes;
    for (size_t at = 0; at < line.size();) {
      if (byte_at(line, at) < 0x80) {
        ++at;
        continue;
      }
      const size_t size = code_point_at(line, at).second;
      size > 1 ? ++sequences : ++bad_bytes;
      at += size;
    }
    if (bad_bytes > bad_before) {
      ++bad_lines;
      if (first_lines.size() < kLinesNamed) first_lines.push_back(number);
    } else {
      good_lines += sequences > sequences_before;
    }
  }
};

// Runs of three or more non-ASCII bytes: words in another script, which no Western language has.
bool other_script(std::string_view bytes) {
  size_t high = 0, in_runs = 0, run = 0;
  for (size_t at = 0; at <= bytes.size(); ++at) {
    if (byte_at(bytes, at) >= 0x80) {
      ++run;
      continue;
    }
    high += run;
    in_runs += run >= 3 ? run : 0;
    run = 0;
  }
  return 2 * in_runs > high;
}

// Bytes without a Windows-1252 character, or with an implausible one: a currency sign inside a
// word, a capital letter between small ones.
bool out_of_place(std::string_view bytes, size_t at) {
  const unsigned c = byte_at(bytes, at), before = at > 0 ? byte_at(bytes, at - 1) : 0, after = byte_at(bytes, at + 1);
  if (has("\x81\x8D\x8F\x90\x9D"sv, c)) return true;
  if (lower(before) && has("\x8A\x8C\x8E"sv, c)) return true;
  if (!letter(before) || !letter(after)) return false;
  if (has("\x80\x82\x83\x84\x86\x87\x88\x89\x8B\x95\x98\x99\x9B\xD7\xF7"sv, c)) return true;
  if (c > 0xA0 && c < 0xC0) return !has("\xAA\xAD\xB4\xB7\xBA"sv, c);
  return c >= 0xC0 && c < 0xDF && lower(before) && lower(after);
}

bool western(std::string_view bytes) {
  int64_t high = 0, wrong = 0;
  for (size_t at = 0; at < bytes.size(); ++at) {
    if (byte_at(bytes, at) < 0x80) continue;
    ++high;
    wrong += out_of_place(bytes, at);
  }
  return 10 * wrong < high;
}

Encoding of_single_bytes(std::string_view bytes) {
  if (other_script(bytes)) return {.kind = EncodingKind::non_latin};
  if (!western(bytes)) return {.kind = EncodingKind::other};
  // in Latin-1 these would be control characters, which texts do not have
  const bool windows = std::any_of(bytes.begin(), bytes.end(), [](char c) { return (c & 0xE0) == 0x80; });
  return {.kind = EncodingKind::known, .name = windows ? "WINDOWS-1252" : "ISO-8859-1"};
}

// " (lines 3, 9)"; "" if only one line is known.
std::string lines_text(const Encoding& e) {
  std::string all;
  for (const int64_t line : e.first_lines) all += cat(all.empty() ? "" : ", ", line);
  if (all.empty()) return "";
  const bool more = e.bad_lines > std::ssize(e.first_lines);
  return cat(e.bad_lines == 1 ? " (line " : " (lines ", all, more ? ", ...)" : ")");
}

}  // namespace

Encoding encoding_of(std::string_view bytes) {
  if (const std::string name = marked_encoding(bytes); !name.empty())
    return {.kind = EncodingKind::known, .name = name};
  const auto zeros = static_cast<size_t>(std::count(bytes.begin(), bytes.end(), '\0'));
  const bool valid = !invalid_utf8(bytes);
  if (zeros > 0 && valid && 5 * zeros < bytes.size() && 10 * controls_in(bytes) < bytes.size())
    return {.kind = EncodingKind::nul};
  if (zeros > 0) {
    const std::string name = wide_encoding(bytes);
    return {.kind = name.empty() ? EncodingKind::other : EncodingKind::known, .name = name};
  }
  if (valid) return {};
  const Utf8Counts counts(bytes);
  // In other encodings some character pairs look like UTF-8, but hardly ever a whole line.
  if (10 * counts.good_lines > counts.bad_lines || counts.sequences >= 2 * counts.bad_bytes)
    return {.kind = EncodingKind::damaged,
            .bad_lines = counts.bad_lines,
            .first_lines = bytes.find('\n') == bytes.npos ? std::vector<int64_t>() : counts.first_lines};
  return of_single_bytes(bytes);
}

std::string advice(const Encoding& encoding, const std::string& before, const std::string& after) {
  switch (encoding.kind) {
    case EncodingKind::utf8:
      return "it is UTF-8";
    case EncodingKind::damaged:
      return cat("the rest is UTF-8, so do not convert it: repair or remove what is damaged", lines_text(encoding));
    case EncodingKind::nul:
      return "the rest is UTF-8: remove the byte";
    case EncodingKind::known:
      return cat("it looks like ", encoding.name, ": convert it with: ", before, "iconv -f ", encoding.name,
                 " -t UTF-8", after);
    case EncodingKind::other:
    case EncodingKind::non_latin:
      break;
  }
  const bool latin = encoding.kind == EncodingKind::other;
  return cat("it is in another encoding, perhaps ",
             latin ? "ISO-8859-2, WINDOWS-1250, MACINTOSH or IBM850"
                   : "GB18030, BIG5, SHIFT_JIS, EUC-KR, WINDOWS-1251 or KOI8-R",
             ": give its name to iconv: ", before, "iconv -f NAME -t UTF-8", after);
}

}  // namespace hexapla::text
