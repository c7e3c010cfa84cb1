// A module needs a file to compile: all functions of this one are inlined.
#include "CLanes.h"
