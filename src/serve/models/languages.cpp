#include "serve/models/languages.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hexapla::serve {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 106> names{{
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

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> other_names{{{"zh", "zh-Hans"},
                                                                                    {"zt", "zh-Hant"},
                                                                                    {"pb", "pt-BR"},
                                                                                    {"zh-CN", "zh-Hans"},
                                                                                    {"zh-TW", "zh-Hant"},
                                                                                    {"iw", "he"},
                                                                                    {"nb-NO", "nb"}}};

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }
char upper(char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); }

auto entry(const std::string& code) {
  return std::find_if(names.begin(), names.end(), [&](const auto& name) { return name.first == code; });
}

}  // namespace

std::string language_code(std::string_view name) {
  const size_t hyphen = std::min(name.find_first_of("-_"), name.size());
  const std::string_view language = name.substr(0, hyphen), more = name.substr(std::min(hyphen + 1, name.size()));
  const bool sound =
      std::all_of(language.begin(), language.end(), letter) && std::all_of(more.begin(), more.end(), letter);
  if (!sound || language.size() < 2 || language.size() > 3 ||
      (hyphen < name.size() && more.size() != 2 && more.size() != 4))
    return "";
  std::string code(language);
  std::transform(code.begin(), code.end(), code.begin(), lower);
  if (!more.empty()) {
    code += '-';
    for (size_t i = 0; i < more.size(); ++i) code += i == 0 || more.size() == 2 ? upper(more[i]) : lower(more[i]);
  }
  for (const auto& [other, same] : other_names)
    if (code == other) return std::string(same);
  return code;
}

std::string language_name(const std::string& code) {
  if (code == undetermined) return "Undetermined";
  const auto found = entry(code);
  return found == names.end() ? code : std::string(found->second);
}

std::string code_in_capitals(std::string code) {
  std::transform(code.begin(), code.end(), code.begin(),
                 [](char c) { return static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c); });
  return code;
}

bool known_language(const std::string& code) { return entry(code) != names.end(); }

}  // namespace hexapla::serve
