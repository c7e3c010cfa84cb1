// For the tests under the address sanitizer, which asks for this function by its name.
const char *__lsan_default_suppressions(void);
