// The leak sanitizer calls this function by its name to get the leaks that it must ignore.
const char *__lsan_default_suppressions(void);
