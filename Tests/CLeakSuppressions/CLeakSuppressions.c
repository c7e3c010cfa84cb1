#include "CLeakSuppressions.h"

// Foundation of Swift 6.3.1 on Linux leaks in two places. Data(contentsOf:) and FileManager.contents(atPath:)
// leak a buffer of 4 096 bytes when they read an empty file or a file of /proc. Process leaks 32 bytes for
// each program that it runs. The sanitizer still reports all other leaks.
const char *__lsan_default_suppressions(void) {
  return "leak:readBytesFromFile\n"
         "leak:Foundation7ProcessC3run\n";
}
