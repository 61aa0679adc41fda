#include "data/formats/xml.h"

#include <algorithm>

#include "base/error.h"

namespace heed::data {

XmlSource::XmlSource(std::unique_ptr<ByteSource> bytes, const FormatOptions& options)
    : FileSource(options), xml_(std::move(bytes), options.encoding) {
  name_ = xml_.name();
}

void XmlSource::check_root(std::string_view root, std::string_view format) const {
  const std::string& first = xml_.path()[0];
  check<InputError>(first == root, "'{}' is not {}: its first element is {}, not {}", name_, format, in_quotes(first),
                    root);
}

bool XmlSource::next(SentencePair& pair) {
  for (;;) {
    const XmlReader::Event event = xml_.next();
    if (event == XmlReader::Event::finished) break;
    if (event == XmlReader::Event::start && xml_.path().size() == 1) begin();
    if (handle(event, pair)) return true;
  }
  finish();
  return false;
}

std::string read_segment(XmlReader& xml) {
  constexpr std::string_view kNativeCodes[] = {"bpt", "ept", "it", "ph", "ut", "x", "bx", "ex", "sub"};
  const std::size_t depth = xml.path().size();
  std::size_t native = 0;  // depth of the outermost native code; 0: none
  std::string text;
  for (;;) {
    const XmlReader::Event event = xml.next();
    const std::size_t now = xml.path().size();
    if (event == XmlReader::Event::finished || (event == XmlReader::Event::end && now == depth)) break;
    if (event == XmlReader::Event::start && native == 0 &&
        std::ranges::find(kNativeCodes, std::string_view(xml.path().back())) != std::end(kNativeCodes))
      native = now;
    if (event == XmlReader::Event::end && now == native) native = 0;
    if (event != XmlReader::Event::text || native > 0) continue;
    text += xml.text();
    check<InputError>(text.size() <= LineReader::kMaxLine, "{}:{}: a segment of more than {} MiB", xml.name(),
                      xml.line(), LineReader::kMaxLine >> 20);
  }
  join_lines(text);
  return text;
}

}  // namespace heed::data
