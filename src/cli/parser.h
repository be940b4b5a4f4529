#pragma once
// CLI11, for the few files that look into the parser behind a Command.
#include <CLI/CLI.hpp>
