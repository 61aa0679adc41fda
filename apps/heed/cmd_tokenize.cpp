// heed tokenize: tokenizes text line by line, joins tokens into text, or splits text into sentences.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/error.h"
#include "base/files.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "command.h"
#include "text/sentences.h"
#include "text/subword_model.h"
#include "text/tokenizer.h"
#include "text/words.h"

namespace heed::cli {

namespace tokenize_command {

struct Values {
  std::string file = "-";
  std::string tokenizer = "words";
  std::string language = "en";
  bool lowercase = false;
  bool normalize = false;
  bool split_hyphens = false;
  bool detokenize = false, sentences = false;
  std::string subword_model;
};

void declare(Options& options, Values& values) {
  options
      .positional("FILE", values.file, "the text, one sentence or paragraph per line; default: standard input", false)
      .reads();
  options
      .flag("tokenizer", values.tokenizer, "how to split lines into tokens",
            choices(row_names(text::tokenizer_kinds()))
                .otherwise("for the subwords of bpe and unigram, which training learns, use --tokenizer sentencepiece "
                           "--subword-model FILE"))
      .value("NAME");
  options.flag("language", values.language, "language whose rules `words` and --normalize use").value("CODE");
  options.flag("lowercase", values.lowercase, "lowercase the text first");
  options.flag("normalize", values.normalize,
               "normalize quotes, dashes and spacing, as Moses does (after --lowercase)");
  options.flag("split-hyphens", values.split_hyphens, "split at hyphens: well-known becomes well @-@ known");
  options.flag("detokenize", values.detokenize, "the reverse: join tokens separated by spaces into text");
  options.flag("sentences", values.sentences, "split into sentences instead, one per line, as `heed translate` does");
  options.flag("subword-model", values.subword_model, "the model for --tokenizer sentencepiece").value("FILE").reads();
}

std::unique_ptr<text::Tokenizer> tokenizer_of(const Values& values) {
  check<UsageError>(values.tokenizer != "sentencepiece" || !values.subword_model.empty(),
                    "--tokenizer sentencepiece needs --subword-model FILE");
  text::TokenizerOptions options{
      .kind = values.tokenizer, .language = values.language, .split_hyphens = values.split_hyphens};
  if (values.lowercase) options.normalize.emplace_back("lowercase");
  if (values.normalize) options.normalize.emplace_back("punctuation");
  if (!values.subword_model.empty()) {
    options.subword_model = read_file(values.subword_model);
    text::check_subword_model(options.subword_model, values.subword_model);
  }
  return make_tokenizer(options);
}

// Splits at spaces only, because other white space may be part of a token.
std::vector<std::string> split_at_spaces(std::string_view line) {
  std::vector<std::string> tokens;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) tokens.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return tokens;
}

int run(Values& values, Options& options) {
  check<UsageError>(!values.sentences || !values.detokenize,
                    "--sentences and --detokenize cannot be combined; give only one of them");
  const std::pair<const void*, const char*> for_tokens[] = {{&values.tokenizer, "--tokenizer"},
                                                            {&values.lowercase, "--lowercase"},
                                                            {&values.normalize, "--normalize"},
                                                            {&values.split_hyphens, "--split-hyphens"},
                                                            {&values.subword_model, "--subword-model"}};
  for (const auto& [field, flag] : for_tokens)
    check<UsageError>(!values.sentences || !options.is_set(field), "{} has no effect with --sentences", flag);
  std::error_code ignored;
  check<InputError>(values.file == "-" || std::filesystem::exists(values.file, ignored),
                    "there is no file {}; to tokenize a text, pass it on standard input: echo TEXT | heed tokenize",
                    in_quotes(values.file));
  const auto tokenizer = tokenizer_of(values);
  text::SentenceSplitter splitter(values.language);
  if (const std::string missing = text::missing_word_rules(values.language);
      values.tokenizer == "words" && !missing.empty())
    print_note("--language: {}", missing);
  LineReader reader(values.file);
  std::size_t bad_bytes = 0;
  std::int64_t first_bad_line = 0;
  for (std::string line; reader.next(line);) {
    const text::Utf8Report report = text::check_utf8(line);
    if (report.bad_bytes > 0 && bad_bytes == 0) first_bad_line = reader.line_number();
    bad_bytes += report.bad_bytes;
    if (values.sentences) {
      const std::string text = replace_bad_utf8(line);
      for (const text::ByteRange& sentence : splitter.split(text)) write_output("{}\n", sentence.of(text));
      continue;
    }
    if (values.detokenize)
      write_output(tokenizer->detokenize(split_at_spaces(report.bad_bytes ? replace_bad_utf8(line) : line)));
    else
      write_output("{}", fmt::join(token_texts(tokenizer->tokenize(line)), " "));
    write_output("\n");
  }
  if (bad_bytes > 0)
    print_note("{} (first: line {}) replaced by U+FFFD", counted(bad_bytes, "invalid UTF-8 byte"), first_bad_line);
  return 0;
}

}  // namespace tokenize_command

const Command kTokenize{.name = "tokenize",
                        .group = "Data",
                        .summary = "split text into tokens, or join tokens into text, line by line",
                        .example = "echo \"It's well-known, isn't it?\" | heed tokenize --language en --lowercase",
                        .make = action<tokenize_command::Values, tokenize_command::declare, tokenize_command::run>};

}  // namespace heed::cli
