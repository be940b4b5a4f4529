// hexapla inspect: runs one pair of sentences through a model and shows every intermediate.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <optional>

#include "base/classic.h"
#include "base/compute/parallel.h"
#include "base/error.h"
#include "base/files/file.h"
#include "cli/command.h"
#include "cli/options/language_options.h"
#include "cli/options/output_files.h"
#include "cli/parser.h"
#include "cli/terminal/terminal.h"
#include "decode/lines/opened_line.h"
#include "decode/opened/open_model.h"
#include "decode/options/named/search_defaults.h"
#include "inspect/drawing/picture.h"
#include "inspect/drawing/svg.h"
#include "inspect/files/inspection_file.h"
#include "inspect/gradients.h"
#include "inspect/padded.h"
#include "inspect/parameters_apart.h"
#include "inspect/text_pair.h"
#include "text/utf8.h"

namespace hexapla::cli {
namespace {

using Labels = std::vector<std::string>;

text::Ids parse_ids(const std::string& text, const text::Vocabulary& v, const char* option) {
  text::Ids ids;
  std::string list = text;
  std::replace(list.begin(), list.end(), ',', ' ');
  Classic<std::istringstream> words(list);
  for (std::string word; words >> word;) {
    const auto id = parse_number<int64_t>(word);
    if (!id || *id < 0 || *id >= v.size())
      throw UsageError(
          cat(option, ": '", word, "' is not an id of the vocabulary; give numbers from 0 to ", v.size() - 1));
    ids.push_back(static_cast<int32_t>(*id));
  }
  return ids;
}

// One of the three uses of attention, section 3.2.3.
struct Kind {
  std::string title, stack, sublayer, rows, columns;
  int64_t layers;
};
bool decoder_attends(const model::Config& c) { return c.decoder_mixing == "attention"; }
bool encoder_attends(const model::Config& c) { return c.encoder_mixing == "attention"; }

Kind find_kind(const std::string& name, const model::Config& c) {
  if (name == "encoder" && !encoder_attends(c))
    throw UsageError(cat("--attention encoder: the encoder of this model has no attention, but a ", c.encoder_mixing,
                         "; give decoder or cross"));
  if (name == "decoder" && !decoder_attends(c))
    throw UsageError(cat("--attention decoder: the decoder of this model has no self-attention, but an ",
                         c.decoder_mixing, "; give encoder or cross"));
  if (name == "encoder") return {"Self-attention", "encoder", "self_attention", "source", "source", c.enc_layers};
  if (name == "decoder")
    return {"Self-attention", "decoder", "self_attention", "target as read", "target as read", c.dec_layers};
  if (name == "cross")
    return {"Cross-attention", "decoder", "cross_attention", "target as read", "source", c.dec_layers};
  throw UsageError(cat("--attention ", name, " is none of encoder, decoder, cross"));
}

int64_t find_layer(const std::string& word, const Kind& kind) {
  const int64_t last = kind.layers - 1;
  if (word == "last") return last;
  const auto n = parse_number<int64_t>(word);
  if (!n || *n < 0 || *n > last)
    throw UsageError(cat("--layer ", word, ": the ", kind.stack, " has the layers 0 to ", last, "; give one, or last"));
  return *n;
}

enum class Output { none, safetensors, json, svg };
Output find_output(const std::string& path) {
  if (path.empty()) return Output::none;
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".safetensors") return Output::safetensors;
  if (extension == ".json") return Output::json;
  if (extension == ".svg") return Output::svg;
  throw UsageError(cat("--out ", path, ": the name must end in .safetensors, .json or .svg"));
}

struct HeadMap {
  std::string title;
  std::vector<double> values;
};

std::vector<HeadMap> heads_of(const inspect::Recorded& weights, const std::string& word) {
  const int64_t count = weights.shape[0];
  if (word == "mean") return {{cat("mean of ", count, " heads"), weights.mean_head()}};
  std::vector<HeadMap> all;
  if (word == "all") {
    for (int64_t h = 0; h < count; ++h) all.push_back({cat("head ", h), weights.head(h)});
    return all;
  }
  const auto n = parse_number<int64_t>(word);
  return {{cat("head ", *n), weights.head(*n)}};
}

// The cells that a mask hides, the same in every head.
std::vector<bool> masked_cells(const inspect::Recorder& seen, const std::string& scope) {
  return inspect::masked_by(seen.get(scope + ".scores").head(0));
}

Labels whole(const text::Vocabulary& v) {
  Labels all;
  for (int32_t id = 0; id < v.size(); ++id) all.push_back(v.piece(id));
  return all;
}

std::string vocabulary_list(const text::Vocabulary& v) {
  std::string text;
  for (int32_t id = 0; id < v.size(); ++id) text += fmt::format("{}\t{}\n", id, text::printable(v.piece(id), ""));
  return text;
}

void check_head(const std::string& word, int64_t count) {
  if (word.empty() || word == "mean" || word == "all") return;
  const auto n = parse_number<int64_t>(word);
  if (!n || *n < 0 || *n >= count)
    throw UsageError(cat("--head ", word, ": the layer has the heads 0 to ", count - 1, "; give one, all, or mean"));
}

// The tokens of a side with their ids, wrapped to `columns`.
std::string token_list(const Labels& tokens, const text::Ids& ids, int columns) {
  std::string text, line = " ";
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string next = fmt::format(" {} {} ", text::printable(tokens[i], ""), ids[i]);
    if (text::width(line) + text::width(next) > columns && line.size() > 1) {
      text += line + "\n";
      line = " ";
    }
    line += next;
  }
  return text + line + "\n";
}

