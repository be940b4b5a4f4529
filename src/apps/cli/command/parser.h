#pragma once
// CLI11, for the few files that look into the parser of a Command.
#include <CLI/CLI.hpp>
