/* xml_text - text in XML, HTML and SVG, as an element's or an attribute's. */
#ifndef L3R_COMMON_BASE_XML_TEXT_H
#define L3R_COMMON_BASE_XML_TEXT_H

#include <stdio.h>

/* Write `text` (NULL: nothing) escaped. Bytes that are no UTF-8 become "?", and control characters, which XML 1.0 has in no form,
 * blanks. Write errors are the stream's. */
void xml_put_text(FILE *f, const char *text);

#endif
