#pragma once
// A subcommand is one file with one door: add_<name>() declares its options and what it does when chosen.
#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace hexapla::cli {

// What the chosen subcommand does; its value is the exit code. stdout carries data only.
using Action = std::function<int()>;

// All subcommands with their options. Where an option that takes one value is given twice, the last one counts.
void add_commands(CLI::App& app, Action& chosen);

// Each makes a subcommand of `app` whose callback sets `chosen`.
void add_train(CLI::App& app, Action& chosen);
void add_replay(CLI::App& app, Action& chosen);
void add_reproduce(CLI::App& app, Action& chosen);
void add_translate(CLI::App& app, Action& chosen);
void add_score(CLI::App& app, Action& chosen);
void add_evaluate(CLI::App& app, Action& chosen);
void add_data(CLI::App& app, Action& chosen);
void add_inspect(CLI::App& app, Action& chosen);
void add_average(CLI::App& app, Action& chosen);
void add_quantize(CLI::App& app, Action& chosen);
void add_info(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);
void add_bench(CLI::App& app, Action& chosen);
void add_demo(CLI::App& app, Action& chosen);

}  // namespace hexapla::cli
