// A library needs a source; this folder has headers only so far.
