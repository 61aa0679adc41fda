// The objects behind the handles of the C API, and how handles are turned into them.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/c/handles.h"
#include "heed/alignment.h"
#include "heed/heed.h"
#include "heed/metrics.h"
#include "heed/translator.h"

namespace heed::api {

struct TranslatorObject {
  static constexpr std::uintptr_t kKind = 1;
  Translator translator;
  std::string system, source_language, target_language;
};

// Results as C sees them: the arrays point into the lines, which do not change.
struct ResultsObject {
  static constexpr std::uintptr_t kKind = 2;
  explicit ResultsObject(std::vector<TranslatedLine> translated);

  struct View {
    std::vector<heed_token> source, target;
    std::vector<heed_link> links;
  };
  std::vector<TranslatedLine> lines;
  std::vector<std::vector<View>> views;  // of each translation of each line
  std::mutex mutex;                      // of the pictures, which are made on request
  std::vector<std::unique_ptr<std::string>> pictures;
};

struct AlignmentsObject {
  static constexpr std::uintptr_t kKind = 3;
  std::vector<std::vector<heed_link>> lines;
};

struct ScoresObject {
  static constexpr std::uintptr_t kKind = 4;
  std::vector<MetricScore> scores;
};

std::vector<heed_link> to_c(const Alignment& links);

// The table of the handles of one kind. It is never destroyed: objects that a program has not freed must survive its
// static objects, whose destructors may still use them.
template <class Object>
Handles<Object>& handles() {
  static auto* const table = new Handles<Object>;
  return *table;
}

template <class Object, class Handle>
std::shared_ptr<Object> find(Handle* handle, const char* name) {
  return handles<Object>().find(reinterpret_cast<std::uintptr_t>(handle), name);
}

template <class Object, class Handle>
void publish(std::shared_ptr<Object> object, Handle** handle) {
  *handle = reinterpret_cast<Handle*>(handles<Object>().add(std::move(object)));
}

template <class Object, class Handle>
void release(Handle* handle) noexcept {
  handles<Object>().remove(reinterpret_cast<std::uintptr_t>(handle));
}

}  // namespace heed::api
