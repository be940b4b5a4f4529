#include "hexapla/translator.h"

#include <algorithm>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/compute/thread_count.h"
#include "base/options/given_option.h"
#include "base/system/machine.h"
#include "inspect/text_pair.h"
#include "lib/guard.h"
#include "lib/translate/live_service.h"
#include "lib/translate/open_translator.h"
#include "lib/translate/request_state.h"
#include "lib/translate/stream/line_stream.h"
#include "lib/translate/trace/search_trace.h"
#include "lib/translate/translator_options.h"
#include "lib/translate/turns.h"
#include "text/utf8.h"

namespace hexapla {
namespace {

using api::CallerFunctions;
using api::guarded;

// first: the number of the first line in the caller's input, from 0.
decode::LineWarning warning_of(const TranslatorOptions& options, CallerFunctions& functions, uint64_t first = 0) {
  if (!options.warn) return {};
  return [&, first](size_t line, const std::string& what) {
    functions.call(options.warn, first + line + 1, api::spelled_for_caller(what));
  };
}

std::vector<decode::LineConstraints> constraints_of(const std::vector<Constraints>& all, size_t lines) {
  if (!all.empty() && all.size() != lines)
    throw UsageError(cat("there are ", lines, " lines, but ", all.size(), " constraints; give one per line, or none"),
                     "constraints", cat(all.size()));
  std::vector<decode::LineConstraints> result;
  for (const Constraints& c : all) result.push_back(api::constraints_of(c, result.size() + 1));
  return result;
}

decode::Lines portion_of(const decode::Lines& all, size_t begin) {
  const size_t n = std::min(api::kProgressStep, all.text.size() - begin);
  return {all.text.subspan(begin, n), all.requests.empty() ? all.requests : all.requests.subspan(begin, n), begin,
          all.ids.empty() ? all.ids : all.ids.subspan(begin, n)};
}

std::exception_ptr error_of(const decode::TextResult& result) {
  switch (result.end) {
    case decode::LiveEnd::finished:
      return {};
    case decode::LiveEnd::canceled:
      return std::make_exception_ptr(Canceled("the request was canceled"));
    case decode::LiveEnd::late:
      return std::make_exception_ptr(TimedOut("the request's time was up: raise `timeout`"));
    case decode::LiveEnd::failed:
      try {
        std::rethrow_exception(result.error);
      } catch (const std::bad_alloc&) {
        return std::make_exception_ptr(api::out_of_memory_for_requests());
      } catch (...) {
        return result.error;
      }
  }
  return {};
}

}  // namespace

struct Translator::Impl : api::OpenTranslator {
  static constexpr const char* kind = "translator";
  int threads;  // 0: the caller's setting
  mutable std::once_flag pieces_read;
  mutable std::unordered_map<std::string, int32_t> piece_ids;
  mutable api::Turns turns;
  api::LiveService live;

  Impl(const std::vector<std::string>& paths, const ModelOptions& options)
      : OpenTranslator(paths, options), threads(options.threads), turns(usable_processors()), live(models, ensemble) {}

  // If a callback of its own request destroys a translator, another thread waits for the loop that
  // runs the callback. If no thread can be started, the translator is leaked.
  static void end(std::unique_ptr<Impl> impl) noexcept {
    if (!impl || !impl->live.within()) return;
    Impl* const last = impl.release();
    try {
      std::thread([last] { delete last; }).detach();
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch)
    }
  }

  static std::unique_ptr<Impl> opened(const std::vector<std::string>& paths, const ModelOptions& options) {
    const ThreadCount own(options.threads);  // for loading, and for requests
    return std::make_unique<Impl>(paths, options);
  }

  void check_pieces(const decode::Lines& lines) const {
    for (size_t i = 0; shortlist && i < lines.requests.size(); ++i)
      if (!lines.requests[i].prefix.empty() || !lines.requests[i].require.empty()) api::refuse_with_shortlist();
  }

