// All functions are in the header, but a module needs at least one file to compile.
#include "CLanes.h"
