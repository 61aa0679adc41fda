// What a public Translator (heed/translator.h) consists of.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "heed/translator.h"
#include "translate/shared_translator.h"

namespace heed {

struct __attribute__((visibility("hidden"))) Translator::Impl {  // not exported with its class
  Impl(const std::vector<std::string>& models, const TranslatorOptions& options);

  mutable translate::Translator translator;
  mutable translate::SharedTranslator shared;
  int threads;
  // Held while `translator` itself translates, which it does for one caller at a time; the shared one only reads it.
  mutable std::mutex mutex;
};

}  // namespace heed
