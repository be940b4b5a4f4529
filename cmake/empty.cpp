// For folders that have only headers so far: a library needs a source file.
