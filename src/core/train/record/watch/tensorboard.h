#pragma once
// Writes TensorBoard event files without TensorBoard: TFRecord frames (length, masked CRC-32C,
// bytes, masked CRC-32C) around Event messages of event.proto and summary.proto, in Protocol
// Buffers wire format.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hexapla::train {

struct EventScalar {
  std::string tag;  // "train/loss"
  double value;     // written as f32
};
struct EventText {
  std::string tag, text;  // the text is shown as Markdown
};
struct Event {
  double wall_time = 0;  // seconds since 1970
  int64_t step = 0;
  std::string file_version;    // only in a file's first event
  bool session_start = false;  // readers discard what earlier files recorded for this and later steps
  std::vector<EventScalar> scalars;
  std::vector<EventText> texts;
};

// One framed event, as written to the file.
std::string event_record(const Event& event);

// CRC-32C (Castagnoli): 0xE3069283 for "123456789".
uint32_t crc32c(std::string_view bytes);

// One file per start of a run: DIR/events.out.tfevents.<time>.<host>.<process>, created with the
// first event. A run that resumed at `step` records that, so readers drop events from the lost
// part.
class EventFile {
 public:
  EventFile(std::string folder, int64_t resumed_at);
  // Adds the time and flushes immediately. RunError: cannot be written.
  void add(Event event);

 private:
  void append(const std::string& bytes) const;
  std::string folder_, path_;
  int64_t resumed_at_;
};

// Markdown code block: indents each line, so that no text is taken for markup.
std::string markdown_code(std::string_view text);

}  // namespace hexapla::train
