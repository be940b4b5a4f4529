#include "inspect/files/formulas.h"

#include <fmt/format.h>

#include <map>

#include "base/error.h"
#include "base/json.h"

namespace hexapla::inspect {
namespace {

using Formulas = std::vector<Formula>;
using model::Config;

std::string sinusoids(const Config& c) {
  const int64_t d = c.d_model, half = (d + 1) / 2, from = c.first_position;
  if (c.positions == "sinusoidal")
    return fmt::format(
        "PE(pos, 2i) = sin(pos / 10000^(2i / {0})), PE(pos, 2i + 1) = cos(pos / 10000^(2i / {0})); "
        "pos counts from {1}",
        d, from);
  const std::string exponent =
      c.positions == "timing-signal" ? fmt::format("i / {}", d / 2 - 1) : fmt::format("2i / {}", d);
  return fmt::format(
      "PE(pos, i) = sin(pos / 10000^({0})), PE(pos, {1} + i) = cos(pos / 10000^({0})); pos counts from {2}", exponent,
      half, from);
}

Formulas of_the_input(const Config& c) {
  const std::string target_table = c.tied == "all" ? "embeddings.0.table" : "embeddings.1.table";
  const std::string scale = c.embedding_scale == "none" ? "" : fmt::format("sqrt({}) * ", c.d_model);
  Formulas all{{"encoder.tokens", scale + "embeddings.0.table[source.ids]"},
               {"decoder.tokens", fmt::format("{}{}[target.ids]", scale, target_table)}};
  if (c.positions == "learned")
    all.push_back({"*.positions", "*.input.positions.table[pos]"});
  else if (c.positions == "none")
    all.push_back({"*.positions", "0: this model has none"});
  else
    all.push_back({"*.positions", sinusoids(c)});
  all.push_back({"*.embedded", "tokens + positions"});
  if (c.embedding_norm)
    all.push_back({"*.input.norm", "LayerNorm(embedded), by row: (x - mean) / sqrt(variance + eps) * gain + bias"});
  return all;
}

const char* first_of_a_stack(const Config& c) { return c.embedding_norm ? "input.norm" : "embedded"; }

std::string before(const Config& c) {
  if (c.norm_position == "pre") return "norm of the same sublayer";
  return std::string("norm of the sublayer before; of the first one ") + first_of_a_stack(c);
}

std::string memory(const Config& c) {
  return c.has_last_norm() ? "encoder.norm" : fmt::format("encoder.layers.{}.feed_forward.norm", c.enc_layers - 1);
}

Formulas of_the_score(const Config& c) {
  if (c.score == "additive")
    return {{"*_attention.scores",
             "of each head: sum over i of heads.score.weight[i] * tanh(q[i] + k[i]); "
             "decoder.*.self_attention: + decoder.mask"}};
  if (c.score == "linear-kernel")
    return {{"*_attention.unscaled", "q k^T, of each head"},
            {"*_attention.scores",
             "phi(q) phi(k)^T, of each head; phi(x) = x + 1 for x > 0, else exp(x); -inf where decoder.mask is"}};
  const std::string scale = c.score == "dot" ? "" : fmt::format(" / sqrt({})", c.d_k);
  return {{"*_attention.unscaled", "q k^T, of each head"},
          {"*_attention.scores", fmt::format("unscaled{}; decoder.*.self_attention: + decoder.mask", scale)}};
}

// n: the number of keys visible to a query. Invisible keys have weight 0.
std::string weights_of(const Config& c) {
  if (c.score == "sigmoid") return "1 / (1 + n exp(-scores)), n: the scores of the row that are not -inf";
  if (c.score == "relu") return "max(0, scores) / n, n: the scores of the row that are not -inf";
  if (c.score == "unnormalized") return "scores / n, n: the scores of the row that are not -inf; 0 where they are";
  if (c.score == "top-4") return "softmax of the four highest scores of a row, 0 elsewhere";
  if (c.score == "linear-kernel") return "scores / their sum, by row; 0 where they are -inf";
  return "softmax(scores), by row";
}

Formulas of_attention(const Config& c) {
  const auto product = [&](const char* x, const std::string& name) {
    return fmt::format("{0} {1}.weight{2}", x, name, c.attention_bias ? " + " + name + ".bias" : "");
  };
  const std::string of_head = fmt::format("; head h has the columns h * {0} to h * {0} + {1}", c.d_k, c.d_k - 1);
  Formulas all{{"*.cross_attention.q", product("x", "query") + of_head + "; x: " + before(c)},
               {"*.cross_attention.k", product("memory", "key") + "; memory: " + memory(c)},
               {"*.cross_attention.v", product("memory", "value") + "; memory as for k"}};
  const bool of_source = c.encoder_mixing == "attention", of_target = c.decoder_mixing == "attention";
  if (of_source || of_target) {
    all.push_back({"*.self_attention.q", product("x", "query") + of_head + "; x: " + before(c)});
    all.push_back({"*.self_attention.k", product("x", "key") + "; x as for q"});
    all.push_back({"*.self_attention.v", product("x", "value") + "; x as for q"});
  }
  if (of_target)
    all.push_back({"decoder.mask", c.decoder_mask == "causal" ? "0 where u <= t, else -inf: token t sees no later one"
                                                              : "0: token t sees later ones, too"});
  for (const Formula& f : of_the_score(c)) all.push_back(f);
  all.push_back({"*_attention.weights", weights_of(c)});
  all.push_back({"*_attention.heads", "weights v of each head, side by side: Concat(head_1, ..., head_h)"});
  all.push_back({"*_attention.output", product("heads", "output")});
  return all;
}

// Alternatives to the decoder's self-attention.
Formulas of_target_mixing(const Config& c) {
  if (c.decoder_mixing == "attention") return {};
  return {{"decoder.*.recurrence.candidate", "x candidate.weight; x: " + before(c)},
          {"decoder.*.recurrence.forget", "sigmoid(x forget.weight + forget.bias); x as for candidate"},
          {"decoder.*.recurrence.cell",
           "forget * the cell of the token before, 0 at first, + (1 - forget) * candidate, element by element"},
          {"decoder.*.recurrence.output", "max(0, cell)"}};
}

// Alternatives to the encoder's self-attention.
Formulas of_mixing(const Config& c) {
  if (c.encoder_mixing == "gru")
    return {
        {"*.recurrence.*.reset",
         "sigmoid(x W_r + b_r + h U_r + c_r); W = [W_r W_z W_n] and b: input.weight and input.bias, U and c: "
         "state.weight and state.bias; h: the state of the token before (back: after), 0 at first; x: " +
             before(c)},
        {"*.recurrence.*.update", "sigmoid(x W_z + b_z + h U_z + c_z)"},
        {"*.recurrence.*.candidate", "tanh(x W_n + b_n + reset * (h U_n + c_n))"},
        {"*.recurrence.output", "the states (1 - update) * candidate + update * h of onward and back, side by side"}};
  if (c.encoder_mixing == "convolution")
    return {{"*.convolution.output",
             fmt::format("x[t - {0}] W_0 + ... + x[t + {0}] W_{1} + kernel.bias; the W_j lie below one another in "
                         "kernel.weight; x: {2}; it is 0 beyond the ends of the sentence",
                         c.kernel_width / 2, c.kernel_width - 1, before(c))}};
  return {};
}

Formulas of_experts(const Config& c, const std::string& f) {
  const std::string gates =
      c.experts_per_token == 1
          ? "the largest of probabilities, by row; 0 of the other experts"
          : fmt::format("the {} largest of probabilities divided by their sum, by row; 0 of the other experts",
                        c.experts_per_token);
  return {
      {"*.feed_forward.probabilities", "softmax(x router.weight), by row: of each expert; x: " + before(c)},
      {"*.feed_forward.gates", gates},
      {"*.feed_forward.output",
       fmt::format("sum over e of gates[:, e] * (hidden experts.e.outer.weight + experts.e.outer.bias), hidden = {}, "
                   "inner = x experts.e.inner.weight + experts.e.inner.bias; x as for probabilities",
                   f)}};
}

Formulas of_feed_forward(const Config& c) {
  const std::map<std::string, std::string> all_of_them{
      {"relu", "max(0, inner)"},
      {"gelu", "inner * Phi(inner)"},
      {"swish", "inner / (1 + exp(-inner))"},
      {"gelu-tanh", "inner * (1 + tanh(sqrt(2 / pi) * (inner + 0.044715 * inner^3))) / 2"}};
  const std::string& f = all_of_them.at(c.activation);
  if (c.experts > 0) return of_experts(c, f);
  Formulas all{{"*.feed_forward.inner", "x inner.weight + inner.bias; x: " + before(c)}};
  if (c.gated) all.push_back({"*.feed_forward.linear", "x linear.weight + linear.bias; x as for inner"});
  all.push_back({"*.feed_forward.hidden", c.gated ? f + " * linear" : f});
  all.push_back({"*.feed_forward.output", "hidden outer.weight + outer.bias"});
  return all;
}

Formulas of_the_residual(const Config& c) {
  const bool pre = c.norm_position == "pre";
  const std::string norm = c.norm == "none" ? "x; this model has no norms"
                           : c.norm == "batch"
                               ? "(x - running_mean) / sqrt(running_variance + eps) * gain + bias"
                               : "(x - mean) / sqrt(variance + eps) * gain + bias, mean and variance of each row";
  const std::string stream = std::string("sum of the sublayer before; of the first one ") + first_of_a_stack(c);
  Formulas all{{"*.sum", fmt::format("x + output; x: {}", pre ? stream : before(c))}};
  if (c.has_last_norm())
    for (const std::string stack : {"encoder", "decoder"})
      all.push_back({stack + ".norm", fmt::format("{}; x: the {} of the last sublayer; last_norm.gain, last_norm.bias",
                                                  norm, pre ? "sum" : "norm")});
  all.push_back({"*.norm", fmt::format("{}, eps = {:g}; x: {}", norm, c.norm_eps, pre ? stream : "sum")});
  return all;
}

Formulas of_the_generator(const Config& c) {
  const std::string last =
      c.has_last_norm() ? "decoder.norm" : fmt::format("decoder.layers.{}.feed_forward.norm", c.dec_layers - 1);
  const std::string weight = c.tied == "none"  ? "generator.weight"
                             : c.tied == "all" ? "embeddings.0.table^T"
                                               : "embeddings.1.table^T";
  const char* bias = c.generator_bias ? " + generator.bias" : "";
  return {{"generator.logits", fmt::format("{} {}{}", last, weight, bias)},
          {"generator.log_probabilities", "logits - log(sum(exp(logits))), by row: log_softmax"},
          {"loss", "-sum over t of generator.log_probabilities[t, target.labels[t]]"}};
}

Formulas of_parameters() {
  return {{"*.query.weight", "parameter, W_Q of all heads side by side"},
          {"*.key.weight", "parameter, W_K of all heads side by side"},
          {"*.value.weight", "parameter, W_V of all heads side by side"},
          {"*_attention.output.weight", "parameter, W_O"},
          {"*.router.weight", "parameter, W_r: a column for each expert"},
          {"*.inner.weight", "parameter, W_1"},
          {"*.outer.weight", "parameter, W_2"},
          {"embeddings.*.table", "parameter, a row for each piece"},
          {"*.running_*", "statistic of BatchNorm"},
          {"*.weight", "parameter"},
          {"*.bias", "parameter"},
          {"*.gain", "parameter"},
          {"*.table", "parameter"}};
}

const Formulas kIds{{"source.ids", "the tokens of the source"},
                    {"target.ids", "what the decoder reads: <s> and the tokens of the target"},
                    {"target.labels", "what it is asked for: the tokens of the target and </s>"},
                    {"padded.ids", "two sources, the shorter one with padding behind it"},
                    {"padded.mask", "0 at a token, -inf at padding: added to every row of the padded scores"},
                    {"padded.*", "the same tensor of two sources; rows of padding are 0"},
                    {"gradient.*", "the derivative of loss with respect to that tensor"}};

}  // namespace

std::vector<Formula> formulas(const Config& c) {
  Formulas all = kIds;
  for (const Formulas& part : {of_the_input(c), of_attention(c), of_target_mixing(c), of_mixing(c), of_feed_forward(c),
                               of_the_residual(c), of_the_generator(c), of_parameters()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

bool named_like(std::string_view name, std::string_view pattern) {
  size_t n = 0, p = 0, after_star = pattern.npos, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++n, ++p;
    } else if (after_star != pattern.npos) {  // the last star takes one more character
      n = ++retry;
      p = after_star;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::string formula_of(std::string_view name, const std::vector<Formula>& all) {
  for (const auto& [tensor, formula] : all)
    if (named_like(name, tensor)) return formula;
  return "";
}

std::string formulas_as_json(const Config& config) {
  nlohmann::ordered_json table;
  for (const auto& [tensor, formula] : formulas(config)) {
    HEXAPLA_CHECK(!table.contains(tensor), "two formulas for ", tensor);
    table[tensor] = formula;
  }
  return json_text(table);
}

}  // namespace hexapla::inspect
