#include "serve/languages/languages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hexapla::serve {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 106> kNames{{
    {"af", "Afrikaans"},
    {"am", "Amharic"},
    {"ar", "Arabic"},
    {"az", "Azerbaijani"},
    {"be", "Belarusian"},
    {"bg", "Bulgarian"},
    {"bn", "Bengali"},
    {"br", "Breton"},
    {"bs", "Bosnian"},
    {"ca", "Catalan"},
    {"ceb", "Cebuano"},
    {"co", "Corsican"},
    {"cs", "Czech"},
    {"cy", "Welsh"},
    {"da", "Danish"},
    {"de", "German"},
    {"el", "Greek"},
    {"en", "English"},
    {"eo", "Esperanto"},
    {"es", "Spanish"},
    {"et", "Estonian"},
    {"eu", "Basque"},
    {"fa", "Persian"},
    {"fi", "Finnish"},
    {"fo", "Faroese"},
    {"fr", "French"},
    {"fy", "Frisian"},
    {"ga", "Irish"},
    {"gd", "Gaelic"},
    {"gl", "Galician"},
    {"gu", "Gujarati"},
    {"ha", "Hausa"},
    {"haw", "Hawaiian"},
    {"he", "Hebrew"},
    {"hi", "Hindi"},
    {"hmn", "Hmong"},
    {"hr", "Croatian"},
    {"ht", "Haitian Creole"},
    {"hu", "Hungarian"},
    {"hy", "Armenian"},
    {"id", "Indonesian"},
    {"ig", "Igbo"},
    {"is", "Icelandic"},
    {"it", "Italian"},
    {"ja", "Japanese"},
    {"jv", "Javanese"},
    {"ka", "Georgian"},
    {"kk", "Kazakh"},
    {"km", "Khmer"},
    {"kn", "Kannada"},
    {"ko", "Korean"},
    {"ku", "Kurdish"},
    {"ky", "Kyrgyz"},
    {"la", "Latin"},
    {"lb", "Luxembourgish"},
    {"lo", "Lao"},
    {"lt", "Lithuanian"},
    {"lv", "Latvian"},
    {"mg", "Malagasy"},
    {"mi", "Maori"},
    {"mk", "Macedonian"},
    {"ml", "Malayalam"},
    {"mn", "Mongolian"},
    {"mr", "Marathi"},
    {"ms", "Malay"},
    {"mt", "Maltese"},
    {"my", "Burmese"},
    {"nb", "Norwegian"},
    {"ne", "Nepali"},
    {"nl", "Dutch"},
    {"nn", "Nynorsk"},
    {"no", "Norwegian"},
    {"ny", "Chichewa"},
    {"oc", "Occitan"},
    {"or", "Odia"},
    {"pa", "Punjabi"},
    {"pl", "Polish"},
    {"ps", "Pashto"},
    {"pt", "Portuguese"},
    {"pt-BR", "Portuguese (Brazil)"},
    {"ro", "Romanian"},
    {"ru", "Russian"},
    {"si", "Sinhala"},
    {"sk", "Slovak"},
    {"sl", "Slovenian"},
    {"so", "Somali"},
    {"sq", "Albanian"},
    {"sr", "Serbian"},
    {"sv", "Swedish"},
    {"sw", "Swahili"},
    {"ta", "Tamil"},
    {"te", "Telugu"},
    {"tg", "Tajik"},
    {"th", "Thai"},
    {"tl", "Tagalog"},
    {"tr", "Turkish"},
    {"tt", "Tatar"},
    {"uk", "Ukrainian"},
    {"ur", "Urdu"},
    {"uz", "Uzbek"},
    {"vi", "Vietnamese"},
    {"xh", "Xhosa"},
    {"yo", "Yoruba"},
    {"zh-Hans", "Chinese"},
    {"zh-Hant", "Chinese (traditional)"},
    {"zu", "Zulu"},
}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kOtherNames{{{"zh", "zh-Hans"},
                                                                                     {"zt", "zh-Hant"},
                                                                                     {"pb", "pt-BR"},
                                                                                     {"zh-CN", "zh-Hans"},
                                                                                     {"zh-TW", "zh-Hant"},
                                                                                     {"zh-SG", "zh-Hans"},
                                                                                     {"zh-HK", "zh-Hant"},
                                                                                     {"zh-MO", "zh-Hant"},
                                                                                     {"iw", "he"},
                                                                                     {"nb-NO", "nb"}}};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
char upper(char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

bool digit(char c) { return c >= '0' && c <= '9'; }
bool region(std::string_view text) {
  return (text.size() == 2 && std::all_of(text.begin(), text.end(), letter)) ||
         (text.size() == 3 && std::all_of(text.begin(), text.end(), digit));
}

auto entry(const std::string& code) {
  return std::find_if(kNames.begin(), kNames.end(), [&](const auto& name) { return name.first == code; });
}

}  // namespace

std::string language_code(std::string_view name) {
  const size_t hyphen = std::min(name.find_first_of("-_"), name.size());
  const std::string_view language = name.substr(0, hyphen);
  std::string_view more = name.substr(std::min(hyphen + 1, name.size()));
  if (more.size() > 5 && (more[4] == '-' || more[4] == '_') && region(more.substr(5))) more = more.substr(0, 4);
  const bool script = more.size() == 4 && std::all_of(more.begin(), more.end(), letter);
  if (!std::all_of(language.begin(), language.end(), letter) || language.size() < 2 || language.size() > 3 ||
      (hyphen < name.size() && !script && !region(more)))
    return "";
  std::string code(language);
  std::transform(code.begin(), code.end(), code.begin(), lower);
  if (!more.empty()) {
    code += '-';
    for (size_t i = 0; i < more.size(); ++i) code += i == 0 || !script ? upper(more[i]) : lower(more[i]);
  }
  for (const auto& [other, same] : kOtherNames)
    if (code == other) return std::string(same);
  return code;
}

std::string language_part(const std::string& code) { return code.substr(0, code.find('-')); }

std::string language_among(const std::vector<std::string>& codes, const std::string& word) {
  const std::string code = language_code(word), language = language_part(code);
  const auto has = [&](const std::string& one) { return std::find(codes.begin(), codes.end(), one) != codes.end(); };
  if (code.empty() || has(code)) return code;
  const bool script = code.size() == language.size() + 5;
  if (!script && has(language)) return language;
  const auto alike = [&](const std::string& one) { return language_part(one) == code; };
  if (std::count_if(codes.begin(), codes.end(), alike) != 1) return "";
  return *std::find_if(codes.begin(), codes.end(), alike);
}

std::string variant_among(const std::vector<std::string>& codes, const std::string& code) {
  if (std::find(codes.begin(), codes.end(), code) != codes.end()) return code;
  const auto macro = [](const std::string& one) {  // "Norwegian" usually means Bokmål
    const std::string language = language_part(one);
    return language == "nb" ? "no" : language;
  };
  const auto found =
      std::find_if(codes.begin(), codes.end(), [&](const std::string& one) { return macro(one) == macro(code); });
  return code.empty() || found == codes.end() ? "" : *found;
}

std::string language_name(const std::string& code) {
  if (code == kUndetermined) return "Undetermined";
  const auto found = entry(code);
  return found == kNames.end() ? code : std::string(found->second);
}

std::string code_in_capitals(std::string code) {
  std::transform(code.begin(), code.end(), code.begin(),
                 [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  return code;
}

bool known_language(const std::string& code) { return entry(code) != kNames.end(); }

}  // namespace hexapla::serve
