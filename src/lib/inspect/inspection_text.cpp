#include "lib/inspect/inspection_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "base/error.h"
#include "inspect/drawing/picture.h"
#include "inspect/drawing/svg.h"
#include "inspect/padded.h"
#include "inspect/text_pair.h"
#include "text/utf8.h"

namespace hexapla::api {
namespace {

using Labels = std::vector<std::string>;

AttentionPlace find_kind(const std::string& name, const model::Config& c) {
  if (name == "encoder" && c.encoder_mixing != "attention")
    throw UsageError(cat("`attention` encoder: the encoder of this model has no attention, but a ", c.encoder_mixing,
                         "; give decoder or cross"));
  if (name == "decoder" && c.decoder_mixing != "attention")
    throw UsageError(cat("`attention` decoder: the decoder of this model has no self-attention, but an ",
                         c.decoder_mixing, "; give encoder or cross"));
  if (name == "encoder") return {"Self-attention", "encoder", "self_attention", "source", "source", c.enc_layers};
  if (name == "decoder")
    return {"Self-attention", "decoder", "self_attention", "target as read", "target as read", c.dec_layers};
  if (name == "cross")
    return {"Cross-attention", "decoder", "cross_attention", "target as read", "source", c.dec_layers};
  throw UsageError(cat("`attention` ", name, " is none of encoder, decoder, cross"));
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

// The tokens of a side with their ids, wrapped to `columns`.
std::string token_list(const Labels& tokens, const text::Ids& ids, int columns) {
  std::string text, line = " ";
  for (size_t i = 0; i < ids.size(); ++i) {
    const std::string next = fmt::format(" {} {} ", text::printable(tokens[i], ""), ids[i]);
    if (text::width(line) + text::width(next) > columns && line.size() > 1) {
      text += line + "\n";
      line.assign(1, ' ');
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

// Draws a picture for each chosen head, all on one scale, separated by blank lines.
template <class Heading>
std::string draw_heads(inspect::Picture picture, const inspect::Recorded& weights, const Drawing& drawing,
                       Heading&& heading) {
  const auto maps = heads_of(weights, drawing.head.empty() ? "mean" : drawing.head);
  inspect::PictureOptions options{.width = drawing.width, .color = drawing.color};
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

Labels padded_pieces(const text::Vocabulary& v, const text::Ids& ids, size_t longest) {
  Labels all = inspect::pieces(v, ids);
  all.resize(longest, "<pad>");
  return all;
}

text::Ids padded_ids(const inspect::Inspection& seen, int source) {
  const inspect::Recorded& ids = seen.seen.get("padded.ids");
  const auto row = ids.values.begin() + source * ids.shape[1];
  return {row, row + ids.shape[1]};
}

std::string mask_table(const inspect::Recorded& mask) {
  std::string text = "\npadding mask, added to every row of the scores; rows: sources, columns: tokens\n";
  for (int64_t s : {0, 1}) {
    text += fmt::format("  {}:", s + 1);
    for (int64_t u = 0; u < mask.shape[1]; ++u) text += mask.values[s * mask.shape[1] + u] < 0 ? " -inf" : "    0";
    text += "\n";
  }
  return text;
}

std::string draw_padded(const InspectedPair& shown, std::span<const Labels> sources, const std::string& layer,
                        const Drawing& drawing) {
  const model::Config& config = shown.model.file.config;
  if (config.encoder_mixing != "attention") return "\nno picture: the encoder of this model has no attention\n";
  const std::string scope = cat("padded.", find_attention("encoder", layer, config).scope());
  const inspect::Recorder& seen = shown.seen.seen;
  std::string text;
  for (size_t s = 0; s < sources.size(); ++s) {
    const auto source = static_cast<int64_t>(s);
    const inspect::Picture picture{sources[s],
                                   sources[s],
                                   {},
                                   inspect::masked_by(inspect::of_source(seen.get(scope + ".scores"), source).head(0))};
    text += "\n";
    text += draw_heads(picture, inspect::of_source(seen.get(scope + ".weights"), source), drawing,
                       [&](const std::string& title) { return cat(scope, ", source ", s + 1, ", ", title); });
  }
  return text;
}

const Labels& labels(const InspectedPair& shown, const std::string& axis) {
  return axis == "source" ? shown.source.pieces : shown.target.pieces;
}

}  // namespace

std::string AttentionPlace::scope() const { return cat(stack, ".layers.", layer, ".", sublayer); }

AttentionPlace find_attention(const std::string& kind, const std::string& layer, const model::Config& config) {
  AttentionPlace place = find_kind(kind, config);
  const int64_t last = place.layer - 1;
  const auto n = layer == "last" ? last : parse_number<int64_t>(layer);
  if (!n || *n < 0 || *n > last)
    throw UsageError(
        cat("`layer` ", layer, ": the ", place.stack, " has the layers 0 to ", last, "; give one, or last"));
  place.layer = *n;
  return place;
}

void check_head(const std::string& head, int64_t count) {
  if (head.empty() || head == "mean" || head == "all") return;
  const auto n = parse_number<int64_t>(head);
  if (!n || *n < 0 || *n >= count)
    throw UsageError(cat("`head` ", head, ": the layer has the heads 0 to ", count - 1, "; give one, all, or mean"));
}

std::string vocabulary_text(const text::Vocabulary& v) {
  std::string text;
  for (int32_t id = 0; id < v.size(); ++id) text += fmt::format("{}\t{}\n", id, text::printable(v.piece(id), ""));
  return text;
}

std::string tokens_text(const InspectedPair& shown, int width) {
  const auto& [m, pair, seen, source, target] = shown;
  const double per_token = seen.score / static_cast<double>(seen.log_p.size());
  std::string text = fmt::format("source: {}\n", text::printable(m.source.decode(pair.source), ""));
  text += token_list(source.pieces, source.ids, width);
  text +=
      fmt::format("target: {}\n  log-probability {:.3f}, {:.3f} per token of {} ({} counted)\n",
                  text::printable(m.target.decode(pair.target), ""), seen.score, per_token, seen.log_p.size(), "</s>");
  return text + token_table(target.pieces, inspect::pieces(m.target, seen.target_out), seen) + "\n";
}

std::string attention_text(const InspectedPair& shown, const AttentionPlace& place, const Drawing& drawing) {
  const std::string scope = place.scope();
  const inspect::Recorder& seen = shown.seen.seen;
  const inspect::Picture picture{
      labels(shown, place.rows), labels(shown, place.columns), {}, masked_cells(seen, scope)};
  return draw_heads(picture, seen.get(scope + ".weights"), drawing, [&](const std::string& title) {
    return fmt::format("{}, {}; rows: {}, columns: {}", scope, title, place.rows, place.columns);
  });
}

std::string padded_text(const InspectedPair& shown, const text::Ids& second, const std::string& layer,
                        const Drawing& drawing) {
  const text::Vocabulary& v = shown.model.source;
  const inspect::Recorded& mask = shown.seen.seen.get("padded.mask");
  const auto longest = static_cast<size_t>(mask.shape[1]);
  const Labels sources[] = {padded_pieces(v, shown.pair.source, longest), padded_pieces(v, second, longest)};
  std::string text = fmt::format("\npadded to {} tokens\n", longest);
  for (int s : {0, 1}) text += token_list(sources[s], padded_ids(shown.seen, s), drawing.width);
  return text + mask_table(mask) + draw_padded(shown, sources, layer, drawing);
}

std::string attention_svg(const InspectedPair& shown, const AttentionPlace& place, const std::string& head) {
  const std::string scope = place.scope();
  const std::string axes = place.rows == place.columns
                               ? fmt::format("rows and columns: {}", place.rows)
                               : fmt::format("rows: {}, columns: {}", place.rows, place.columns);
  inspect::SvgSheet sheet{fmt::format("{}, {} layer {}", place.title, place.stack, place.layer),
                          fmt::format("{}.weights; each row is the attention of one token; {}", scope, axes),
                          labels(shown, place.rows),
                          labels(shown, place.columns),
                          {}};
  for (HeadMap& map : heads_of(shown.seen.seen.get(scope + ".weights"), head.empty() ? "all" : head))
    sheet.maps.push_back({map.title, std::move(map.values), masked_cells(shown.seen.seen, scope)});
  return inspect::draw_svg(sheet);
}

}  // namespace hexapla::api