std::string token_table(Labels read, Labels next, const inspect::Inspection& seen) {
  for (Labels* side : {&read, &next})
    for (std::string& token : *side) token = text::printable(token, "");
  int first = text::width("reads"), second = text::width("next");
  for (const std::string& token : read) first = std::max(first, text::width(token));
  for (const std::string& token : next) second = std::max(second, text::width(token));
  std::string text = fmt::format("  {}     id  {}     id    log p       p\n", text::padded("reads", first),
                                 text::padded("next", second));
  for (size_t i = 0; i < read.size(); ++i)
    text += fmt::format("  {} {:>6}  {} {:>6} {:>8.3f} {:>7.4f}\n", text::padded(read[i], first), seen.target_in[i],
                        text::padded(next[i], second), seen.target_out[i], seen.log_p[i], std::exp(seen.log_p[i]));
  return text;
}

struct Inspect {
  std::string model, attention = "cross", layer = "last", head, out, color = "auto";
  std::optional<std::string> source_text, source_ids, target_text, target_ids, beside, vocabulary;
  bool with_weights = false, with_gradients = false;
  LanguageFlags languages;
  int threads = 0;

  int run() const {
    if (vocabulary) return list_vocabulary();
    const Output output = checked_output();
    const bool paint = stdout_color(parse_color(color));
    use_threads(threads);
    decode::OpenModel m = decode::open_model(model);
    languages.choose(m);
    const Kind kind = find_kind(attention, m.file.config);
    const std::string scope = cat(kind.stack, ".layers.", find_layer(layer, kind), ".", kind.sublayer);
    check_head(head, m.file.config.heads);

    const inspect::Pair pair = read_pair(m);
    const text::Ids second = read_beside(m);
    inspect::Inspection seen = inspect::inspect_pair(*m.backend, *m.file.net, pair, m.target.bos(), m.target.eos());
    const inspect::Side source{pair.source, inspect::pieces(m.source, pair.source)};
    const inspect::Side target{seen.target_in, inspect::pieces(m.target, seen.target_in)};
    if (beside) inspect::add_padded(seen, *m.backend, *m.file.net, pair.source, second, m.source.pad());
    std::cout << tokens(m, pair, source, target, seen) << pictures(kind, scope, source, target, seen, paint);
    if (beside) std::cout << padded(m, pair, second, seen, paint);
    std::cout << std::flush;
    if (output == Output::svg) write_file_atomically(out, svg(kind, scope, source, target, seen));
    if (output == Output::safetensors || output == Output::json) write_numbers(output, m, pair, source, target, seen);
    return 0;
  }

 private:
  int list_vocabulary() const {
    if (*vocabulary != "source" && *vocabulary != "target")
      throw UsageError(cat("--vocabulary ", *vocabulary, " is none of source, target"));
    const decode::OpenModel m = decode::open_model(model);
    std::cout << vocabulary_list(*vocabulary == "source" ? m.source : m.target) << std::flush;
    return 0;
  }

