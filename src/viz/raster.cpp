#include "viz/raster.h"

#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>

#include "base/error.h"
#include "base/system.h"

namespace heed::viz {
namespace {

// The functions of librsvg and cairo. They are loaded when the first picture is drawn, because librsvg needs some forty
// libraries, which would double the start-up time of every other command.
struct Library {
  void* handle = dlopen("librsvg-2.so.2", RTLD_LAZY | RTLD_LOCAL);
  std::string reason = handle != nullptr ? "" : dlerror();

  template <class Pointer>
  Pointer find(const char* name) const {
    check<InputError>(handle != nullptr,
                      "PNG and PDF need the library librsvg-2 (Debian: librsvg2-2), but SVG does not: {}", reason);
    void* found = dlsym(handle, name);
    check<InputError>(found != nullptr, "this librsvg-2.so.2 is too old for PNG and PDF: it has no {}", name);
    return reinterpret_cast<Pointer>(found);
  }

#define HEED_FUNCTION(name) decltype(&::name) name = find<decltype(&::name)>(#name)
  HEED_FUNCTION(g_object_unref);
  HEED_FUNCTION(g_error_free);
  HEED_FUNCTION(g_memory_input_stream_new_from_data);
  HEED_FUNCTION(rsvg_handle_new_from_stream_sync);
  HEED_FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels);
  HEED_FUNCTION(rsvg_handle_render_document);
  HEED_FUNCTION(cairo_create);
  HEED_FUNCTION(cairo_destroy);
  HEED_FUNCTION(cairo_status);
  HEED_FUNCTION(cairo_status_to_string);
  HEED_FUNCTION(cairo_image_surface_create);
  HEED_FUNCTION(cairo_pdf_surface_create_for_stream);
  HEED_FUNCTION(cairo_surface_destroy);
  HEED_FUNCTION(cairo_surface_finish);
  HEED_FUNCTION(cairo_surface_status);
  HEED_FUNCTION(cairo_surface_write_to_png_stream);
#undef HEED_FUNCTION
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

struct Release {
  void operator()(RsvgHandle* handle) const { library().g_object_unref(handle); }
  void operator()(GInputStream* stream) const { library().g_object_unref(stream); }
  void operator()(cairo_surface_t* surface) const { library().cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { library().cairo_destroy(context); }
};
using Handle = std::unique_ptr<RsvgHandle, Release>;
using Surface = std::unique_ptr<cairo_surface_t, Release>;

[[noreturn]] void fail(GError* error) {
  const std::string why = error != nullptr ? error->message : "unknown reason";
  if (error != nullptr) library().g_error_free(error);
  throw InternalError("a picture could not be drawn: {}", why);
}

// librsvg draws glyph outlines, which color emoji fonts lack. The text variation selector after each emoji (U+1F000 to
// U+1FFFF) selects a font that has them; the selector for color is removed.
std::string with_outline_emoji(const std::string& svg) {
  constexpr std::string_view kText = "\xEF\xB8\x8E", kColor = "\xEF\xB8\x8F";
  std::string changed;
  const std::string_view all(svg);
  for (std::size_t at = 0; at < all.size();) {
    if (all.substr(at).starts_with("\xF0\x9F") && at + 4 <= all.size()) {
      changed += all.substr(at, 4);
      changed += kText;
      at += 4;
    } else if (all.substr(at).starts_with(kColor)) {
      at += kColor.size();
    } else {
      changed += all[at++];
    }
  }
  return changed;
}

// librsvg and its libraries abort the process if memory runs out, and their threads reserve much of it.
void check_memory(double pixels) {
  constexpr std::size_t kDrawing = std::size_t{512} << 20, kPerPixel = 8;
  const std::size_t bytes = kDrawing + static_cast<std::size_t>(pixels) * kPerPixel;
  check<InputError>(
      has_memory(bytes),
      "this picture needs {} MB of memory as PNG or PDF, which is not available; write it as SVG, or raise the "
      "limit (ulimit -v)",
      bytes >> 20);
}

Handle read(const std::string& document) {
  check_memory(0);
  const std::string svg = with_outline_emoji(document);
  GError* error = nullptr;
  const std::unique_ptr<GInputStream, Release> stream(
      library().g_memory_input_stream_new_from_data(svg.data(), static_cast<gssize>(svg.size()), nullptr));
  // Unlimited, because the picture is heed's own and a long sentence has many cells.
  Handle handle(
      library().rsvg_handle_new_from_stream_sync(stream.get(), nullptr, RSVG_HANDLE_FLAG_UNLIMITED, nullptr, &error));
  if (!handle) fail(error);
  return handle;
}

struct Size {
  double width, height;
};
Size size_of(const Handle& handle) {
  Size size{};
  check<InternalError>(library().rsvg_handle_get_intrinsic_size_in_pixels(handle.get(), &size.width, &size.height),
                       "a picture has no size");
  return size;
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void draw(const Handle& handle, const Surface& surface, const Size& size) {
  const std::unique_ptr<cairo_t, Release> context(library().cairo_create(surface.get()));
  const RsvgRectangle viewport{0, 0, size.width, size.height};
  GError* error = nullptr;
  if (!library().rsvg_handle_render_document(handle.get(), context.get(), &viewport, &error)) fail(error);
  check<InternalError>(library().cairo_status(context.get()) == CAIRO_STATUS_SUCCESS,
                       "a picture could not be drawn: {}",
                       library().cairo_status_to_string(library().cairo_status(context.get())));
}

void check_surface(const Surface& surface) {
  const cairo_status_t status = library().cairo_surface_status(surface.get());
  if (status == CAIRO_STATUS_NO_MEMORY) throw std::bad_alloc();
  check<InternalError>(status == CAIRO_STATUS_SUCCESS, "a picture could not be created: {}",
                       library().cairo_status_to_string(status));
}

}  // namespace

std::string svg_to_png(const std::string& svg, double scale) {
  constexpr double kMaxSide = 32767;
  const Handle handle = read(svg);
  const Size natural = size_of(handle);
  const double fitting = std::min(scale, kMaxSide / std::max(natural.width, natural.height));
  const Size size{std::floor(natural.width * fitting), std::floor(natural.height * fitting)};
  check_memory(size.width * size.height);
  const Surface surface(library().cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, std::max(1, static_cast<int>(size.width)), std::max(1, static_cast<int>(size.height))));
  check_surface(surface);
  draw(handle, surface, size);
  std::string bytes;
  check<InternalError>(
      library().cairo_surface_write_to_png_stream(surface.get(), append, &bytes) == CAIRO_STATUS_SUCCESS,
      "a picture could not be written as PNG");
  return bytes;
}

std::string svg_to_pdf(const std::string& svg) {
  const Handle handle = read(svg);
  const Size natural = size_of(handle);
  // A CSS pixel is 1/96 inch, a point 1/72.
  const Size points{natural.width * 0.75, natural.height * 0.75};
  std::string bytes;
  const Surface surface(library().cairo_pdf_surface_create_for_stream(append, &bytes, points.width, points.height));
  check_surface(surface);
  draw(handle, surface, points);
  library().cairo_surface_finish(surface.get());
  check_surface(surface);
  return bytes;
}

}  // namespace heed::viz
