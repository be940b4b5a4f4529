# The version stands in the signatures of the metrics.
target_compile_definitions(${target} PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}")
