#include "serve/language_detector.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdio>  // cld2's header needs it
#include <functional>

#include <cld2/public/compact_lang_det.h>
#include <cld2/public/encodings.h>

#include "base/error.h"
#include "base/utf8.h"

namespace heed::serve {
namespace {

constexpr std::size_t kMostBytes = 64 << 10;

using Detect = CLD2::Language(const char*, int, bool, const CLD2::CLDHints*, int, CLD2::Language*, int*, double*,
                              CLD2::ResultChunkVector*, int*, bool*, int*);
using Code = const char*(CLD2::Language);

// cld2 has no C interface, so the functions are looked up by their mangled names.
struct Library {
  void* handle = dlopen("libcld2.so.0", RTLD_NOW | RTLD_LOCAL);
  std::string problem = {};
  Detect* detect = find<Detect>(
      "_ZN4CLD233ExtDetectLanguageSummaryCheckUTF8EPKcibPKNS_8CLDHintsEiPNS_8LanguageEPiPdPSt6vectorINS_"
      "11ResultChunkESaISA_EES7_PbS7_");
  Code* code = find<Code>("_ZN4CLD212LanguageCodeENS_8LanguageE");

  template <class Function>
  Function* find(const char* name) {
    if (handle != nullptr)
      if (void* found = dlsym(handle, name)) return reinterpret_cast<Function*>(found);
    const char* reason = dlerror();
    if (problem.empty())
      problem = fmt::format("detecting languages needs the library cld2 (Debian: libcld2-0): {}",
                            printable(reason != nullptr ? reason : name));
    return nullptr;
  }
};

const Library& library() {
  static const Library loaded;
  return loaded;
}

// Codes that differ: cld2's and heed's.
constexpr std::pair<std::string_view, std::string_view> kCodes[] = {{"iw", "he"}, {"jw", "jv"},      {"no", "nb"},
                                                                    {"no", "nn"}, {"zh-Hant", "zt"}, {"zh-Hant", "zh"},
                                                                    {"pt", "pb"}, {"in", "id"},      {"mo", "ro"}};

// Our language that cld2 calls `code`; null if there is none.
const std::string* find_own(const std::vector<std::string>& own, std::string_view code) {
  auto found = std::ranges::find(own, code);
  for (const auto& [theirs, ours] : kCodes)
    if (found == own.end() && theirs == code) found = std::ranges::find(own, ours);
  return found == own.end() ? nullptr : &*found;
}

// The start of a text, with control characters, which cld2 does not accept, replaced by spaces.
std::string clean_start(std::string_view text) {
  std::string start = replace_bad_utf8(text.substr(0, kMostBytes));
  for (char& c : start)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return start;
}

}  // namespace

LanguageDetector::LanguageDetector(std::vector<std::string> codes) : codes_(std::move(codes)) {
  check<InternalError>(!codes_.empty(), "a language detector without languages");
  for (const std::string& code : codes_) {
    if (!hint_.empty()) hint_ += ',';
    const auto theirs = std::ranges::find(kCodes, code, [](const auto& pair) { return pair.second; });
    hint_ += theirs == std::end(kCodes) ? std::string_view(code) : theirs->first;
  }
  if (codes_.size() > 1) problem_ = library().problem;
}

std::vector<DetectedLanguage> LanguageDetector::run_cld2(const std::string& text, bool is_html, Mode mode) const {
  const CLD2::CLDHints hints{mode == Mode::prefer ? hint_.c_str() : nullptr, nullptr, CLD2::UNKNOWN_ENCODING,
                             CLD2::UNKNOWN_LANGUAGE};
  CLD2::Language languages[3] = {};
  int percents[3] = {}, text_bytes = 0, valid = 0;
  double scores[3] = {};
  bool reliable = false;
  library().detect(text.data(), static_cast<int>(text.size()), !is_html, &hints,
                   mode == Mode::careful ? 0 : CLD2::kCLDFlagBestEffort, languages, percents, scores, nullptr,
                   &text_bytes, &reliable, &valid);
  const double certainty = mode == Mode::prefer ? 0.25 : mode == Mode::guess || !reliable ? 0.5 : 1;
  std::vector<DetectedLanguage> found;
  for (std::size_t i = 0; i < std::size(languages); ++i) {
    const std::string* own = percents[i] > 0 ? find_own(codes_, library().code(languages[i])) : nullptr;
    if (own == nullptr || std::ranges::find(found, *own, &DetectedLanguage::code) != found.end()) continue;
    found.push_back({*own, percents[i] * certainty});
  }
  std::ranges::stable_sort(found, std::greater{}, &DetectedLanguage::confidence);
  return found;
}

std::vector<DetectedLanguage> LanguageDetector::detect(std::string_view text, bool is_html) const {
  if (codes_.size() == 1) return {{codes_.front(), 100}};
  check<InputError>(problem_.empty(), "{}", problem_);
  const std::string start = clean_start(text);
  for (const Mode mode : {Mode::careful, Mode::guess, Mode::prefer})
    if (std::vector<DetectedLanguage> found = run_cld2(start, is_html, mode); !found.empty()) return found;
  return {{codes_.front(), 0}};
}

}  // namespace heed::serve
