#include "serve/file_store.h"

#include <gtest/gtest.h>

#include <set>

namespace heed::serve {
namespace {

using std::chrono::minutes;

TEST(FileStore, FindsFilesUntilTheyEnd) {
  const auto start = FileStore::Clock::now();
  FileStore store(100, minutes(30));
  const std::string name = store.add("a.txt", "Hallo", start);
  ASSERT_EQ(name.size(), 32 + 1 + 5u);
  EXPECT_TRUE(name.ends_with(".a.txt"));
  ASSERT_NE(store.find(name, start + minutes(29)), nullptr);
  EXPECT_EQ(*store.find(name, start + minutes(29)), "Hallo");
  EXPECT_EQ(store.find("a.txt", start), nullptr);
  EXPECT_EQ(store.find(name, start + minutes(30)), nullptr);
  EXPECT_EQ(store.size(start + minutes(30)).bytes, 0u);
}

TEST(FileStore, IsBoundedInBytes) {
  FileStore store(100, minutes(30));
  const std::string first = store.add("1", std::string(60, 'x')), second = store.add("2", std::string(40, 'y'));
  EXPECT_NE(store.find(first), nullptr);
  const auto held = store.find(first);
  const std::string third = store.add("3", std::string(1, 'z'));
  EXPECT_EQ(store.find(first), nullptr);
  EXPECT_NE(store.find(second), nullptr);
  EXPECT_NE(store.find(third), nullptr);
  EXPECT_EQ(held->size(), 60u) << "a file that is being sent must stay";
  EXPECT_EQ(store.size().files, 2u);
  EXPECT_EQ(store.size().bytes, 41u);
  EXPECT_EQ(store.add("4", std::string(101, 'x')), "");
  EXPECT_EQ(store.size().files, 2u);
}

TEST(FileStore, NamesAreNeverTheSame) {
  FileStore store(10'000, minutes(30));
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(store.add("a", "x"));
  EXPECT_EQ(names.size(), 1000u);
}

TEST(SafeFileName, KeepsOnlyHarmlessCharacters) {
  const std::pair<const char*, const char*> cases[] = {{"a.txt", "a.txt"},
                                                       {"/etc/../passwd", "passwd"},
                                                       {"C:\\x\\Über uns.docx", "ber_uns.docx"},
                                                       {"..\"\r\nX: y", "X_y"},
                                                       {"../..", "file"},
                                                       {"", "file"},
                                                       {".htaccess", "htaccess"}};
  for (const auto& [name, expected] : cases) EXPECT_EQ(safe_file_name(name), expected) << name;
  const std::string longest = safe_file_name(std::string(500, 'a') + ".docx");
  EXPECT_EQ(longest.size(), 100u);
  EXPECT_TRUE(longest.ends_with(".docx"));
}

}  // namespace
}  // namespace heed::serve
