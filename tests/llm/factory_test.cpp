#include "llm/factory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "base/files.h"
#include "llm/wire/http.h"

namespace cupel::llm {
namespace {

// Looked at before anything of ours has run.
const bool k_curl_came_with_the_binary = ::dlopen("libcurl.so.4", RTLD_LAZY | RTLD_NOLOAD);

ProviderSettings with_keys(const std::map<std::string, std::string>& keys) {
  ProviderSettings settings;
  settings.environment = [keys](const std::string& name) {
    const auto found = keys.find(name);
    return found == keys.end() ? std::string() : found->second;
  };
  settings.prices = {"m=1,10"};
  settings.price_files = {"/nonexistent/prices.json"};
  return settings;
}

Error error_of(const std::string& spec, const ProviderSettings& settings) {
  auto made = make_provider(spec, settings);
  EXPECT_FALSE(made) << spec;
  return made ? Error{} : made.error();
}

TEST(Factory, TheBinaryStartsWithoutLibcurl) {
  EXPECT_FALSE(k_curl_came_with_the_binary);
}

TEST(Factory, AMissingLibraryNamesThePackage) {
  const Status status = check_curl({"libcurl-that-is-not-there.so.9"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().tag, ErrorTag::environment);
  EXPECT_NE(status.error().hint.find("apt-get install libcurl4"), std::string::npos);
  EXPECT_TRUE(check_curl());
}

TEST(Factory, ALibraryThatLacksAFunctionIsTooOld) {
  const Status status = check_curl({"libdl.so.2"});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().tag, ErrorTag::environment);
  EXPECT_NE(status.error().what.find("too old"), std::string::npos);
}

TEST(Factory, EveryServiceWantsItsOwnKey) {
  const std::vector<std::pair<std::string, std::string>> keys = {
      {"openai", "OPENAI_API_KEY"},       {"openai-responses", "OPENAI_API_KEY"},
      {"anthropic", "ANTHROPIC_API_KEY"}, {"gemini", "GEMINI_API_KEY"},
      {"gemini", "GOOGLE_API_KEY"},       {"openrouter", "OPENROUTER_API_KEY"}};
  for (const auto& [scheme, name] : keys) {
    const Error error = error_of(scheme + ":m", with_keys({{"CUPEL_API_KEY", "k"}}));
    EXPECT_EQ(error.tag, ErrorTag::environment) << scheme;
    EXPECT_NE(error.hint.find("_API_KEY"), std::string::npos);
    const auto made = make_provider(scheme + ":m", with_keys({{name, "secret\n"}}));
    ASSERT_TRUE(made) << made.error().describe();
    EXPECT_EQ((*made)->name(), scheme + ":m");
  }
}

TEST(Factory, AKeyThatWouldBreakAHeaderIsRefusedUnseen) {
  const Error error = error_of("openai:m", with_keys({{"OPENAI_API_KEY", "se cret\r\nX: y"}}));
  EXPECT_EQ(error.tag, ErrorTag::environment);
  EXPECT_EQ(error.describe().find("cret"), std::string::npos);
}

TEST(Factory, LocalServersNeedNeitherKeyNorPrice) {
  for (const char* spec :
       {"ollama:llama3:8b", "llamacpp:any", "vllm:Qwen/Qwen3-32B", "http://127.0.0.1:9/v1#mine",
        "http://localhost:9/v1/#mine", "http://[::1]:9/v1#mine"}) {
    const auto made = make_provider(spec, with_keys({}));
    ASSERT_TRUE(made) << spec << ": " << made.error().describe();
    Prompt prompt;
    prompt.user = "hello";
    EXPECT_EQ((*made)->nano_usd_max(prompt), 0) << spec;
  }
}

TEST(Factory, APriceOfOnesOwnCountsForALocalServerToo) {
  auto settings = with_keys({});
  settings.prices = {"mine=1,1"};
  const auto made = make_provider("ollama:mine", settings);
  ASSERT_TRUE(made);
  EXPECT_GT((*made)->nano_usd_max(Prompt{}), 0);
}

TEST(Factory, AnUnknownPriceIsAnErrorThatSaysHowToGiveOne) {
  for (const char* spec : {"openai:unheard-of", "https://llm.example.com/v1#unheard-of",
                           "http://127.0.0.1.example.com/v1#unheard-of"}) {
    const Error error = error_of(spec, with_keys({{"OPENAI_API_KEY", "k"}}));
    EXPECT_EQ(error.tag, ErrorTag::input) << spec;
    EXPECT_NE(error.hint.find("--price unheard-of="), std::string::npos) << error.hint;
  }
}

TEST(Factory, APriceListThatIsNotThereIsWhatIsWrong) {
  auto folder = TempDir::create(std::filesystem::temp_directory_path(), "home");
  ASSERT_TRUE(folder);
  auto settings = with_keys({{"OPENAI_API_KEY", "k"}});
  settings.price_files.clear();
  const char* const before = std::getenv("CUPEL_HOME");
  const std::string kept = before ? before : "";
  ::setenv("CUPEL_HOME", folder->path().c_str(), 1);
  const Error error = error_of("openai:gpt-5", settings);
  EXPECT_EQ(error.tag, ErrorTag::environment);
  EXPECT_EQ(error.where, (folder->path() / "prices.json").string());
  EXPECT_NE(error.hint.find("CUPEL_HOME"), std::string::npos);
  EXPECT_NE(error.hint.find("--price gpt-5="), std::string::npos);
  EXPECT_TRUE(make_provider("openai:m", settings)) << "--price needs no list";
  ASSERT_TRUE(write_file_atomic(folder->path() / "prices.json", R"({"prices": []})"));
  EXPECT_EQ(error_of("openai:gpt-5", settings).tag, ErrorTag::input);
  kept.empty() ? ::unsetenv("CUPEL_HOME") : ::setenv("CUPEL_HOME", kept.c_str(), 1);
}

TEST(Factory, TheUsersPricesComeFirst) {
  auto folder = TempDir::create(std::filesystem::temp_directory_path(), "prices");
  ASSERT_TRUE(folder);
  const auto first = folder->path() / "first.json", second = folder->path() / "second.json";
  ASSERT_TRUE(write_file_atomic(first, R"({"prices": [{"model": "a", "input": 1, "output": 1}]})"));
  ASSERT_TRUE(write_file_atomic(second, R"({"prices": [{"model": "a", "input": 9, "output": 9},
                                                       {"model": "b", "input": 9, "output": 9}]})"));
  auto settings = with_keys({{"OPENAI_API_KEY", "k"}});
  settings.price_files = {first, second};
  Prompt prompt;
  const auto bound = [&](const char* spec) {
    auto made = make_provider(spec, settings);
    EXPECT_TRUE(made) << spec;
    return (*made)->nano_usd_max(prompt);
  };
  EXPECT_EQ(bound("openai:b"), 9 * bound("openai:a"));
  settings.prices = {"a=free"};
  EXPECT_EQ(bound("openai:a"), 0);
}

TEST(Factory, BadSpecsListWhatIsPossible) {
  for (const char* spec : {"", "gpt-5", "openai:", "nobody:gpt-5", "openai:a b", "openai:x?y",
                           "gemini:../x#y", "http://127.0.0.1/v1", "http://127.0.0.1/v1#"}) {
    const Error error = error_of(spec, with_keys({{"OPENAI_API_KEY", "k"}}));
    EXPECT_EQ(error.tag, ErrorTag::input) << spec;
    for (const char* form : {"openai:MODEL", "mailbox:DIR", "http://HOST/v1#MODEL"}) {
      EXPECT_NE(error.hint.find(form), std::string::npos) << spec;
    }
  }
}

TEST(Factory, APasswordInAUrlIsRefusedUnseen) {
  const Error error = error_of("http://me:hunter2@host/v1#m", with_keys({}));
  EXPECT_EQ(error.tag, ErrorTag::input);
  EXPECT_EQ(error.describe().find("hunter2"), std::string::npos);
}

TEST(Factory, WithoutANetwork) {
  auto folder = TempDir::create(std::filesystem::temp_directory_path(), "factory");
  ASSERT_TRUE(folder);
  const std::string path = folder->path().string();
  EXPECT_TRUE(make_provider("scripted:" + path, with_keys({})));
  EXPECT_TRUE(make_provider("mailbox:" + path + "/new", with_keys({})));
  EXPECT_TRUE(std::filesystem::is_directory(path + "/new"));
}

}  // namespace
}  // namespace cupel::llm
