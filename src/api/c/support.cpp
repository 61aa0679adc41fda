#include "api/c/support.h"

namespace heed::api {

heed_status fail(heed_error* error, heed_status status, const char* message) noexcept {
  if (error == nullptr) return status;
  error->status = status;
  std::size_t length = std::min(std::strlen(message), sizeof error->message - 1);
  // Not in the middle of a character.
  while (length > 0 && (static_cast<unsigned char>(message[length]) & 0xC0U) == 0x80U) --length;
  std::memcpy(error->message, message, length);
  error->message[length] = '\0';
  return status;
}

heed_status fail_with_current(heed_error* error) noexcept {
  try {
    rethrow_as_error();
  } catch (const Error& caught) {
    const heed_status status = caught.kind() == ErrorKind::usage   ? HEED_USAGE_ERROR
                               : caught.kind() == ErrorKind::input ? HEED_INPUT_ERROR
                                                                   : HEED_INTERNAL_ERROR;
    return fail(error, status, caught.what());
  } catch (...) {  // no memory for the error itself
    return fail(error, HEED_INPUT_ERROR, "out of memory");
  }
}

void require(const void* argument, const char* name) {
  check<UsageError>(argument != nullptr, "the argument {} is NULL", name);
}

std::vector<std::string> to_strings(const char* const* list, std::size_t count, const char* name) {
  std::vector<std::string> strings;
  if (count == 0) return strings;
  require(list, name);
  strings.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    check<UsageError>(list[i] != nullptr, "{}[{}] is NULL", name, i);
    strings.emplace_back(list[i]);
  }
  return strings;
}

std::vector<std::string> to_strings(const char* const* list) {
  std::vector<std::string> strings;
  for (; list != nullptr && *list != nullptr; ++list) strings.emplace_back(*list);
  return strings;
}

Settings to_settings(const char* const* list) {
  Settings settings;
  for (const std::string& text : to_strings(list)) {
    const std::size_t equals = text.find('=');
    check<UsageError>(equals != text.npos, "the setting {} has no value; write NAME=VALUE", in_quotes(text));
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

}  // namespace heed::api
