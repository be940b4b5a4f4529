#include "evaluate/tokenization/mecab.h"

#include <dlfcn.h>

#include <filesystem>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/options/environment.h"
#include "evaluate/tokenization/unicode.h"

namespace hexapla::evaluate {

struct Mecab::Kind {
  const char *tokenizer, *suffix;  // for the signature
  bool korean;                     // requires mecab-ko, recognized by its version
  std::vector<const char*> dictionaries;
  unsigned least, most;  // entries of the dictionary
  const char* remedy;
};

namespace {

// The part of MeCab's C interface used here, stable since version 0.97; needs no mecab.h.
struct DictionaryInfo {
  const char *file, *charset;
  unsigned entries;
  int type;
  unsigned left, right;
  unsigned short version;
  DictionaryInfo* next;
};
struct Tagger;
struct Library {
  void* handle = nullptr;
  const char* (*version)() = nullptr;
  Tagger* (*make)(int, char**) = nullptr;
  const char* (*parse)(Tagger*, const char*, size_t) = nullptr;
  const DictionaryInfo* (*dictionary)(Tagger*) = nullptr;
  void (*destroy)(Tagger*) = nullptr;
};

template <class Function>
bool find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

// Stays loaded for the next validation.
bool open(const char* name, Library& l) {
  l.handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  return l.handle && find(l.handle, "mecab_version", l.version) && find(l.handle, "mecab_new", l.make) &&
         find(l.handle, "mecab_sparse_tostr2", l.parse) && find(l.handle, "mecab_dictionary_info", l.dictionary) &&
         find(l.handle, "mecab_destroy", l.destroy);
}

// The environment variable's value (if set) or the first usual name that accept() accepts.
template <class Accept>
bool first_of(const char* variable, const std::vector<const char*>& usual, Accept&& accept) {
  if (const char* given = environment(variable); given && accept(given)) return true;
  for (const char* name : usual)
    if (accept(name)) return true;
  return false;
}

}  // namespace

struct Mecab::Loaded {
  Library library;
  Tagger* tagger = nullptr;
  std::mutex mutex;  // a tagger holds its last result
  ~Loaded() {
    if (tagger) library.destroy(tagger);
  }
  // Ignores the machine's resource file, which may name another dictionary or output.
  bool load(const std::string& folder, const Kind& kind) {
    if (!std::filesystem::exists(folder + "/sys.dic")) return false;
    std::string words[] = {"hexapla", "-r", "/dev/null", "-d", folder, "-O", "wakati"};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    tagger = library.make(static_cast<int>(arguments.size()), arguments.data());
    if (!tagger) return false;
    const DictionaryInfo* info = library.dictionary(tagger);
    std::string charset = info ? info->charset : "";
    const bool utf8 = lower(charset) == "utf-8" || lower(charset) == "utf8";
    if (utf8 && info->entries >= kind.least && info->entries <= kind.most && !info->next) return true;
    library.destroy(std::exchange(tagger, nullptr));
    return false;
  }
};

Mecab::Mecab(const Kind& kind) : loaded_(std::make_shared<Loaded>()) {
  constexpr size_t npos = std::string_view::npos;
  Library& library = loaded_->library;
  const bool found = first_of("HEXAPLA_MECAB_LIBRARY", {"libmecab.so.2", "libmecab.2.dylib"}, [&](const char* name) {
    return open(name, library) && (std::string_view(library.version()).find("/ko-") != npos) == kind.korean;
  });
  if (!found)
    missing_ = cat(kind.tokenizer, " needs a library that is not installed; ", kind.remedy);
  else if (!first_of("HEXAPLA_MECAB_DICTIONARY", kind.dictionaries,
                     [&](const char* folder) { return loaded_->load(folder, kind); }))
    missing_ = cat(kind.tokenizer, " needs a dictionary that is not installed; ", kind.remedy);
  else
    signature_ = cat(kind.tokenizer, "-", library.version(), "-", kind.suffix);
}

// Debian's IPA dictionary has one entry more than sacreBLEU's: the name of the era since 2019.
const Mecab& Mecab::japanese() {
  static const Mecab mecab(
      {"ja-mecab",
       "IPA",
       false,
       {"/var/lib/mecab/dic/ipadic-utf8", "/usr/lib/x86_64-linux-gnu/mecab/dic/ipadic-utf8",
        "/usr/lib/aarch64-linux-gnu/mecab/dic/ipadic-utf8", "/usr/lib64/mecab/dic/ipadic", "/usr/lib/mecab/dic/ipadic",
        "/usr/local/lib/mecab/dic/ipadic", "/opt/homebrew/lib/mecab/dic/ipadic"},
       392126,
       392127,
       "install libmecab2 and mecab-ipadic-utf8 (names in Debian and Ubuntu), or name them in "
       "HEXAPLA_MECAB_LIBRARY and HEXAPLA_MECAB_DICTIONARY"});
  return mecab;
}

const Mecab& Mecab::korean() {
  static const Mecab mecab({"ko-mecab",
                            "KO",
                            true,
                            {"/usr/local/lib/mecab/dic/mecab-ko-dic", "/usr/lib/mecab/dic/mecab-ko-dic",
                             "/opt/homebrew/lib/mecab/dic/mecab-ko-dic"},
                            811795,
                            811795,
                            "name mecab-ko's library and mecab-ko-dic in HEXAPLA_MECAB_LIBRARY and "
                            "HEXAPLA_MECAB_DICTIONARY"});
  return mecab;
}

const std::string& Mecab::signature() const {
  HEXAPLA_CHECK(missing_.empty(), missing_);
  return signature_;
}

std::vector<std::string> Mecab::morphemes(std::string_view line) const {
  if (!missing_.empty()) throw UsageError(missing_);
  const std::string text_only = strip(line);
  const std::lock_guard lock(loaded_->mutex);
  const char* text = loaded_->library.parse(loaded_->tagger, text_only.data(), text_only.size());
  return split(text ? text : "");
}

}  // namespace hexapla::evaluate
