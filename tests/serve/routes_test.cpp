#include "serve/routes.h"

#include <gtest/gtest.h>

#include <set>

#include "serve/metrics.h"

namespace heed::serve {
namespace {

TEST(Routes, AreFoundByMethodAndPath) {
  std::string allowed;
  ASSERT_NE(find_route("POST", "/translate", allowed), nullptr);
  EXPECT_EQ(find_route("POST", "/translate", allowed)->path, "/translate");
  EXPECT_EQ(find_route("HEAD", "/health", allowed), find_route("GET", "/health", allowed));
  EXPECT_EQ(find_route("GET", "/translate", allowed), nullptr);
  EXPECT_EQ(allowed, "POST, OPTIONS");
  EXPECT_EQ(find_route("POST", "/languages", allowed), nullptr);
  EXPECT_EQ(allowed, "GET, HEAD, OPTIONS");
  EXPECT_EQ(find_route("HEAD", "/translate", allowed), nullptr);
  EXPECT_EQ(find_route("GET", "/download_file/a.b", allowed)->path, "/download_file/");
  EXPECT_EQ(find_route("GET", "/download_file", allowed), nullptr);
  for (const char* path : {"", "/translate/", "/TRANSLATE", "//translate"}) {
    EXPECT_EQ(find_route("POST", path, allowed), nullptr) << path;
    EXPECT_TRUE(allowed.empty()) << path;
  }
}

TEST(Routes, AreAllDescribed) {
  const Json all = describe_routes();
  EXPECT_EQ(all["swagger"], "2.0");
  for (const Route& route : routes()) {
    const Json& path = all["paths"][std::string(route.path) + (route.is_folder ? "{name}" : "")];
    const Json& operation = path[route.method == "GET" ? "get" : "post"];
    EXPECT_EQ(operation["summary"], route.summary) << route.path;
    EXPECT_FALSE(route.summary.empty()) << route.path;
    EXPECT_EQ(operation.contains("parameters"), !route.fields.empty() || route.is_folder) << route.path;
  }
}

// The rules of Swagger 2.0 on which generators of clients rely.
TEST(Routes, HaveAValidDescription) {
  const Json all = describe_routes();
  bool has_body = false, has_file = false;
  for (const auto& [path, operations] : all["paths"].items())
    for (const auto& [method, operation] : operations.items()) {
      std::set<std::string> places, types;
      for (const Json& field : operation.value("parameters", Json::array())) {
        places.insert(field["in"]);
        types.insert(field.value("type", ""));
        const bool is_schema = field["in"] == "body";
        EXPECT_EQ(field.contains("schema"), is_schema) << path;
        EXPECT_EQ(field.contains("type"), !is_schema) << path;
        if (!is_schema) continue;
        has_body = true;
        const Json& schema = field["schema"];
        for (const Json& name : schema["required"]) EXPECT_TRUE(schema["properties"].contains(name)) << path << name;
        for (const auto& [name, member] : schema["properties"].items())
          EXPECT_EQ(member["type"] == "array", member.contains("items")) << path << name;
      }
      for (const std::string& type : types)
        EXPECT_TRUE(std::set<std::string>({"", "string", "number", "integer", "boolean", "file"}).contains(type))
            << path << type;
      EXPECT_FALSE(places.contains("body") && places.contains("formData")) << path;
      EXPECT_FALSE(method == "get" && (places.contains("body") || places.contains("formData"))) << path;
      EXPECT_EQ(operation.contains("consumes"), method == "post" && path != "/suggest") << path;
      if (!types.contains("file")) continue;
      has_file = true;
      EXPECT_EQ(operation["consumes"], Json::array({"multipart/form-data"}));
    }
  EXPECT_TRUE(has_body && has_file);
}

// What runs on the I/O thread must not translate; what changes nothing and answers at once must not wait for a thread.
TEST(Routes, AnswerHealthOnTheIoThread) {
  std::string allowed;
  for (const char* path : {"/health", "/ready", "/metrics", "/languages"})
    EXPECT_FALSE(find_route("GET", path, allowed)->translates) << path;
  EXPECT_TRUE(find_route("POST", "/translate", allowed)->translates);
}

TEST(ResponseHead, IsExact) {
  EXPECT_EQ(response_head({.status = 429, .body = "ab", .headers = {{"Retry-After", "3"}}}, false),
            "HTTP/1.1 429 Too Many Requests\r\nServer: heed\r\nContent-Type: application/json\r\nContent-Length: 2\r\n"
            "Retry-After: 3\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(response_head({.status = 204}, true),
            "HTTP/1.1 204 No Content\r\nServer: heed\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_THROW(response_head({.headers = {{"A", "b\r\nC: d"}}}, true), Error);
}

TEST(Histogram, CountsCumulatively) {
  TimeHistogram histogram;
  for (const double seconds : {0.001, 0.002, 0.3, 100.0}) histogram.add(seconds);
  std::string page, labeled;
  print_histogram(page, "t", "", histogram);
  EXPECT_TRUE(page.starts_with("t_bucket{le=\"0.001\"} 1\nt_bucket{le=\"0.0025\"} 2\n")) << page;
  EXPECT_NE(page.find("t_bucket{le=\"0.5\"} 3\n"), std::string::npos);
  EXPECT_TRUE(page.ends_with("t_bucket{le=\"30\"} 3\nt_bucket{le=\"+Inf\"} 4\nt_sum 100.303\nt_count 4\n")) << page;
  print_histogram(labeled, "t", "p=\"x\"", histogram);
  EXPECT_TRUE(labeled.starts_with("t_bucket{p=\"x\",le=\"0.001\"} 1\n")) << labeled;
  EXPECT_TRUE(labeled.ends_with("t_sum{p=\"x\"} 100.303\nt_count{p=\"x\"} 4\n")) << labeled;
}

}  // namespace
}  // namespace heed::serve
