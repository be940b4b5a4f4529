# The interface in C++ was left out of MPI 3.
if(HEXAPLA_MPI AND MPI_CXX_FOUND)  # not whether there is a target: CMake makes one to try, and leaves it
  target_compile_definitions(${target} PRIVATE HEXAPLA_HAVE_MPI OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
endif()
