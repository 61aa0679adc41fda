// The functions in the table of formats.cpp; see DocumentFormat::translate.
#pragma once

#include "document/format.h"

namespace heed::document {

void translate_html(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
void translate_xml(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_markdown(ByteSource& input, const Write& write, const DocumentOptions& options,
                        const TranslateSegments& translate);
void translate_srt(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_vtt(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_po(ByteSource& input, const Write& write, const DocumentOptions& options,
                  const TranslateSegments& translate);
void translate_xliff(ByteSource& input, const Write& write, const DocumentOptions& options,
                     const TranslateSegments& translate);
void translate_tmx(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_json(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
void translate_csv(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_tsv(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);
void translate_docx(ByteSource& input, const Write& write, const DocumentOptions& options,
                    const TranslateSegments& translate);
void translate_odt(ByteSource& input, const Write& write, const DocumentOptions& options,
                   const TranslateSegments& translate);

}  // namespace heed::document
