#include <atomic>

#include "bind.h"
#include "call.h"
#include "gil.h"
#include "stop.h"

namespace hexapla::python {
namespace {

using Lines = std::vector<std::string>;

// Search options of one call, or of several in turn, with their functions and stop flag. options may have {"stop":
// Stop, "on_progress": function}.
class Search {
 public:
  Search(const nb::dict& options, const nb::object& warn)
      : options_(search_options_of(options)),
        warn_(warn),
        on_progress_(options.contains("on_progress") ? nb::object(options["on_progress"]) : nb::none()),
        call_([this] { stop_ = true; }),
        lent_(options.contains("stop") ? nb::cast<Stop*>(options["stop"]) : nullptr, stop_) {
    options_.stop = &stop_;
    if (!on_progress_.is_none())
      options_.on_progress = [this](std::size_t lines) {
        call_.back_until_interrupted([&] { call_python(on_progress_, nb::make_tuple(lines)); });
      };
    options_.warn = [this](std::size_t line, const std::string& what) {
      call_.back([&] { call_python(warn_, nb::make_tuple(line, what)); });
    };
  }
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  const TranslatorOptions& options() const { return options_; }
  template <class F>
  auto run(F&& f) {
    return call_.run([&] { return f(options_); });
  }

 private:
  TranslatorOptions options_;
  nb::object warn_, on_progress_;
  std::atomic<bool> stop_ = false;
  Call call_;
  Stop::Lent lent_;
};

void load(Translator* t, const nb::list& paths, const ModelOptions& options) {
  const Lines files = all_bytes_of(paths);
  const WithoutGil released;
  new (t) Translator(files, options);
}

Lines translate(const Translator& t, const Lines& lines, const nb::dict& options, const nb::list& constraints,
                const nb::object& warn) {
  Search search(options, warn);
  const auto asked = constraints_of(constraints);
  return search.run([&](const TranslatorOptions& how) { return t.translate(lines, how, asked); });
}

nb::list translate_n_best(const Translator& t, const Lines& lines, const nb::dict& options, const nb::list& constraints,
                          const nb::object& warn) {
  Search search(options, warn);
  const auto asked = constraints_of(constraints);
  const auto found = search.run([&](const TranslatorOptions& how) { return t.translate_n_best(lines, how, asked); });
  return translation_lists(found, !search.options().alignment.empty());
}

nb::list translate_tokens(const Translator& t, const std::vector<Lines>& sentences, const nb::dict& options,
                          const nb::list& constraints, const nb::object& warn) {
  Search search(options, warn);
  const auto asked = constraints_of(constraints);
  return translation_lists(
      search.run([&](const TranslatorOptions& how) { return t.translate_tokens(sentences, how, asked); }), false);
}

nb::bytes translate_document(const Translator& t, const nb::bytes& content, const nb::bytes& path, bool attributes,
                             const nb::dict& options, const nb::object& warn) {
  Search search(options, warn);
  const std::string given = bytes_of(content), name = bytes_of(path);
  const std::string found =
      search.run([&](const TranslatorOptions& how) { return t.translate_document(given, name, how, {attributes}); });
  return nb::bytes(found.data(), found.size());
}

// [(score, normalized, tokens, token scores, words, word scores, words read)]
nb::list score(const Translator& t, const Lines& lines, const Lines& translations, const nb::dict& options,
               const nb::object& warn) {
  Search search(options, warn);
  nb::list all;
  const auto scores =
      search.run([&](const TranslatorOptions& how) { return t.score_tokens(lines, translations, how); });
  for (const ScoreResult& s : scores)
    all.append(nb::make_tuple(s.score, s.normalized, s.tokens, s.token_scores, s.words, s.word_scores, s.words_read));
  return all;
}

nb::list align(const Translator& t, const std::pair<Lines, Lines>& pairs, const std::string& units,
               const nb::dict& options, const nb::object& warn) {
  Search search(options, warn);
  nb::list all;
  const auto found =
      search.run([&](const TranslatorOptions& how) { return t.align(pairs.first, pairs.second, how, units); });
  for (const Alignment& a : found) all.append(alignment_tuple(a));
  return all;
}

// A stream of lines that Python reads and feeds to it in portions.
class LineStream {
 public:
  // The translator must outlive it.
  LineStream(const Translator& t, const nb::dict& options, const nb::object& warn)
      : search_(options, warn), stream_(t.stream(source(), search_.options())) {}

  void feed(Lines lines, const nb::list& constraints) {
    lines_ = std::move(lines);
    asked_ = constraints_of(constraints);
    read_ = taken_ = 0;
  }
  // -> the translations of the next line, or None if those of all that were fed are taken
  nb::object next() {
    if (taken_ == lines_.size()) return nb::none();
    std::vector<Translation> found;
    if (stream_.ready() > 0)
      stream_.next(found);
    else if (!search_.run([&](const TranslatorOptions&) { return stream_.next(found); }))
      return nb::none();
    ++taken_;
    nb::list all;
    for (const Translation& t : found) all.append(translation_tuple(t, !search_.options().alignment.empty()));
    return all;
  }

 private:
  LineSource source() {
    LineSource from = [this](std::string& line, Constraints& asked) {
      if (read_ == lines_.size()) return false;
      line = std::move(lines_[read_]);
      if (!asked_.empty()) asked = std::move(asked_[read_]);
      ++read_;
      return true;
    };
    from.ready = [this] { return read_ < lines_.size(); };
    from.read_ahead = 1'000'000;  // it is for Python to say
    return from;
  }

