#include "serve/file_store.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/error.h"
#include "base/system.h"

namespace heed::serve {
namespace {

std::string random_digits() {
  std::array<unsigned char, 16> bytes{};
  const ssize_t size = ::getrandom(bytes.data(), bytes.size(), 0);
  check<InputError>(size == std::ssize(bytes), "cannot get random numbers from the system: {}", system_message(errno));
  std::string digits;
  for (const unsigned char byte : bytes) fmt::format_to(std::back_inserter(digits), "{:02x}", byte);
  return digits;
}

}  // namespace

void FileStore::remove_first() {
  bytes_ -= files_.front().content->size();
  files_.pop_front();
}

void FileStore::remove_expired(Clock::time_point now) {
  while (!files_.empty() && files_.front().expiry <= now) remove_first();
}

std::string FileStore::add(std::string_view name, std::string content, Clock::time_point now) {
  if (content.size() > most_) return "";
  std::string full = fmt::format("{}.{}", random_digits(), name);
  const std::lock_guard lock(mutex_);
  remove_expired(now);
  while (bytes_ + content.size() > most_) remove_first();
  bytes_ += content.size();
  files_.push_back({full, std::make_shared<const std::string>(std::move(content)), now + lifetime_});
  return full;
}

std::shared_ptr<const std::string> FileStore::find(std::string_view name, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  remove_expired(now);
  const auto found = std::ranges::find(files_, name, &File::name);
  return found == files_.end() ? nullptr : found->content;
}

FileStore::Size FileStore::size(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  remove_expired(now);
  return {.files = files_.size(), .bytes = bytes_};
}

std::string safe_file_name(std::string_view name) {
  constexpr std::size_t kLongest = 100;
  if (const std::size_t slash = name.find_last_of("/\\"); slash != name.npos) name.remove_prefix(slash + 1);
  std::string safe;
  for (const char c : name) {
    const bool allowed =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    if (allowed || (!safe.empty() && safe.back() != '_')) safe += allowed ? c : '_';
  }
  safe.erase(0, std::min(safe.find_first_not_of("._"), safe.size()));
  if (safe.size() > kLongest) safe.erase(0, safe.size() - kLongest);  // keeps the extension
  return safe.empty() ? "file" : safe;
}

}  // namespace heed::serve
