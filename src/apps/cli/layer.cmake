target_compile_definitions(${target} PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}")
# Nothing here is computed often, but declaring hundreds of options takes long to optimize.
target_compile_options(${target} PRIVATE -O1)
# Without the server the program has no commands `serve` and `explain`.
if(NOT HEXAPLA_SERVER)
  get_target_property(all ${target} SOURCES)
  list(FILTER all EXCLUDE REGEX "/commands/server/")
  set_target_properties(${target} PROPERTIES SOURCES "${all}")
  target_compile_definitions(${target} PRIVATE HEXAPLA_NO_SERVER)
endif()