  // The kind of output. UsageError: contradictory or missing options.
  Output checked_output() const {
    if (source_text && source_ids) throw UsageError("--src and --src-ids are two sources; give one of them");
    if (target_text && target_ids) throw UsageError("--tgt and --tgt-ids are two targets; give one of them");
    if (!source_text && !source_ids) throw UsageError("no source given; give --src TEXT or --src-ids IDS");
    const Output output = find_output(out);
    if ((with_weights || with_gradients) && output != Output::safetensors && output != Output::json)
      throw UsageError(cat(with_weights ? "--weights" : "--gradients",
                           " has nowhere to go; give a file that holds numbers: --out FILE.safetensors or FILE.json"));
    return output;
  }

  void write_numbers(Output output, const decode::OpenModel& m, const inspect::Pair& pair, const inspect::Side& source,
                     const inspect::Side& target, inspect::Inspection& seen) const {
    if (with_weights) inspect::add_parameters(seen.seen, *m.file.net);
    if (with_gradients) inspect::add_gradients(seen, *m.backend, *m.file.net, pair);
    const inspect::Side labels{seen.target_out, inspect::pieces(m.target, seen.target_out)};
    const inspect::Legend legend{m.file.config, source, target, labels, whole(m.source), whole(m.target)};
    if (output == Output::safetensors)
      inspect::write_tensors(out, seen.seen, legend);
    else
      write_file_atomically(out, inspect::tensors_as_json(seen.seen, legend));
  }

  static decode::LineWarning say_of(const char* option) {
    return [option](size_t, const std::string& what) { say_on_stderr(cat(option, ": ", what, "\n")); };
  }

  inspect::Pair read_pair(const decode::OpenModel& m) const {
    const inspect::ModelText text{*m.backend, *m.file.net, m.source, m.target};
    inspect::Pair pair;
    const std::optional<int32_t> opening = decode::opened_line(m.target, source_text.value_or("")).opening;
    if (source_text) {
      pair.source = inspect::read_source(text, *source_text, say_of("--src"), inspect::kLongest, "--src");
    } else {
      pair.source = parse_ids(*source_ids, m.source, "--src-ids");
      if (pair.source.empty())
        throw UsageError("--src-ids is empty; give ids, including </s> if the model should see it");
    }
    inspect::check_length(pair.source, "source");
    if (target_text)
      pair.target = inspect::read_target(text, *target_text, opening, say_of("--tgt"));
    else if (target_ids)
      pair.target = parse_ids(*target_ids, m.target, "--tgt-ids");
    else
      pair.target = inspect::best_translation(text, pair.source, opening,
                                              decode::recorded_search(m.file.usage).translate_options().search);
    inspect::check_length(pair.target, "target");
    return pair;
  }

  static std::string tokens(const decode::OpenModel& m, const inspect::Pair& pair, const inspect::Side& source,
                            const inspect::Side& target, const inspect::Inspection& seen) {
    const double per_token = seen.score / static_cast<double>(seen.log_p.size());
    std::string text = fmt::format("source: {}\n", text::printable(m.source.decode(pair.source), ""));
    text += token_list(source.pieces, source.ids, stdout_width());
    text += fmt::format("target: {}\n  log-probability {:.3f}, {:.3f} per token of {} ({} counted)\n",
                        text::printable(m.target.decode(pair.target), ""), seen.score, per_token, seen.log_p.size(),
                        "</s>");
    return text + token_table(target.pieces, inspect::pieces(m.target, seen.target_out), seen) + "\n";
  }

  std::string pictures(const Kind& kind, const std::string& scope, const inspect::Side& source,
                       const inspect::Side& target, const inspect::Inspection& seen, bool paint) const {
    const inspect::Recorded& weights = seen.seen.get(scope + ".weights");
    inspect::Picture picture{kind.rows == "source" ? source.pieces : target.pieces,
                             kind.columns == "source" ? source.pieces : target.pieces,
                             {},
                             masked_cells(seen.seen, scope)};
    return draw_heads(picture, weights, paint, [&](const std::string& title) {
      return fmt::format("{}, {}; rows: {}, columns: {}", scope, title, kind.rows, kind.columns);
    });
  }

