// 注意力头各画法的中文文字。
export const heads_chinese = {
  as_heads: "彩色显示所有头", as_neuron: "逐步算出一个权重", heads_drawn: "头：", heads_all: "全部",
  heads_keys: "单击显示或隐藏此头；双击，或按 Shift 加回车，只看此头。",
  heads_help: "指向一个词元，或使用方向键，只看它的连线，以及每个头关注哪里。单击头的序号可隐藏此头，双击则只看此头。",
  neuron_vectors: "{query} 的 q，{key} 的 k", neuron_element: "元素", neuron_help: "一个权重是怎样算出来的：一个词元的查询与另一个词元的键相遇。",
  neuron_sum: "逐个元素相乘，再加起来（由本页计算）：", neuron_scale: "除以 √dₖ，以免维度大时 softmax 过于尖锐（得分由服务器给出）：",
  neuron_hidden: "掩码遮住了这个键，查询看不到它：", neuron_softmax: "对这个查询的 {n} 个键做 softmax（权重由服务器给出）：",
  neuron_other_score: "此模型的得分算法：{formula}", neuron_other_weight: "此模型的权重算法：{formula}", neuron_all_keys: "{token} 对所有键的得分和权重",
  no_attention: "此模型在这里没有注意力，而由另一种层混合词元。图 1 给出它的数值。",
};
