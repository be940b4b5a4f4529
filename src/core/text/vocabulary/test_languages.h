#pragma once
// Artificial parallel text whose target has characters that normalization changes: full-width
// characters, no-break spaces, zero-width spaces. Each English line has one translation.
#include <string>
#include <vector>

#include "base/compute/random.h"

namespace hexapla::text {

struct MadeUpText {
  std::string language;
  std::vector<std::string> source, target;
  std::vector<std::string> marks;  // all occur in the target
};

struct MadeUpLanguage {
  std::string name, blank;  // between words
  std::vector<std::string> names, verbs, things;
  // Around a sentence of three words: "{}" is the sentence, "{0}" its first word.
  std::vector<std::string> frames;
  std::vector<std::string> marks;
};

inline const std::vector<MadeUpLanguage>& made_up_languages() {
  static const std::vector<MadeUpLanguage> all{
      {"zh",
       "",
       {"小明", "老师", "医生", "妈妈", "学生"},
       {"看见", "喜欢", "买了", "找到"},
       {"苹果", "书", "水", "猫", "火车"},
       {"{}。", "{}！", "{}？", "{0}说：「{}。」", "{0}，{}；{}。", "（{}）……{0}"},
       {"，", "。", "！", "？", "：", "；", "（", "）", "「", "」", "…"}},
      {"ja",
       "",
       {"太郎は", "先生は", "医者は", "母は", "学生は"},
       {"見たのは", "好きなのは", "買ったのは", "見つけたのは"},
       {"リンゴ", "本", "水", "猫", "コーヒー"},
       {"{}。", "{}！", "{}？", "「{}。」\u3000{0}", "{0}、{}。", "{0}・ー\u3000{}。"},
       {"「", "」", "、", "。", "・", "ー", "！", "？", "\u3000"}},
      {"th",
       "\u200B",
       {"เขา", "ครู", "หมอ", "แม่", "นักเรียน"},
       {"เห็น", "ชอบ", "ซื้อ", "พบ"},
       {"แอปเปิล", "หนังสือ", "น้ำ", "แมว", "รถไฟ"},
       {"{}", "{}!", "{}?", "{0}\u200Bพูด “{}”", "{0} {}", "({}) {0}"},
       {"\u200B", "“", "”"}},
      {"fr",
       " ",
       {"Luc", "Anne", "Le\u00A0médecin", "Marie", "L’élève"},
       {"voit", "aime", "achète", "trouve"},
       {"une pomme", "un livre", "de l’eau", "10\u00A0000 chats", "le train"},
       {"{}.", "{}\u202F!", "{}\u202F?", "{0} dit\u00A0: «\u00A0{}.\u00A0»", "{0}, {}\u202F; {}.", "({})… {0}"},
       {"\u00A0", "\u202F", "«", "»", "…", "’"}}};
  return all;
}

inline std::string in_frame(std::string frame, const std::string& first, const std::string& sentence) {
  const auto fill = [&](const std::string& hole, const std::string& with) {
    for (size_t at = 0; (at = frame.find(hole, at)) != std::string::npos; at += with.size())
      frame.replace(at, hole.size(), with);
  };
  fill("{0}", first);
  fill("{}", sentence);
  return frame;
}

inline MadeUpText made_up_text(const MadeUpLanguage& language, int pairs, uint64_t seed = 1) {
  static const MadeUpLanguage english{"en",
                                      " ",
                                      {"Tom", "the teacher", "the doctor", "mother", "the pupil"},
                                      {"sees", "likes", "buys", "finds"},
                                      {"an apple", "a book", "water", "a cat", "the train"},
                                      {"{}.", "{}!", "{}?", "{0} says: \"{}.\"", "{0}, {}; {}.", "({}) ... {0}"},
                                      {}};
  MadeUpText text{language.name, {}, {}, language.marks};
  Random random(seed);
  for (int i = 0; i < pairs; ++i) {
    const uint32_t who = random.below(5), does = random.below(4), what = random.below(5), how = random.below(6);
    const auto write = [&](const MadeUpLanguage& in) {
      const std::string sentence = in.names[who] + in.blank + in.verbs[does] + in.blank + in.things[what];
      return in_frame(in.frames[how], in.names[who], sentence);
    };
    text.source.push_back(write(english));
    text.target.push_back(write(language));
  }
  return text;
}

}  // namespace hexapla::text