  std::vector<std::vector<decode::Translation>> found(const std::vector<std::string>& lines,
                                                      const std::vector<Constraints>& constraints,
                                                      const decode::TranslateOptions& how,
                                                      const TranslatorOptions& options, CallerFunctions& functions,
                                                      std::span<const text::Ids> ids = {}) const {
    const ThreadCount own(threads);
    const api::Turns::Turn turn(turns);
    const std::vector<decode::LineConstraints> asked = constraints_of(constraints, lines.size());
    const decode::Lines all{.text = lines, .requests = asked, .ids = ids};
    check_pieces(all);
    if (!options.on_progress) return translator.translate(all, how, warning_of(options, functions));
    std::vector<std::vector<decode::Translation>> results;
    while (results.size() < lines.size()) {
      const decode::Lines portion = portion_of(all, results.size());
      for (auto& of_line : translator.translate(portion, how, warning_of(options, functions, portion.first)))
        results.push_back(std::move(of_line));
      functions.call(options.on_progress, results.size());
    }
    return results;
  }

  std::vector<decode::TextScore> scored(const std::vector<std::string>& lines,
                                        const std::vector<std::string>& translations, const TranslatorOptions& options,
                                        CallerFunctions& functions) const {
    const ThreadCount own(threads);
    const api::Turns::Turn turn(turns);
    return scorer.score(lines, translations, declared(options, api::TranslatorCall::scores),
                        warning_of(options, functions));
  }

  static Alignment alignment(decode::SoftAlignment soft, std::vector<std::string> source_units,
                             std::vector<std::string> target_units) {
    Alignment a;
    a.source_words = std::move(source_units);
    a.target_words = std::move(target_units);
    for (const data::Link& link : decode::hard_links(soft)) a.links.emplace_back(link.source, link.target);
    a.weights = {static_cast<size_t>(soft.rows), static_cast<size_t>(soft.columns), std::move(soft.weights)};
    return a;
  }

  // Translates a part of the lines of a stream.
  PendingTranslation::Lines of_stream(const decode::Lines& lines, const decode::TranslateOptions& how,
                                      const TranslatorOptions& options, CallerFunctions& functions) const {
    const ThreadCount own(threads);
    const api::Turns::Turn turn(turns);
    check_pieces(lines);
    return public_lines(lines.text, options.alignment, how,
                        translator.translate(lines, how, warning_of(options, functions, lines.first)));
  }

  // Translations for the caller: with tokens, and alignments if requested.
  PendingTranslation::Lines public_lines(std::span<const std::string> lines, const std::string& units,
                                         const decode::TranslateOptions& how,
                                         std::vector<std::vector<decode::Translation>> all,
                                         const std::vector<bool>& aligned = {}) const {
    PendingTranslation::Lines results(all.size());
    std::vector<std::string> sources;
    std::vector<decode::Translation> flat;
    std::vector<Translation*> to_align;
    for (size_t line = 0; line < all.size(); ++line) {
      results[line].resize(all[line].size());
      for (size_t rank = 0; rank < all[line].size(); ++rank) {
        decode::Translation& t = all[line][rank];
        Translation& result = results[line][rank];
        for (const int32_t id : t.ids) result.tokens.push_back(first().target.piece(id));
        result.text = t.text, result.score = t.score, result.normalized = t.normalized;
        result.ids = t.ids, result.token_scores = t.token_scores, result.coverage = t.coverage;
        if (units.empty() || (!aligned.empty() && !aligned[line])) continue;
        sources.push_back(lines[line]), flat.push_back(std::move(t)), to_align.push_back(&result);
      }
    }
    if (!to_align.empty()) add_alignments(sources, flat, units, how, to_align);
    return results;
  }

  // Cells of the alignments that public_lines() would give, at most: those of pieces have one for </s>, too.
  size_t alignment_cells(const std::vector<std::string>& lines, const std::string& units,
                         const decode::TranslateOptions& how, const std::vector<std::vector<decode::Translation>>& all,
                         const std::vector<bool>& aligned) const {
    const decode::AlignmentUnit unit = decode::parse_alignment_unit(units);
    const decode::TranslateOptions parted = aligning(how);
    size_t cells = 0;
    for (size_t line = 0; line < all.size(); ++line)
      for (const decode::Translation& t : all[line])
        if (aligned.empty() || aligned[line])
          cells += (scorer.units_of_source(lines[line], parted, unit, t.parts.size()).size() + 1) *
                   (1 + (unit == decode::AlignmentUnit::pieces ? t.ids.size() : decode::words_in(t.text, unit).size()));
    return cells;
  }

