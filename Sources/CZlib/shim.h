// The library that compresses and decompresses gzip. `Readers` and `Synthesis` use it. This module must not contain
// code of Nightjar.
#include <zlib.h>