  Search search_;
  Lines lines_;
  std::vector<Constraints> asked_;
  std::size_t read_ = 0, taken_ = 0;
  TranslationStream stream_;
};

nb::tuple trace(const Translator& t, const std::string& line, const nb::dict& options) {
  Search search(options, nb::none());
  return trace_tuple(search.run([&](const TranslatorOptions& how) { return t.trace(line, how); }));
}

// rows: of weights, as in alignment_tuple().
std::string alignment_text(const std::vector<std::pair<int, int>>& links, const std::vector<std::vector<double>>& rows,
                           const std::string& kind) {
  Alignment a;
  a.links = links;
  a.weights = {rows.size(), rows.empty() ? 0 : rows.front().size(), {}};
  for (const auto& row : rows) a.weights.values.insert(a.weights.values.end(), row.begin(), row.end());
  return a.text(kind);
}

// {name: words of the value}
nb::dict complete(const Translator& t, const nb::dict& options) {
  nb::dict all;
  const Options named = t.complete(search_options_of(options)).named();
  for (const auto& [name, value] : named) all[name.c_str()] = value.words();
  return all;
}

}  // namespace

TranslatorOptions search_options_of(const nb::dict& given) {
  nb::dict words;
  Glossary glossary;
  for (const auto& [name, value] : given)
    if (nb::isinstance<Glossary>(value))
      glossary = nb::cast<Glossary>(value);
    else if (nb::isinstance<nb::bytes>(value) || nb::isinstance<nb::list>(value))
      words[name] = value;
  TranslatorOptions options = TranslatorOptions::from(options_of(words));
  options.glossary = std::move(glossary);
  return options;
}

std::vector<Constraints> constraints_of(const nb::list& given) {
  std::vector<Constraints> all;
  for (const nb::handle one : given)
    all.push_back({nb::cast<std::string>(one[0]), nb::cast<Lines>(one[1]), nb::cast<Lines>(one[2])});
  return all;
}

nb::tuple alignment_tuple(const Alignment& a) {
  nb::list rows;
  for (std::size_t row = 0; row < a.weights.rows; ++row) {
    const auto begin = a.weights.values.begin() + static_cast<std::ptrdiff_t>(row * a.weights.columns);
    rows.append(std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(a.weights.columns)));
  }
  return nb::make_tuple(a.source_words, a.target_words, a.links, rows);
}

nb::tuple translation_tuple(const Translation& t, bool aligned) {
  const nb::object alignment = aligned ? nb::object(alignment_tuple(t.alignment)) : nb::none();
  return nb::make_tuple(t.text, t.score, t.normalized, t.tokens, t.ids, t.token_scores, alignment, t.coverage);
}

nb::list translation_lists(const PendingTranslation::Lines& lines, bool aligned) {
  nb::list all;
  for (const std::vector<Translation>& line : lines) {
    nb::list of_line;
    for (const Translation& t : line) of_line.append(translation_tuple(t, aligned));
    all.append(of_line);
  }
  return all;
}

void bind_translator(nb::module_& m) {
  nb::class_<ModelOptions>(m, "ModelOptions")
      .def(nb::init<>())
      .def_rw("precision", &ModelOptions::precision)
      .def_rw("device", &ModelOptions::device)
      .def_rw("ensemble", &ModelOptions::ensemble)
      .def_rw("weights", &ModelOptions::weights)
      .def_rw("threads", &ModelOptions::threads)
      .def_rw("source_language", &ModelOptions::source_language)
      .def_rw("target_language", &ModelOptions::target_language)
      .def_rw("alignment_layer", &ModelOptions::alignment_layer)
      .def_rw("alignment_head", &ModelOptions::alignment_head)
      .def("set_shortlist", [](ModelOptions& o, const nb::bytes& path) { o.shortlist = bytes_of(path); })
      .def("set_search", [](ModelOptions& o, const nb::dict& search) { o.search = options_of(search); });
  nb::class_<Stop>(m, "Stop").def(nb::init<>()).def("set", &Stop::set).def("is_set", &Stop::is_set);
  nb::class_<Glossary>(m, "Glossary")
      .def(nb::init<const std::vector<std::pair<std::string, std::string>>&>())
      .def("size", &Glossary::size);
  m.def("read_glossary", [](const nb::bytes& path) { return Glossary::read(bytes_of(path)); });
  m.def("alignment_text", &alignment_text);
  nb::class_<LineStream>(m, "LineStream")
      .def(nb::init<const Translator&, const nb::dict&, const nb::object&>(), nb::keep_alive<1, 2>())
      .def("feed", &LineStream::feed)
      .def("next", &LineStream::next);
  nb::class_<Translator>(m, "Translator")
      .def("__init__", &load)
      .def("complete", &complete)
      .def("check", &Translator::check, nb::call_guard<WithoutGil>())
      .def("translate", &translate)
      .def("translate_n_best", &translate_n_best)
      .def("tokens", &Translator::tokens)
      .def("translate_tokens", &translate_tokens)
      .def("translate_document", &translate_document)
      .def("trace", &trace)
      .def("score", &score)
      .def("align", &align);
}

}  // namespace hexapla::python
