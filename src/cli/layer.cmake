target_compile_definitions(${target} PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}")
# Nothing here is computed often, but declaring hundreds of options takes long to optimize.
target_compile_options(${target} PRIVATE -O1)