  // -1 if the source vocabulary has no such piece.
  int32_t id_of(const std::string& piece) const {
    std::call_once(pieces_read, [&] {
      for (int32_t id = 0; id < first().source.size(); ++id) piece_ids.emplace(first().source.piece(id), id);
    });
    const auto found = piece_ids.find(piece);
    return found == piece_ids.end() ? -1 : found->second;
  }

  text::Ids ids_of(const std::vector<std::string>& tokens, size_t sentence) const {
    text::Ids ids;
    for (const std::string& token : tokens) {
      ids.push_back(id_of(token));
      if (ids.back() < 0)
        throw UsageError(cat("line ", sentence + 1, ": the source vocabulary has no piece '", text::printable(token),
                             "'; tokens() shows into which pieces it cuts a line"),
                         "sentences", text::printable(token));
    }
    return ids;
  }

  void add_alignments(const std::vector<std::string>& sources, const std::vector<decode::Translation>& flat,
                      const std::string& units, const decode::TranslateOptions& how,
                      const std::vector<Translation*>& results) const {
    const decode::AlignmentUnit unit = decode::parse_alignment_unit(units);
    const decode::TranslateOptions parted = aligning(how);
    auto soft = scorer.align(sources, flat, parted, {attention, unit});
    for (size_t i = 0; i < results.size(); ++i) {
      Translation& t = *results[i];
      t.alignment =
          alignment(std::move(soft[i]), scorer.units_of_source(sources[i], parted, unit, flat[i].parts.size()),
                    unit == decode::AlignmentUnit::pieces ? t.tokens : decode::words_in(t.text, unit));
    }
  }
};

Translator::Translator(const std::string& path, const ModelOptions& options)
    : impl_(guarded([&] { return Impl::opened({path}, options); })) {}
Translator::Translator(const std::vector<std::string>& paths, const ModelOptions& options)
    : impl_(guarded([&] { return Impl::opened(paths, options); })) {}
Translator::~Translator() { Impl::end(impl_.release()); }
Translator::Translator(Translator&&) noexcept = default;
Translator& Translator::operator=(Translator&& other) noexcept {
  if (this != &other) Impl::end(std::exchange(impl_, std::move(other.impl_)).release());
  return *this;
}

TranslatorOptions Translator::complete(const TranslatorOptions& options) const {
  return guarded([&] {
    TranslatorOptions all = api::public_options(api::declared_options(options, impl_->usual));
    all.alignment = options.alignment, all.warn = options.warn, all.stop = options.stop;
    all.glossary = options.glossary, all.on_progress = options.on_progress;
    all.require = options.require, all.forbid = options.forbid;
    return all;
  });
}

PendingTranslation::Lines Translator::translate_n_best(const std::vector<std::string>& lines,
                                                       const TranslatorOptions& options,
                                                       const std::vector<Constraints>& constraints) const {
  CallerFunctions functions;
  return functions.guard([&] {
    const ThreadCount own(impl_->threads);
    const decode::TranslateOptions how = impl_->declared(options, api::TranslatorCall::n_best);
    return impl_->public_lines(lines, options.alignment, how,
                               impl_->found(lines, constraints, how, options, functions));
  });
}

TranslationStream Translator::stream(LineSource lines, const TranslatorOptions& options) const& {
  return guarded([&] {
    const auto step = [impl = &*impl_, how = impl_->declared(options, api::TranslatorCall::n_best), options](
                          const decode::Lines& part, CallerFunctions& functions) {
      return impl->of_stream(part, how, options, functions);
    };
    return TranslationStream(std::make_unique<TranslationStream::Impl>(std::move(lines), options, step));
  });
}

