// libFuzzer's driver. The compiler's libraries contain this function but no header for it.
#ifndef NIGHTJAR_CLIBFUZZER_H
#define NIGHTJAR_CLIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// Calls `check` with inputs until a limit of the command line is reached. Ends the process if
// `check` fails.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *data, size_t size));

#endif
