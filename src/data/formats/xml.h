// What the formats in XML have in common (base/xml_reader.h).
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/xml_reader.h"
#include "data/formats/format.h"

namespace heed::data {

// Pairs from an XML file.
class XmlSource : public FileSource {
 public:
  bool next(SentencePair& pair) final;

 protected:
  XmlSource(std::unique_ptr<ByteSource> bytes, const FormatOptions& options);
  virtual void begin() = 0;                                             // at the start of the root
  virtual bool handle(XmlReader::Event event, SentencePair& pair) = 0;  // whether the pair is complete
  virtual void finish() const = 0;                                      // at the end: InputError if there was no pair
  // InputError unless the first element has this name.
  void check_root(std::string_view root, std::string_view format) const;

  XmlReader xml_;
};

// The text of a segment, from the start of its element to its end: that of its elements too, without the native codes
// of the original document (bpt, ept, it, ph and so on), which inline elements stand for.
std::string read_segment(XmlReader& xml);

}  // namespace heed::data
