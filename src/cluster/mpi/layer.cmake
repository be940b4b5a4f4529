# The interface in C++ was left out of MPI 3.
if(TARGET MPI::MPI_CXX AND HEXAPLA_MPI)
  target_compile_definitions(${target} PRIVATE HEXAPLA_HAVE_MPI OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
