#include "CLeakSuppressions.h"

// Foundation of Swift 6.3.1 on Linux loses its buffer of 4 096 bytes when it reads an empty file, or one of /proc
// (Data(contentsOf:) and FileManager.contents(atPath:) both), and 32 bytes for each Process that it runs. Nothing
// else is excused.
const char *__lsan_default_suppressions(void) {
  return "leak:readBytesFromFile\n"
         "leak:Foundation7ProcessC3run\n";
}