void Translator::check(const Glossary& glossary) const {
  guarded([&] { decode::check_writable(decode::PieceTexts(impl_->first().target), api::terms_of(glossary).get()); });
}

std::vector<std::string> Translator::tokens(const std::string& line) const {
  return guarded([&] {
    const text::Vocabulary &source = impl_->first().source, &target = impl_->first().target;
    if (target.opening() >= 0 && target.leading(line).bytes > 0)
      throw UsageError(
          "the line chooses the language of its translation, which no token of the source says: leave it out", "line",
          text::printable(line));
    std::vector<std::string> tokens;
    for (const int32_t id : source.encode(text::clean_utf8(line))) tokens.push_back(source.piece(id));
    return tokens;
  });
}

PendingTranslation::Lines Translator::translate_tokens(const std::vector<std::vector<std::string>>& sentences,
                                                       const TranslatorOptions& options,
                                                       const std::vector<Constraints>& constraints) const {
  CallerFunctions functions;
  return functions.guard([&] {
    decode::TranslateOptions how = impl_->declared(options, api::TranslatorCall::n_best);
    const auto refuse = [](const char* name, const std::string& value) {
      throw UsageError(cat("`", name, "` '", value, "' is about words of a line, but these are tokens: leave it out"),
                       name, value);
    };
    if (!options.alignment.empty()) refuse("alignment", options.alignment);
    if (options.unk == "copy") refuse("unk", "copy");
    if (options.protect == "auto") refuse("protect", "auto");
    if (const auto patterns = options.protect_pattern.value_or(std::vector<std::string>()); !patterns.empty())
      refuse("protect-pattern", patterns.front());
    how.copy_unknown = false;
    std::vector<text::Ids> ids;
    std::vector<std::string> lines;
    for (const std::vector<std::string>& tokens : sentences) {
      ids.push_back(impl_->ids_of(tokens, ids.size()));
      lines.push_back(impl_->first().source.decode(ids.back()));
    }
    return impl_->public_lines(lines, "", how, impl_->found(lines, constraints, how, options, functions, ids));
  });
}

std::vector<std::string> Translator::translate(const std::vector<std::string>& lines, const TranslatorOptions& options,
                                               const std::vector<Constraints>& constraints) const {
  CallerFunctions functions;
  return functions.guard([&] {
    std::vector<std::string> results;
    for (auto& of_line :
         impl_->found(lines, constraints, impl_->declared(options, api::TranslatorCall::best), options, functions))
      results.push_back(std::move(of_line.front().text));
    return results;
  });
}

std::string Translator::translate(const std::string& line, const TranslatorOptions& options) const {
  return translate(std::vector<std::string>{line}, options).front();
}

std::vector<ScoreResult> Translator::score_tokens(const std::vector<std::string>& lines,
                                                  const std::vector<std::string>& translations,
                                                  const TranslatorOptions& options) const {
  CallerFunctions functions;
  return functions.guard([&] {
    std::vector<ScoreResult> results;
    for (decode::TextScore& s : impl_->scored(lines, translations, options, functions)) {
      const std::string& line = translations[results.size()];
      ScoreResult& result = results.emplace_back(ScoreResult{s.score,
                                                             s.normalized,
                                                             {},
                                                             std::move(s.log_p),
                                                             decode::words_in(line, decode::AlignmentUnit::words),
                                                             std::move(s.words),
                                                             static_cast<size_t>(s.words_read)});
      for (const int32_t id : s.target) result.tokens.push_back(impl_->first().target.piece(id));
    }
    return results;
  });
}

std::vector<double> Translator::score(const std::vector<std::string>& lines,
                                      const std::vector<std::string>& translations,
                                      const TranslatorOptions& options) const {
  CallerFunctions functions;
  return functions.guard([&] {
    std::vector<double> results;
    for (const decode::TextScore& s : impl_->scored(lines, translations, options, functions))
      results.push_back(s.score);
    return results;
  });
}

