#include "document/html_tree.h"

#include <algorithm>
#include <csetjmp>
#include <cstdlib>
#include <functional>
#include <utility>

#include <strings.h>

#include "base/error.h"
#include "document/html_limits.h"

namespace heed::document {

// The parser's memory. It is freed as a whole, because gumbo's own function recurses through the tree, and limited,
// because unclosed tags can make the tree many times larger than the document.
struct HtmlTree::Memory {
  struct alignas(std::max_align_t) Header {
    Header *previous, *next;
    std::size_t size;
  };
  static constexpr std::size_t kLimit = std::size_t{1} << 30;

  std::jmp_buf full;
  Header* last = nullptr;
  std::size_t used = 0;

  ~Memory() {
    while (last != nullptr) std::free(std::exchange(last, last->previous));
  }
  static void* allocate(void* self, std::size_t size) {
    auto& memory = *static_cast<Memory*>(self);
    auto* header = memory.used > kLimit - std::min(size, kLimit)
                       ? nullptr
                       : static_cast<Header*>(std::malloc(sizeof(Header) + size));
    if (header == nullptr) std::longjmp(memory.full, 1);  // skips only C functions, which own nothing else
    *header = {.previous = memory.last, .next = nullptr, .size = size};
    if (memory.last != nullptr) memory.last->next = header;
    memory.last = header;
    memory.used += size + sizeof(Header);
    return header + 1;
  }
  static void free(void* self, void* pointer) {
    if (pointer == nullptr) return;
    auto& memory = *static_cast<Memory*>(self);
    Header* header = static_cast<Header*>(pointer) - 1;
    if (header->previous != nullptr) header->previous->next = header->next;
    (header->next != nullptr ? header->next->previous : memory.last) = header->previous;
    memory.used -= header->size + sizeof(Header);
    std::free(header);
  }
  // Null if the memory is full.
  const GumboNode* parse(const char* html, std::size_t size) {
    GumboOptions options = kGumboDefaultOptions;
    options.allocator = allocate;
    options.deallocator = free;
    options.userdata = this;
    options.max_errors = 0;
    if (setjmp(full) != 0) return nullptr;
    return gumbo_parse_with_options(&options, html, size)->root;
  }
};

namespace {

constexpr GumboTag kInlineTags[] = {GUMBO_TAG_A,     GUMBO_TAG_ABBR, GUMBO_TAG_ACRONYM, GUMBO_TAG_B,      GUMBO_TAG_BDI,
                                    GUMBO_TAG_BDO,   GUMBO_TAG_BIG,  GUMBO_TAG_CITE,    GUMBO_TAG_DATA,   GUMBO_TAG_DEL,
                                    GUMBO_TAG_DFN,   GUMBO_TAG_EM,   GUMBO_TAG_FONT,    GUMBO_TAG_I,      GUMBO_TAG_INS,
                                    GUMBO_TAG_LABEL, GUMBO_TAG_MARK, GUMBO_TAG_NOBR,    GUMBO_TAG_Q,      GUMBO_TAG_S,
                                    GUMBO_TAG_SMALL, GUMBO_TAG_SPAN, GUMBO_TAG_STRIKE,  GUMBO_TAG_STRONG, GUMBO_TAG_SUB,
                                    GUMBO_TAG_SUP,   GUMBO_TAG_TIME, GUMBO_TAG_U,       GUMBO_TAG_UNKNOWN};
constexpr GumboTag kCodeTags[] = {GUMBO_TAG_CODE, GUMBO_TAG_KBD, GUMBO_TAG_SAMP, GUMBO_TAG_VAR, GUMBO_TAG_TT};
constexpr GumboTag kEmptyTags[] = {GUMBO_TAG_IMG, GUMBO_TAG_WBR, GUMBO_TAG_INPUT};
constexpr GumboTag kSkippedTags[] = {GUMBO_TAG_SCRIPT,  GUMBO_TAG_STYLE,     GUMBO_TAG_TEMPLATE, GUMBO_TAG_TEXTAREA,
                                     GUMBO_TAG_IFRAME,  GUMBO_TAG_NOEMBED,   GUMBO_TAG_NOFRAMES, GUMBO_TAG_XMP,
                                     GUMBO_TAG_LISTING, GUMBO_TAG_PLAINTEXT, GUMBO_TAG_OBJECT,   GUMBO_TAG_CANVAS,
                                     GUMBO_TAG_AUDIO,   GUMBO_TAG_VIDEO};

template <std::size_t N>
bool is_one_of(GumboTag tag, const GumboTag (&tags)[N]) {
  return std::ranges::find(tags, tag) != std::end(tags);
}

bool is_element(const GumboNode* node) {
  return node->type == GUMBO_NODE_ELEMENT || node->type == GUMBO_NODE_TEMPLATE;
}

// translate="no" or class="notranslate".
bool is_untranslated(const GumboElement& element) {
  const GumboAttribute* translate = gumbo_get_attribute(&element.attributes, "translate");
  if (translate != nullptr && strcasecmp(translate->value, "no") == 0) return true;
  const GumboAttribute* classes = gumbo_get_attribute(&element.attributes, "class");
  if (classes == nullptr) return false;
  const std::string all = " " + std::string(classes->value) + " ";
  for (std::size_t at = 0; (at = all.find("notranslate", at)) != all.npos; ++at)
    if (std::isspace(static_cast<unsigned char>(all[at - 1])) && std::isspace(static_cast<unsigned char>(all[at + 11])))
      return true;
  return false;
}

// Whether the bytes are this text alone, without tags or bytes that the parser ignored.
bool is_plain_text(std::string_view bytes, std::string_view text) {
  if (bytes.find('\0') != bytes.npos) return false;
  for (std::size_t at = 0; (at = bytes.find('<', at)) != bytes.npos; ++at) {
    const char next = at + 1 < bytes.size() ? bytes[at + 1] : '<';
    if (next == '/' || next == '!' || next == '?' || std::isalpha(static_cast<unsigned char>(next))) return false;
  }
  return bytes == text || bytes.find_first_of("&\r") != bytes.npos || !is_valid_utf8(bytes);
}

// True for <b class=x> and </b>.
bool have_same_name(std::string_view open, std::string_view close) {
  if (!open.starts_with('<') || !close.starts_with("</")) return false;
  open = open.substr(1, open.find_first_of(" \t\r\n\f/>") - 1);
  close = close.substr(2, close.find_first_of(" \t\r\n\f/>", 2) - 2);
  return !open.empty() && open.size() == close.size() && strncasecmp(open.data(), close.data(), open.size()) == 0;
}

}  // namespace

HtmlTree::HtmlTree(std::string_view html, std::string_view name) : html_(html), memory_(new Memory) {
  check_html_limits(html, name);
  const GumboNode* root = memory_->parse(html.data(), html.size());
  check<InputError>(root != nullptr,
                    "{}: parsing this takes more than {} MB; divide it into several documents, or close its tags", name,
                    Memory::kLimit >> 20);
  add_items(root);
  block_links_after_unclosed();
  for (std::size_t i = items_.size(); i-- > 0;) settle(i);
}

HtmlTree::~HtmlTree() = default;

ByteRange HtmlTree::bytes(const GumboStringPiece& piece) const {
  const std::less_equal<const char*> before;
  const char *begin = html_.data(), *end = begin + html_.size();
  if (piece.length == 0 || !before(begin, piece.data) || !before(piece.data, end)) return {};
  const auto from = static_cast<std::size_t>(piece.data - begin);
  return {from, std::min(from + piece.length, html_.size())};
}

void HtmlTree::add_items(const GumboNode* root) {
  struct Open {
    const GumboNode* node;
    std::size_t item;
    unsigned next = 0;
    bool in_pre = false;
  };
  std::vector<Open> open = {{.node = root, .item = 0}};
  items_.push_back(make_item(root, false));
  while (!open.empty()) {
    Open& top = open.back();
    if (top.next == top.node->v.element.children.length || items_[top.item].kind == HtmlKind::skipped ||
        items_[top.item].kind == HtmlKind::markup) {
      items_[top.item].end = static_cast<std::uint32_t>(items_.size());
      open.pop_back();
      continue;
    }
    const auto* child = static_cast<const GumboNode*>(top.node->v.element.children.data[top.next++]);
    const std::size_t index = items_.size();
    const bool in_pre = top.in_pre || (is_element(child) && child->v.element.tag == GUMBO_TAG_PRE);
    items_.push_back(make_item(child, in_pre));
    items_.back().end = static_cast<std::uint32_t>(index + 1);
    if (is_element(child)) open.push_back({.node = child, .item = index, .in_pre = in_pre});
  }
}

// An unclosed link ends where the next one begins, so links after it must not move.
void HtmlTree::block_links_after_unclosed() {
  bool unclosed = false;
  for (HtmlItem& item : items_) {
    const bool is_link = is_element(item.node) &&
                         (item.node->v.element.tag == GUMBO_TAG_A || item.node->v.element.tag == GUMBO_TAG_NOBR);
    if (!is_link) continue;
    if (unclosed) item.kind = item.kind == HtmlKind::element ? HtmlKind::block : HtmlKind::skipped;
    unclosed = unclosed || !item.has_bytes;
  }
}

HtmlItem HtmlTree::make_item(const GumboNode* node, bool in_pre) const {
  HtmlItem item{.node = node, .kind = HtmlKind::text, .in_pre = in_pre};
  if (!is_element(node)) {
    item.bytes = bytes(node->v.text.original_text);
    if (node->type == GUMBO_NODE_COMMENT) item.kind = HtmlKind::markup;
    const std::string_view raw = item.bytes.of(html_);
    item.has_bytes = item.kind == HtmlKind::markup ? raw.starts_with("<!--") && raw.ends_with("-->")
                                                   : is_plain_text(raw, node->v.text.text);
    return item;
  }
  const GumboElement& element = node->v.element;
  const ByteRange open = bytes(element.original_tag), close = bytes(element.original_end_tag);
  const bool is_empty = is_one_of(element.tag, kEmptyTags);
  item.bytes = {open.from, is_empty ? open.to : close.to};
  item.has_bytes = node->parse_flags == GUMBO_INSERTION_NORMAL && open.to <= close.from &&
                   have_same_name(open.of(html_), close.of(html_));
  if (is_empty && open.from < open.to)
    item.has_bytes = (node->parse_flags & ~GUMBO_INSERTION_IMPLICIT_END_TAG) == GUMBO_INSERTION_NORMAL;
  const bool is_html = element.tag_namespace == GUMBO_NAMESPACE_HTML;
  const bool is_code = is_one_of(element.tag, kCodeTags), is_inline = is_one_of(element.tag, kInlineTags);
  const bool is_kept = is_code || is_untranslated(element);
  item.has_attributes = is_html && !is_kept;
  if (!is_html)
    item.kind = item.has_bytes ? HtmlKind::markup : HtmlKind::skipped;
  else if (is_one_of(element.tag, kSkippedTags))
    item.kind = HtmlKind::skipped;
  else if (is_kept)
    item.kind = item.has_bytes && (is_code || is_inline) ? HtmlKind::kept : HtmlKind::skipped;
  else if (is_empty)
    item.kind = item.has_bytes ? HtmlKind::markup : HtmlKind::skipped;
  else
    item.kind = is_inline ? HtmlKind::element : HtmlKind::block;
  return item;
}

// An element stays inline if everything inside it is inline and its bytes have no gaps.
void HtmlTree::settle(std::size_t index) {
  constexpr std::uint32_t kMostItems = 500;  // the time to place marks grows faster than their number
  HtmlItem& item = items_[index];
  const bool is_kept = item.kind == HtmlKind::kept;
  if (item.kind != HtmlKind::element && !is_kept) return;
  bool is_whole = item.has_bytes && item.end - index <= kMostItems;
  std::size_t at = bytes(item.node->v.element.original_tag).to;
  for (std::size_t i = index + 1; i < item.end && is_whole; i = items_[i].end) {
    const HtmlItem& child = items_[i];
    const bool has_lines =
        !is_kept && child.kind == HtmlKind::text && child.in_pre && child.bytes.of(html_).find('\n') != html_.npos;
    is_whole = child.has_bytes && child.kind != HtmlKind::block && child.kind != HtmlKind::skipped && !has_lines &&
               child.bytes.from == at;
    at = child.bytes.to;
  }
  if (!is_whole || at != bytes(item.node->v.element.original_end_tag).from)
    item.kind = is_kept ? HtmlKind::skipped : HtmlKind::block;
}

}  // namespace heed::document
