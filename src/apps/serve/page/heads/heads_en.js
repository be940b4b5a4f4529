// The texts of the drawings of heads, in English.
export const heads_english = {
  as_heads: "all heads in color", as_neuron: "one weight, step by step", heads_drawn: "Heads:", heads_all: "all",
  heads_keys: "Click to show or hide this head; double click, or Shift and Enter, to see it alone.",
  heads_help: "Point at a token, or use the arrow keys, to see its lines alone and where each head looks. Click a head's number to hide it, double click to see it alone.",
  neuron_vectors: "q of {query}, k of {key}", neuron_element: "element", neuron_help: "How one weight comes about: the query of one token meets the key of another one.",
  neuron_sum: "The products of the elements, added up (on this page):", neuron_scale: "Divided by √dₖ, so that large widths do not sharpen the softmax (the server's score):",
  neuron_hidden: "The mask hides this key from the query:", neuron_softmax: "Softmax over the {n} keys of the query (the weight is the server's):",
  neuron_other_score: "This model computes its score as: {formula}", neuron_other_weight: "This model computes its weights as: {formula}", neuron_all_keys: "The scores and weights of all keys for {token}",
  no_attention: "This model has no attention here: another layer mixes the tokens. Figure 1 shows its numbers.",
};
