internal import FuzzDriver
internal import Glibc
internal import ParserChecks

exit(fuzz(.scalars))
