// Text as bytes: ids in byte order, JSON, CSV, numbers, instants, and safe text for terminals.
//
// The module `Text` converts values to text and back. Every other module may use it, so it must depend only
// on `CLinux`. It does not open files or define tables of a run.
