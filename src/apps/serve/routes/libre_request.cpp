#include "serve/routes/libre_request.h"

#include <algorithm>

#include "base/error.h"
#include "serve/languages/languages.h"
#include "text/utf8.h"

namespace hexapla::serve::libre {
namespace {

// Forms only: their line ends come from the browser, those of JSON from the client.
std::string with_plain_line_ends(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool paired = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!paired) plain += text[i] == '\r' ? '\n' : text[i];
  }
  if (plain.ends_with('\n')) plain.pop_back();
  return plain;
}

}  // namespace

void refuse(const std::string& why) { throw HttpError(400, why); }

std::string required(const Parameters& parameters, const std::string& name) {
  const std::string value = parameters.text_or(name, "");
  if (value.empty()) refuse("Invalid request: missing " + name + " parameter");
  return value;
}

Texts Texts::of(const Parameters& p) {
  const Json& q = p["q"];
  Texts texts;
  texts.list = q.is_array();
  const bool missing = q.is_null() || ((q.is_string() || texts.list) && q.empty()) ||
                       (q.is_string() && q.get_ref<const std::string&>().empty());
  if (missing) refuse("Invalid request: missing q parameter");
  const auto add = [&](const Json& text) {
    if (!text.is_string()) refuse("Invalid request: q parameter is not a string, or a list of strings");
    texts.all.push_back(p.is_json() ? text.get<std::string>() : with_plain_line_ends(text));
  };
  if (texts.list)
    for (const Json& text : q) add(text);
  else
    add(q);
  return texts;
}

void Texts::check(std::int64_t most_texts, std::int64_t most_characters) const {
  const auto check_size = [](std::size_t size, std::int64_t most) {
    if (most >= 0 && static_cast<std::int64_t>(size) > most)
      refuse(cat("Invalid request: request (", size, ") exceeds text limit (", most, ")"));
  };
  if (list) check_size(all.size(), most_texts);
  for (const std::string& text : all) check_size(characters_in(text), most_characters);
}

bool Texts::translatable() const {
  return std::any_of(all.begin(), all.end(), [](const auto& t) { return text::has_text(t); });
}

std::string Texts::together() const { return serve::together(all); }

Languages languages_of(const Parameters& p, const ModelSet& models, const Texts& texts) {
  const std::string source = required(p, "source"), target = required(p, "target");
  const std::vector<std::string> codes = all_languages(models);
  const bool any = std::find(codes.begin(), codes.end(), kUndetermined) != codes.end();
  Languages l{language_among(codes, source), language_among(codes, target)};
  if (source == "auto") {
    l.detected = texts.translatable() ? detect_source(texts.together(), models, l.target)
                                      : std::vector<DetectedLanguage>{{"en", 0}};
    l.source = texts.translatable() || any ? l.detected.front().code : models.sources().front();
  }
  if (l.source.empty() && any) l.source = language_code(source);
  if (l.target.empty() && any) l.target = language_code(target);
  if (l.source.empty()) refuse(source + " is not supported");
  if (l.target.empty()) refuse(target + " is not supported");
  return l;
}

Hops hops_of(const ModelSet& models, const Languages& l) {
  if (l.same()) return {};
  Hops hops = models.find(l.source, l.target);
  if (hops.empty())
    refuse(cat(language_name(l.target), " (", l.target, ") is not available as a target language from ",
               language_name(l.source), " (", l.source, ")"));
  return hops;
}

}  // namespace hexapla::serve::libre
