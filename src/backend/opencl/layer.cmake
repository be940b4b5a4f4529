target_compile_definitions(${target} PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}")
# The plugin that the program opens when an OpenCL device is asked for.
if(HEXAPLA_OPENCL AND HEXAPLA_CLBLAST_INCLUDE AND HEXAPLA_CLBLAST_LIBRARY AND OpenCL_FOUND)
  set(kernels ${CMAKE_CURRENT_SOURCE_DIR}/src/backend/opencl/plugin/kernels)
  file(GLOB kernel_files CONFIGURE_DEPENDS ${kernels}/*.cl)
  set(kernel_source ${CMAKE_CURRENT_BINARY_DIR}/kernel_source.cpp)
  add_custom_command(OUTPUT ${kernel_source} DEPENDS ${kernel_files} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/kernels.cmake
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${kernels} -D OUT=${kernel_source}
            -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/kernels.cmake)
  file(GLOB plugin_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/src/backend/opencl/plugin/*.cpp)
  add_library(hexapla_opencl MODULE ${plugin_sources} ${kernel_source})
  set_target_properties(hexapla_opencl PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(hexapla_opencl PRIVATE ${HEXAPLA_WARNINGS} -Wno-ignored-attributes)
  target_compile_definitions(hexapla_opencl PRIVATE HEXAPLA_VERSION="${PROJECT_VERSION}" CL_TARGET_OPENCL_VERSION=120)
  target_include_directories(hexapla_opencl SYSTEM PRIVATE ${HEXAPLA_CLBLAST_INCLUDE})
  target_link_libraries(hexapla_opencl PRIVATE hexapla_backend ${HEXAPLA_CLBLAST_LIBRARY} OpenCL::OpenCL)
  target_link_options(hexapla_opencl PRIVATE -Wl,--exclude-libs,ALL)
  install(TARGETS hexapla_opencl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hexapla)
endif()