  // A picture for each chosen head, on one scale, separated by blank lines.
  template <class Heading>
  std::string draw_heads(inspect::Picture picture, const inspect::Recorded& weights, bool paint,
                         Heading&& heading) const {
    const auto maps = heads_of(weights, head.empty() ? "mean" : head);
    inspect::PictureOptions options{.width = stdout_width(), .color = paint};
    options.high = 0;
    for (const HeadMap& map : maps) options.high = std::max(options.high, inspect::largest(map.values));
    std::string text;
    for (const HeadMap& map : maps) {
      picture.values = map.values;
      text += fmt::format("{}{}\n", text.empty() ? "" : "\n", heading(map.title));
      text += inspect::draw_picture(picture, options);
    }
    return text;
  }

  // The second source; empty if none is requested.
  text::Ids read_beside(const decode::OpenModel& m) const {
    if (!beside) return {};
    return inspect::read_source({*m.backend, *m.file.net, m.source, m.target}, *beside, say_of("--beside"),
                                inspect::kLongest, "--beside");
  }

  // Both sources as a padded batch: tokens, padding mask, and the encoder's attention in each.
  std::string padded(const decode::OpenModel& m, const inspect::Pair& pair, const text::Ids& second,
                     const inspect::Inspection& seen, bool paint) const {
    const inspect::Recorded& mask = seen.seen.get("padded.mask");
    const auto longest = static_cast<size_t>(mask.shape[1]);
    const Labels sources[] = {padded_pieces(m.source, pair.source, longest), padded_pieces(m.source, second, longest)};
    std::string text = fmt::format("\npadded to {} tokens\n", longest);
    for (int s : {0, 1}) text += token_list(sources[s], padded_ids(seen, s), stdout_width());
    return text + mask_table(mask) + draw_padded(m, sources, seen, paint);
  }

  static Labels padded_pieces(const text::Vocabulary& v, const text::Ids& ids, size_t longest) {
    Labels all = inspect::pieces(v, ids);
    all.resize(longest, "<pad>");
    return all;
  }
  static text::Ids padded_ids(const inspect::Inspection& seen, int source) {
    const inspect::Recorded& ids = seen.seen.get("padded.ids");
    const auto row = ids.values.begin() + source * ids.shape[1];
    return {row, row + ids.shape[1]};
  }
  static std::string mask_table(const inspect::Recorded& mask) {
    std::string text = "\npadding mask, added to every row of the scores; rows: sources, columns: tokens\n";
    for (int64_t s : {0, 1}) {
      text += fmt::format("  {}:", s + 1);
      for (int64_t u = 0; u < mask.shape[1]; ++u) text += mask.values[s * mask.shape[1] + u] < 0 ? " -inf" : "    0";
      text += "\n";
    }
    return text;
  }
  std::string draw_padded(const decode::OpenModel& m, const Labels (&sources)[2], const inspect::Inspection& seen,
                          bool paint) const {
    if (!encoder_attends(m.file.config)) return "\nno picture: the encoder of this model has no attention\n";
    const Kind kind = find_kind("encoder", m.file.config);
    const std::string scope =
        cat("padded.encoder.layers.", find_layer(attention == "encoder" ? layer : "last", kind), ".self_attention");
    std::string text;
    for (int s : {0, 1}) {
      const inspect::Picture picture{
          sources[s],
          sources[s],
          {},
          inspect::masked_by(inspect::of_source(seen.seen.get(scope + ".scores"), s).head(0))};
      text += "\n" + draw_heads(picture, inspect::of_source(seen.seen.get(scope + ".weights"), s), paint,
                                [&](const std::string& title) { return cat(scope, ", source ", s + 1, ", ", title); });
    }
    return text;
  }

  std::string svg(const Kind& kind, const std::string& scope, const inspect::Side& source, const inspect::Side& target,
                  const inspect::Inspection& seen) const {
    const std::string axes = kind.rows == kind.columns ? fmt::format("rows and columns: {}", kind.rows)
                                                       : fmt::format("rows: {}, columns: {}", kind.rows, kind.columns);
    inspect::SvgSheet sheet{fmt::format("{}, {} layer {}", kind.title, kind.stack, find_layer(layer, kind)),
                            fmt::format("{}.weights; each row is the attention of one token; {}", scope, axes),
                            kind.rows == "source" ? source.pieces : target.pieces,
                            kind.columns == "source" ? source.pieces : target.pieces,
                            {}};
    for (HeadMap& map : heads_of(seen.seen.get(scope + ".weights"), head.empty() ? "all" : head))
      sheet.maps.push_back({map.title, std::move(map.values), masked_cells(seen.seen, scope)});
    return inspect::draw_svg(sheet);
  }
};

}  // namespace

