// Uses the installed C++ headers and library: client MODEL
#include <heed/alignment.h>
#include <heed/evaluation.h>
#include <heed/metrics.h>
#include <heed/model.h>
#include <heed/training.h>
#include <heed/translator.h>
#include <heed/version.h>

#include <iostream>

int main(int argc, char** argv) {
  try {
    const heed::Translator translator(argc > 1 ? argv[1] : "no model");
    heed::TranslateOptions options;
    options.alignment = true;
    const heed::TranslatedLine line = translator.translate({"We see a dog."}, options).front();
    std::cout << heed::version() << ": " << line.text() << ' ' << heed::format_links(line.best().alignment) << '\n';
  } catch (const heed::Error& error) {
    std::cout << "error: " << error.what() << '\n';
    return 1;
  }
}
