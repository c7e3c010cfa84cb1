// Everything is in the header, for the caller's compiler to inline.
#include "CBytes.h"
