/* Uses the installed C header and library: client MODEL */
#include <heed/heed.h>
#include <stdio.h>

int main(int argc, char** argv) {
  heed_error error;
  heed_translator* translator = NULL;
  heed_results* results = NULL;
  heed_translation best = {sizeof best};
  heed_translate_options options = {sizeof options};
  const char* lines[] = {"We see a dog."};
  options.attention = 1;
  if (heed_translator_open(argc > 1 ? argv[1] : "no model", NULL, &translator, &error) != HEED_OK ||
      heed_translate(translator, lines, 1, &options, &results, &error) != HEED_OK ||
      heed_results_get(results, 0, 0, &best, &error) != HEED_OK) {
    printf("error: %s\n", error.message);
    return 1;
  }
  printf("%s: %s %zu x %zu\n", heed_version(), best.text, best.target_count, best.source_count);
  heed_results_free(results);
  heed_translator_free(translator);
  return 0;
}
