#pragma once
// Japanese and Korean morphemes by MeCab (Kudo, Yamamoto, Matsumoto 2004), as in sacreBLEU's
// ja-mecab and ko-mecab. The library and its dictionary are not part of this program; they are
// located when a tokenizer is first used.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::evaluate {

// MeCab with one dictionary. Thread-safe; calls are serialized.
class Mecab {
 public:
  // The same as sacreBLEU: the IPA dictionary for Japanese; mecab-ko, a fork of MeCab, and
  // mecab-ko-dic for Korean.
  static const Mecab& japanese();
  static const Mecab& korean();

  // "" if everything is available; otherwise what is missing, and how to get it.
  const std::string& missing() const { return missing_; }
  // "ja-mecab-0.996-IPA", as in sacreBLEU's signature. InternalError if something is missing.
  const std::string& signature() const;
  // UsageError if something is missing.
  std::vector<std::string> morphemes(std::string_view line) const;

 private:
  struct Kind;
  struct Loaded;
  explicit Mecab(const Kind& kind);
  std::string missing_, signature_;
  std::shared_ptr<Loaded> loaded_;
};

}  // namespace hexapla::evaluate
