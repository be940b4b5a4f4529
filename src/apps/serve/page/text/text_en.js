// Languages, files and documents, in English.
export const text_english = {
  from: "From", to: "To", model: "Model", detect: "Detect language", detected: "Detected: {language}, {percent} %", undetected: "Not recognized as one of these: {languages}. Choose the language.",
  no_reader: "No model here reads this language. Choose another one, or serve a model: -m {option}", no_reverse: "No model here translates from {from} to {to}. Serve one: -m {option}",
  open_file: "Open file", clear: "Clear", copy: "Copy", copy_help: "Copy translation", formats: "Formats: {formats}", text_here: "Type or paste a text, or drop a file: {formats}",
  not_utf8: "{name} is neither UTF-8 nor UTF-16. Save it as UTF-8 and open it again.", file_done: "The translated file:",
  nothing_to_copy: "There is no translation yet.", copied: "The translation is copied.", copied_part: "Copied, but only {done} of {all} lines are translated so far.",
  document: "Text and translation, line by line", line_n: "Text, line {n}", lines_done: "{done} of {all} lines translated", try_again: "Try again",
  line_too_long: "Line {n} has {characters} characters; this server accepts {limit} in a line. Divide it with Enter.",
  document_point: "Point at a sentence to see its translation. The views below look into the sentence with the caret.",
};
