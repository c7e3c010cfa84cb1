// libFuzzer's driver, which is in the compiler's own libraries and has no header there.
#ifndef NIGHTJAR_CLIBFUZZER_H
#define NIGHTJAR_CLIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// Calls `check` with inputs until a limit of the command line is met, or ends the process at a finding.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*check)(const uint8_t *data, size_t size));

#endif
