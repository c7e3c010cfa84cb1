// All functions are in the header, so the compiler can inline them into their callers.
#include "CBytes.h"
