#pragma once
// A whole server, for the program.
#include <functional>
#include <string>
#include <vector>

#include "serve/service.h"

namespace hexapla::serve {

struct ServeJob {
  std::vector<std::string> models;  // each as ModelPlace::parse() reads it
  ServiceOptions service;           // but for its models
  ServerOptions server;             // but for its headers
};

// Serves until a signal ends it. started: called once with the models and the address, a line for
// each. UsageError and DataError as Service and Server. Lifts this process's limit of open files,
// and ignores SIGPIPE.
void serve(ServeJob job, const std::function<void(const std::string& where)>& started);

}  // namespace hexapla::serve
