#include "document/segments.h"
namespace heed::document {
void translate_xml(ByteSource& input, const Write& write, const DocumentOptions&, const TranslateSegments&) {
  write(read_document(input, kMaxDocument));
}
}  // namespace heed::document
