#pragma once
// TensorBoard's event files, without TensorBoard: TFRecord frames (length, masked CRC-32C, bytes, masked CRC-32C)
// around Event messages of event.proto and summary.proto, in the wire format of Protocol Buffers.
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
  std::string file_version;    // only of a file's first event
  bool session_start = false;  // readers forget what an earlier file says of this step and later ones
  std::vector<EventScalar> scalars;
  std::vector<EventText> texts;
};

// One framed event, as it stands in the file.
std::string event_record(const Event& event);

// CRC-32C (Castagnoli): 0xE3069283 for "123456789".
uint32_t crc32c(std::string_view bytes);

// A file of its own for every start of a run: DIR/events.out.tfevents.<time>.<host>.<process>. It is made with the
// first event; a run that resumed at `step` says so there, and readers drop what a lost part of the run had written.
class EventFile {
 public:
  EventFile(std::string folder, int64_t resumed_at);
  // Stamped with the clock and flushed at once. RunError: cannot be written.
  void add(Event event);

 private:
  void append(const std::string& bytes) const;
  std::string folder_, path_;
  int64_t resumed_at_;
};

// Markdown code: each line indented, so that nothing of the text is taken for markup.
std::string markdown_code(std::string_view text);

}  // namespace hexapla::train
