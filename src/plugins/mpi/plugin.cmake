# The plugin that the program opens when a launcher has started it.
if(HEXAPLA_MPI AND MPI_CXX_FOUND)  # not whether there is a target: CMake makes one to try, and leaves it
  add_library(hexapla_mpi MODULE src/plugins/mpi/mpi_processes.cpp)
  set_target_properties(hexapla_mpi PROPERTIES PREFIX "" CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(hexapla_mpi PRIVATE ${HEXAPLA_WARNINGS})
  # The interface in C++ was left out of MPI 3.
  target_compile_definitions(hexapla_mpi PRIVATE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX HEXAPLA_VERSION="${PROJECT_VERSION}")
  target_link_libraries(hexapla_mpi PRIVATE hexapla_train_cluster MPI::MPI_CXX)
  target_link_options(hexapla_mpi PRIVATE -Wl,--exclude-libs,ALL)
  install(TARGETS hexapla_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/hexapla)
endif()
