// 语言、文件与长文本的中文界面。
export const text_chinese = {
  from: "从", to: "译为", model: "模型", detect: "检测语言", detected: "检测到：{language}，{percent}%", undetected: "无法判定是以下哪种语言：{languages}。请选择语言。",
  no_reader: "此处没有读这种语言的模型。请选择另一种语言，或提供一个模型：-m {option}", no_reverse: "此处没有从{from}译为{to}的模型。可以提供一个：-m {option}",
  open_file: "打开文件", clear: "清空", copy: "复制", copy_help: "复制译文", formats: "格式：{formats}", text_here: "输入或粘贴文本，或拖入文件：{formats}",
  not_utf8: "{name} 既不是 UTF-8 也不是 UTF-16。请另存为 UTF-8 后再打开。", file_done: "译好的文件：",
  nothing_to_copy: "还没有译文。", copied: "译文已复制。", copied_part: "已复制，但目前只译好 {all} 行中的 {done} 行。",
  document: "逐行对照的原文与译文", line_n: "原文第 {n} 行", lines_done: "{all} 行中已译 {done} 行", try_again: "重试",
  line_too_long: "第 {n} 行有 {characters} 个字符；此服务器每行最多接受 {limit} 个。请按 Enter 键将其分开。",
  document_point: "指向一个句子，即可看到它的译文。下面的视图所看的是光标所在的句子。",
};
