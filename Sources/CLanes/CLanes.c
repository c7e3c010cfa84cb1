// A module needs a file to compile. All functions are inlined from the header.
#include "CLanes.h"
