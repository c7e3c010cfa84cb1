// The library that compresses and decompresses Zstandard. `Readers` and `Synthesis` use it. This module must not
// contain code of Nightjar.
#include <zstd.h>
#include <zstd_errors.h>
