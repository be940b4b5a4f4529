#include "documents/xml/xml_events.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/system/cancellation.h"
#include "text/ascii.h"

namespace hexapla::text::document {
namespace {

#if XML_MAJOR_VERSION == 2 && XML_MINOR_VERSION < 9  // which adds the names with 64 and deprecates the others
auto XML_GetCurrentByteIndex64(XML_Parser parser) { return XML_GetCurrentByteIndex(parser); }
auto XML_GetCurrentByteCount64(XML_Parser parser) { return XML_GetCurrentByteCount(parser); }
auto XML_GetCurrentLineNumber64(XML_Parser parser) { return XML_GetCurrentLineNumber(parser); }
auto XML_GetCurrentColumnNumber64(XML_Parser parser) { return XML_GetCurrentColumnNumber(parser); }
#endif

using EventKind = XmlEvent::Kind;

constexpr std::size_t kDeepestElement = 1000;
constexpr std::size_t kMostDeclared = 100;     // attributes of a document type: each element gets all those of its name
constexpr std::size_t kMostParts = 5'000'000;  // a gigabyte, including what documents keep for each part

bool is_utf_16(std::string_view xml) {
  const std::string_view first = xml.substr(0, 4);
  return first.starts_with("\xFE\xFF") || first.starts_with("\xFF\xFE") || first.find('\0') != std::string_view::npos;
}

bool is_utf_8(std::string_view written) {
  const std::string encoding = text::ascii::lower(written);
  return encoding == "utf-8" || encoding == "utf8" || encoding == "us-ascii" || encoding == "ascii";
}

class EventReader {
 public:
  // hidden: bytes at the start of the first line that messages do not count
  EventReader(std::string_view xml, const std::string& name, const std::function<void(XmlEvent)>& found,
              std::size_t hidden = 0)
      : xml_(xml), hidden_(hidden), name_(name), found_(found), parser_(XML_ParserCreate("UTF-8")) {
    if (!parser_) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_UseForeignDTD(parser_.get(), XML_TRUE);  // an undeclared entity is an event, not an error
    XML_SetElementHandler(parser_.get(), on_start, on_end);
    XML_SetCharacterDataHandler(parser_.get(), on_text);
    XML_SetCdataSectionHandler(parser_.get(), on_cdata, on_cdata_end);
    XML_SetSkippedEntityHandler(parser_.get(), on_entity);
    XML_SetEntityDeclHandler(parser_.get(),
                             [](void* self, const char* entity, auto...) { on_entity_declaration(self, entity); });
    XML_SetAttlistDeclHandler(parser_.get(), [](void* self, auto...) { on_attribute_declaration(self); });
    XML_SetXmlDeclHandler(parser_.get(), on_declaration);
  }

