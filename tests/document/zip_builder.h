// Zip archives for tests, right and wrong ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heed::document::fake {

inline std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  return out;
}

inline std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (0xEDB88320U & (0U - (crc & 1)));
  }
  return ~crc;
}

struct ZipFile {
  std::string name, content;
  bool deflated = false, encrypted = false;
  std::uint32_t wrong_size = 0;  // declared instead of the right one
};

// One block that is not compressed.
inline std::string deflate_stored(const std::string& content) {
  return "\x01" + little(content.size(), 2) + little(~content.size(), 2) + content;
}

inline std::string make_zip(const std::vector<ZipFile>& files) {
  std::string out, directory;
  for (const ZipFile& file : files) {
    const std::string data = file.deflated ? deflate_stored(file.content) : file.content;
    const std::string common = little(file.encrypted ? 1 : 0, 2) + little(file.deflated ? 8 : 0, 2) +
                               little(0x5A5B6C6D, 4) + little(crc_of(file.content), 4) + little(data.size(), 4) +
                               little(file.wrong_size > 0 ? file.wrong_size : file.content.size(), 4) +
                               little(file.name.size(), 2);
    directory += "PK\1\2" + little(20, 2) + little(20, 2) + common + little(0, 2) + little(0, 2) + little(0, 4) +
                 little(0, 4) + little(out.size(), 4) + file.name;
    out += "PK\3\4" + little(20, 2) + common + little(0, 2) + file.name + data;
  }
  return out + directory + "PK\5\6" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(directory.size(), 4) + little(out.size(), 4) + little(0, 2);
}

}  // namespace heed::document::fake
