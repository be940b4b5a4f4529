target_compile_definitions(${target} PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}")
