#include "hexapla/hexapla.h"

#include <exception>
#include <new>
#include <stdexcept>

#include "api/open_model.h"
#include "api/translator_options.h"
#include "base/compute/parallel.h"
#include "base/option_names.h"

namespace hexapla {
namespace {

// Made when the library is loaded: where there is no memory there is none for making an error either.
const std::runtime_error out_of_memory(
    "out of memory: give fewer lines at a time, lower batch_sentences, batch_tokens or beam_size, use fewer threads, "
    "or "
    "let this process have more memory (ulimit -v, the limit of its container)");

// f(), of which nothing but std::runtime_error comes out: types of this library's own, and other kinds of exceptions,
// become one with the same text.
template <class F>
auto guarded(F&& f) {
  try {
    return f();
  } catch (const std::bad_alloc&) {
    throw out_of_memory;
  } catch (const std::exception& e) {
    throw std::runtime_error(spell_options(e.what(), as_field));
  }
}

// options.warn, whose exceptions are the caller's own: they pass the library and are not rewritten.
class Warning {
 public:
  explicit Warning(const TranslatorOptions& options) : warn_(options.warn) {}

  decode::LineWarning callback() {
    if (!warn_) return {};
    return [this](size_t line, const std::string& what) {
      try {
        warn_(line, spell_options(what, as_field));
      } catch (...) {
        thrown_ = std::current_exception();
        throw;
      }
    };
  }
  // guarded(f), or what the caller's function threw.
  template <class F>
  auto guard(F&& f) {
    try {
      return guarded(f);
    } catch (...) {
      if (thrown_) std::rethrow_exception(thrown_);
      throw;
    }
  }

 private:
  const std::function<void(size_t, const std::string&)>& warn_;
  std::exception_ptr thrown_;
};

}  // namespace

std::string version() { return HEXAPLA_VERSION; }

struct Translator::Impl {
  api::OpenModel model;
  decode::TextTranslator translator;
  decode::TextScorer scorer;

  explicit Impl(const std::string& path)
      : model(api::open_translator(path, Precision::f32)), translator(model.translator()), scorer(model.scorer()) {}
};

Translator::Translator(const std::string& model_path)
    : impl_(guarded([&] { return std::make_unique<const Impl>(model_path); })) {}
Translator::~Translator() = default;
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&&) noexcept = default;

namespace {

// The translations of each line, at most n_best, as the search gives them.
std::vector<std::vector<decode::Translation>> found(const decode::TextTranslator& translator,
                                                    const std::vector<std::string>& lines,
                                                    const TranslatorOptions& options, int n_best, Warning& warning) {
  decode::DecodingOptions declared = api::declared_options(options);
  declared.n_best = n_best;
  return translator.translate(lines, declared.translate_options(), warning.callback());
}

}  // namespace

std::vector<std::vector<ScoredTranslation>> Translator::translate_n_best(const std::vector<std::string>& lines,
                                                                         const TranslatorOptions& options) const {
  Warning warning(options);
  return warning.guard([&] {
    std::vector<std::vector<ScoredTranslation>> results;
    for (const auto& of_line : found(impl_->translator, lines, options, options.n_best, warning)) {
      results.emplace_back();
      for (const decode::Translation& t : of_line) results.back().push_back({t.text, t.score, t.normalized});
    }
    return results;
  });
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines,
                                               const TranslatorOptions& options) const {
  Warning warning(options);
  return warning.guard([&] {
    std::vector<std::string> results;
    for (auto& of_line : found(impl_->translator, lines, options, 1, warning))
      results.push_back(std::move(of_line.front().text));
    return results;
  });
}

std::string Translator::translate(const std::string& line, const TranslatorOptions& options) const {
  Warning warning(options);
  return warning.guard([&] {
    const std::vector<std::string> lines{line};
    return std::move(found(impl_->translator, lines, options, 1, warning).front().front().text);
  });
}

std::vector<double> Translator::score(const std::vector<std::string>& lines,
                                      const std::vector<std::string>& translations,
                                      const TranslatorOptions& options) const {
  Warning warning(options);
  return warning.guard([&] {
    std::vector<double> results;
    const decode::TranslateOptions how = api::declared_options(options).translate_options();
    for (const decode::TextScore& s : impl_->scorer.score(lines, translations, how, warning.callback()))
      results.push_back(s.score);
    return results;
  });
}

}  // namespace hexapla