void add_inspect(Command& app, Action& chosen) {
  auto i = std::make_shared<Inspect>();
  Command* c = app.add_command("inspect", "look inside a model while it reads one pair of sentences");
  c->add_option("-m,--model", i->model, "model file or training folder")->type_name("MODEL");
  c->add_option("--src", i->source_text, "the source sentence; </s> is added")->type_name("TEXT");
  c->add_option("--src-ids", i->source_ids, "the source as token ids, exactly as given")->type_name("IDS");
  c->add_option("--tgt", i->target_text, "the target sentence; if absent, the source is translated")->type_name("TEXT");
  c->add_option("--tgt-ids", i->target_ids, "the target as token ids, without <s> and </s>")->type_name("IDS");
  c->add_option("--attention", i->attention, "encoder, decoder (self-attention) or cross")->default_str("cross");
  c->add_option("--layer", i->layer, "from 0, or last")->type_name("N")->default_str("last");
  c->add_option("--head", i->head, "from 0, all, or mean; default for an image: all")
      ->type_name("N")
      ->default_str("mean");
  c->add_option("--out", i->out, "also write every intermediate (.safetensors, .json) or the attention maps (.svg)")
      ->check(output_file())
      ->type_name("FILE");
  c->add_flag("--weights", i->with_weights, "with --out: every parameter, too; W_Q, W_K and W_V apart");
  c->add_flag("--gradients", i->with_gradients,
              "with --out: the derivative of the loss with respect to every intermediate and every parameter, too");
  c->add_option("--beside", i->beside, "a second source: show both as a padded batch, with its padding mask")
      ->type_name("TEXT");
  c->add_option("--vocabulary", i->vocabulary, "only list a vocabulary: each id and its piece; source or target")
      ->type_name("SIDE")
      ->choices({"source", "target"});
  c->add_option("--color", i->color, "auto, always or never")
      ->default_str("auto")
      ->choices({"auto", "always", "never"});
  i->languages.bind(*c);
  c->add_option("--threads", i->threads, ranges::threads,
                "compute threads; 0: one per available core; the result does not depend on it")
      ->default_str("0");
  for (const Option& option : c->options())
    if (const std::string name = option.parsed().get_lnames().front();
        name != "model" && name != "vocabulary" && name != "color" && name != "threads")
      c->get_option("--" + name)->when([i = i.get(), name] {
        if (name == "source-language" && i->source_ids && !i->beside)
          return When{false, "is for text, but `src-ids` gives tokens: leave one of them out"};
        if (name == "target-language" && i->target_ids)
          return When{false, "is for text, but `tgt-ids` gives tokens: leave one of them out"};
        return When{!i->vocabulary, "is for a pair of sentences, but `vocabulary` lists pieces: leave one of them out"};
      });
  c->footer(
      "Examples:\n"
      "  hexapla inspect -m run --src 'A dog runs.'\n"
      "  hexapla inspect -m run --src 'A dog runs.' --tgt 'Ein Hund rennt.' --attention encoder --layer 0 --head all\n"
      "  hexapla inspect -m run --src 'A dog runs.' --out attention.svg\n"
      "  hexapla inspect -m run --src-ids '17 45 8 2' --out everything.safetensors\n"
      "  hexapla inspect -m run --src 'A dog runs.' --out everything.safetensors --weights --gradients\n"
      "  hexapla inspect -m run --src 'A dog runs.' --beside 'A dog.' --attention encoder --layer 0\n"
      "  hexapla inspect -m run --vocabulary source\n"
      "Rows of a map are queries, columns are keys. The decoder reads <s> and the target, and predicts the target and\n"
      "</s>: a row of the target is the token that is read, not the one that is predicted. The metadata of a\n"
      "file of numbers says of each tensor by which formula it follows from the others.");
  c->callback([i, &chosen] { chosen = [i] { return i->run(); }; });
}

}  // namespace hexapla::cli
