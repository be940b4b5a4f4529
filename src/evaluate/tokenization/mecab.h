#pragma once
// Japanese and Korean morphemes by MeCab (Kudo, Yamamoto, Matsumoto 2004), as sacreBLEU's ja-mecab and ko-mecab have
// them. The library and its dictionary are no part of this program: they are looked for on the machine when a tokenizer
// is first asked for.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

// MeCab with one dictionary. May be used by several threads, one at a time works.
class Mecab {
 public:
  // sacreBLEU takes these two and no other: the IPA dictionary for Japanese; mecab-ko, which is a MeCab of its own, and
  // mecab-ko-dic for Korean.
  static const Mecab& japanese();
  static const Mecab& korean();

  // "" where everything is there; otherwise what is missing, and how to get it.
  const std::string& missing() const { return missing_; }
  // "ja-mecab-0.996-IPA", as sacreBLEU's signature has it. InternalError where something is missing.
  const std::string& signature() const;
  // UsageError where something is missing.
  std::vector<std::string> morphemes(std::string_view line) const;

 private:
  struct Kind;
  struct Loaded;
  explicit Mecab(const Kind& kind);
  std::string missing_, signature_;
  std::shared_ptr<Loaded> loaded_;
};

}  // namespace hexapla::evaluate
