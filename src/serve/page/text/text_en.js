// The texts of translating as people expect it, in English.
export const text_english = {
  from: "From", to: "To", model: "Model", detect: "Detect language", detected: "Detected: {language}, {percent} %",
  undetected: "The language is not recognized as one of these: {languages}. Choose it.",
  no_reader: "This looks like {language} ({percent} %), but no model here reads it. Choose another language, or serve a model for it: -m {option}",
  no_reverse: "No model here translates from {from} to {to}. Serve one: -m {option}",
  open_file: "Open file", clear: "Clear", copy: "Copy", copy_help: "Copy the translation", txt_help: "Save the translation as text", tsv_help: "Save text and translation as a table",
  formats: "Formats: {formats}", text_here: "Type or paste a text, or drop a file: {formats}", no_format: "{name} has another format. Formats: {formats}",
  not_utf8: "{name} is neither UTF-8 nor UTF-16. Save it as UTF-8 and open it again.", empty_file: "{name} has no text.",
  translating_file: "Translating {name}…", file_done: "The translated file:", file_stem: "translation",
  nothing_to_copy: "There is no translation yet.", copied: "The translation is copied.", copied_part: "Copied, but only {done} of {all} lines are translated so far.",
  document: "Text and translation, line by line", line_n: "Text, line {n}", lines_done: "{done} of {all} lines translated", characters: "{n} characters",
  line_too_long: "Line {n} has {characters} characters; this server accepts {limit} in a line. Divide it with Enter.", lines_too_long: "Too long for this server: {n}", try_again: "Try again",
  document_point: "Point at a sentence, or put the caret into it, to see its translation.",
  document_help: "Changed lines are translated again. The views below look into the sentence with the caret. Enter divides a line; Backspace at its beginning joins it to the one above.",
};