SearchTrace Translator::trace(const std::string& line, const TranslatorOptions& options) const {
  return guarded([&] {
    if (impl_->models.members.size() > 1)
      throw UsageError("`trace` shows the search of one model; give one `model`", "model", "");
    const ThreadCount own(impl_->threads);
    const api::Turns::Turn turn(impl_->turns);
    const CancelScope scope(options.stop);
    const decode::OpenModel& m = impl_->first();
    return api::traced(m, line, impl_->declared(options, api::TranslatorCall::trace), inspect::kLongest);
  });
}

std::vector<Alignment> Translator::align(const std::vector<std::string>& lines,
                                         const std::vector<std::string>& translations, const TranslatorOptions& options,
                                         const std::string& units) const {
  CallerFunctions functions;
  return functions.guard([&] {
    const ThreadCount own(impl_->threads);
    const api::Turns::Turn turn(impl_->turns);
    const decode::AlignmentUnit unit = decode::parse_alignment_unit(units, "units");
    decode::TranslateOptions how = impl_->declared(options, api::TranslatorCall::alignments);
    how.parting.sentences = decode::Sentences::keep;  // given pairs are not divided
    if (how.parting.long_input == decode::LongInput::split) how.parting.long_input = decode::LongInput::truncate;
    const decode::TextScorer& scorer = impl_->scorer;
    auto soft = scorer.align(lines, translations, how, {impl_->attention, unit}, warning_of(options, functions));
    std::vector<Alignment> results;
    for (size_t i = 0; i < soft.size(); ++i)
      results.push_back(Impl::alignment(std::move(soft[i]), scorer.units_of_source(lines[i], how, unit),
                                        scorer.units_of_target(translations[i], how, unit)));
    return results;
  });
}

PendingTranslation Translator::submit(const std::vector<std::string>& lines, const TranslatorOptions& options,
                                      const RequestOptions& request) const {
  const auto state = std::make_shared<PendingTranslation::State>();
  state->on_progress = request.on_progress;
  state->on_end = request.on_end;
  state->service = &impl_->live;
  state->functions.guard([&] {
    const decode::TranslateOptions how = impl_->declared(options, api::TranslatorCall::request);
    if (!request.aligned.empty() && request.aligned.size() != lines.size())
      throw UsageError(cat("`aligned` has ", request.aligned.size(), " values for ", lines.size(), " lines"));
    decode::TextRequest asked;
    asked.lines = lines;
    asked.constraints = constraints_of(request.constraints, lines.size());
    asked.options = how;
    asked.client = request.client;
    if (request.timeout.count() != 0) asked.deadline = api::end_of(request.timeout, "timeout");
    if (request.on_size)
      asked.on_size = [&](const decode::TextSize& most) {
        for (size_t line = 0; line < lines.size() && !options.alignment.empty(); ++line)
          state->cells += request.aligned.empty() || request.aligned[line] ? most.pairs[line] : 0;
        state->functions.call(request.on_size, RequestSize{most.translations, most.tokens, state->cells});
      };
    if (state->on_progress)
      asked.on_step = [state](size_t line, const std::string& so_far) {
        state->functions.call(state->on_progress, line + 1, so_far);
      };
    asked.on_end = [state, impl = &*impl_, lines, options, how, aligned = request.aligned,
                    on_size = request.on_size](decode::TextResult result) {
      std::exception_ptr error = error_of(result);
      PendingTranslation::Lines found;
      if (!error) try {
          for (const decode::TextWarning& w : result.warnings)
            if (options.warn) state->functions.call(options.warn, w.line + 1, api::spelled_for_caller(w.what));
          if (on_size && !options.alignment.empty())
            if (const size_t cells = impl->alignment_cells(lines, options.alignment, how, result.lines, aligned);
                cells > state->cells)
              state->functions.call(on_size, RequestSize{0, 0, cells - state->cells});
          found = impl->public_lines(lines, options.alignment, how, std::move(result.lines), aligned);
        } catch (...) {
          error = std::current_exception();
        }
      state->end(PendingTranslation(state), std::move(found), std::move(error));
    };
    const auto [live, name] = impl_->live.submit(std::move(asked));
    const std::lock_guard lock(state->mutex);
    state->live = live;
    state->name = name;
  });
  return PendingTranslation(state);
}

}  // namespace hexapla