  void read() {
    if (is_utf_16(xml_)) throw DataError(cat(name_, " is in UTF-16; save it in UTF-8"));
    if (xml_.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
      throw DataError(cat(name_, " has ", xml_.size(), " bytes of XML, more than 2 GiB; split it"));
    const auto status = XML_Parse(parser_.get(), xml_.data(), static_cast<int>(xml_.size()), XML_TRUE);
    if (error_) std::rethrow_exception(error_);
    if (status != XML_STATUS_OK)
      throw DataError(cat(here(), XML_ErrorString(XML_GetErrorCode(parser_.get())),
                          "; it is not well-formed XML: correct it, or write it anew with the program that made it"));
    flush();
    add_gap(xml_.size());
  }

 private:
  struct Free {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
  };

  // An exception must not pass through a C library.
  template <class Work>
  static void guarded(void* self, Work&& work) {
    EventReader& reader = *static_cast<EventReader*>(self);
    if (reader.error_) return;
    try {
      check_canceled();
      work(reader);
    } catch (...) {
      reader.error_ = std::current_exception();
      XML_StopParser(reader.parser_.get(), XML_FALSE);
    }
  }
  static void on_start(void* self, const char* name, const char** attributes) {
    guarded(self, [&](EventReader& r) { r.start(name, attributes); });
  }
  static void on_end(void* self, const char* name) {
    guarded(self, [&](EventReader& r) { r.end(name); });
  }
  static void on_text(void* self, const char* text, int bytes) {
    guarded(self, [&](EventReader& r) { r.add_text({text, static_cast<std::size_t>(bytes)}); });
  }
  static void on_cdata(void* self) {
    guarded(self, [](EventReader& r) { r.add(EventKind::cdata); });
  }
  static void on_cdata_end(void* self) {
    guarded(self, [](EventReader& r) { r.event_.end = r.position() + r.length(); });
  }
  static void on_entity(void* self, const char* name, int parameter) {
    if (parameter == 0) guarded(self, [&](EventReader& r) { r.add(EventKind::entity).name = name; });
  }
  static void on_entity_declaration(void* self, const char* name) {
    guarded(self, [&](EventReader& r) {
      throw DataError(cat(r.here(), "declares the entity ", name,
                          "; write what it stands for instead, because few such "
                          "lines may stand for gigabytes"));
    });
  }
  static void on_attribute_declaration(void* self) {
    guarded(self, [](EventReader& r) {
      if (++r.declared_ > kMostDeclared)
        throw DataError(cat(r.here(), "the document type declares more than ", kMostDeclared,
                            " attributes; leave these declarations out"));
    });
  }
  static void on_declaration(void* self, const char*, const char* encoding, int) {
    guarded(self, [&](EventReader& r) {
      if (encoding != nullptr && !is_utf_8(encoding))
        throw DataError(cat(r.name_, " is in ", encoding, "; save it in UTF-8"));
    });
  }

  std::size_t position() const { return static_cast<std::size_t>(XML_GetCurrentByteIndex64(parser_.get())); }
  std::size_t length() const { return static_cast<std::size_t>(XML_GetCurrentByteCount64(parser_.get())); }
  std::string here() const {
    const auto line = XML_GetCurrentLineNumber64(parser_.get());
    return cat(name_, ", line ", line, ", column ",
               XML_GetCurrentColumnNumber64(parser_.get()) + 1 - (line == 1 ? hidden_ : 0), ": ");
  }

  void start(const char* name, const char** attributes) {
    const bool empty = xml_.substr(position(), length()).ends_with("/>");
    if (!empty && ++depth_ > kDeepestElement)
      throw DataError(cat(here(), "more than ", kDeepestElement, " elements are in one another; nest fewer"));
    XmlEvent& event = add(empty ? EventKind::empty : EventKind::start);
    event.name = name;
    const int count = XML_GetSpecifiedAttributeCount(parser_.get());  // others are defaults of the document type
    for (int i = 0; i < count; i += 2) event.attributes.push_back({attributes[i], attributes[i + 1]});
  }
  void end(const char* name) {
    if (length() == 0) return;  // of an empty element
    --depth_;
    add(EventKind::end).name = name;
  }
  // Expat reports text in pieces: each reference (&amp;) and each line end is one.
  void add_text(std::string_view text) {
    if (event_.kind == EventKind::cdata && !cdata_ended()) {
      event_.text += text;
      return;
    }
    const bool goes_on = event_.kind == EventKind::text && event_.end == position();
    XmlEvent& event = goes_on ? event_ : add(EventKind::text);
    event.end = position() + length();
    event.text += text;
  }
  bool cdata_ended() const { return xml_.substr(0, event_.end).ends_with("]]>"); }

  // Finishes the previous event and begins one here.
  XmlEvent& add(EventKind kind) {
    flush();
    add_gap(position());
    event_ = {kind, position(), position() + length()};
    return event_;
  }
  void flush() {
    if (event_.end > event_.begin) pass(std::exchange(event_, {}));
  }
  void add_gap(std::size_t to) {
    if (to > done_) pass({EventKind::other, done_, to});
  }
  void pass(XmlEvent event) {
    done_ = event.end;
    found_(std::move(event));
  }

  std::string_view xml_;
  std::size_t hidden_;
  const std::string& name_;
  const std::function<void(XmlEvent)>& found_;
  std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
  std::exception_ptr error_;
  XmlEvent event_;  // may still grow
  std::size_t done_ = 0, depth_ = 0, declared_ = 0;
};

class Collector {
 public:
  explicit Collector(const std::string& name) : name_(name) {}

  void add(XmlEvent event) {
    parts_ += 1 + event.attributes.size();
    if (parts_ > kMostParts)
      throw DataError(
          cat(name_, " has more than ", kMostParts, " tags, attributes and texts: make several files of it"));
    events_.push_back(std::move(event));
  }
  std::vector<XmlEvent> events() { return std::move(events_); }

 private:
  const std::string& name_;
  std::vector<XmlEvent> events_;
  std::size_t parts_ = 0;
};

}  // namespace

const std::string* XmlEvent::attribute(std::string_view wanted) const {
  const auto found =
      std::find_if(attributes.begin(), attributes.end(), [&](const XmlAttribute& a) { return a.name == wanted; });
  return found == attributes.end() ? nullptr : &found->value;
}

void read_xml(std::string_view xml, const std::string& name, const std::function<void(XmlEvent)>& found) {
  EventReader(xml, name, found).read();
}

std::vector<XmlEvent> xml_events(std::string_view xml, const std::string& name) {
  Collector all(name);
  read_xml(xml, name, [&](XmlEvent event) { all.add(std::move(event)); });
  return all.events();
}

// Parses inside an artificial root element, which a declaration or document type must not follow.
std::vector<XmlEvent> xml_fragment_events(std::string_view xml, const std::string& name) {
  const std::size_t mark = xml.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::string_view first = xml.substr(std::min(xml.find_first_not_of(" \t\r\n", mark), xml.size()));
  if (first.starts_with("<?xml ") || first.starts_with("<!DOCTYPE")) return xml_events(xml, name);
  constexpr std::string_view open = "<fragment>", close = "</fragment>";
  Collector all(name);
  const auto add = [&](XmlEvent event) {
    event.begin -= open.size(), event.end -= open.size();
    all.add(std::move(event));
  };
  EventReader(cat(open, xml, close), name, add, open.size()).read();
  std::vector<XmlEvent> events = all.events();
  events.erase(events.begin());
  events.pop_back();
  return events;
}

}  // namespace hexapla::text::document
