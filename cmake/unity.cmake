# HEXAPLA_UNITY_BUILD: files of a target compiled together, up to eight in one translation unit, so that the headers and
# templates that they share are compiled once: none, tests, or all. A file that defines a name which another of its unit
# defines, too (two functions `check` in anonymous namespaces), goes to the next unit.
set(HEXAPLA_UNITY_BUILD none CACHE STRING "Files compiled together: none, tests, or all")
set_property(CACHE HEXAPLA_UNITY_BUILD PROPERTY STRINGS none tests all)
set(HEXAPLA_UNITY_FILES 8)

# The names that a file defines at column 0: types, functions, constants, aliases. Members and test cases are not among them.
function(hexapla_names_of file out)
  file(STRINGS ${file} lines REGEX "^[[A-Za-z]")
  set(names)
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^(namespace|using namespace)" AND
       line MATCHES "^[][A-Za-z0-9_:<>,*& ]* [*&]?([A-Za-z0-9_]+)( [:={]|[(={;]|[[])")
      list(APPEND names ${CMAKE_MATCH_1})
    endif()
    if(line MATCHES "^const")  # of a list of constants, each
      string(REGEX MATCHALL "[A-Za-z0-9_]+ =" constants "${line}")
      string(REPLACE " =" "" constants "${constants}")
      list(APPEND names ${constants})
    endif()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# The first unit with room for `file` in which its names are free. Units are the variables unit_N (files) and names_N.
macro(hexapla_put_into_unit file)
  hexapla_names_of(${file} names)
  foreach(unit RANGE 999)
    list(LENGTH unit_${unit} files)
    set(free TRUE)
    foreach(name IN LISTS names)
      if(name IN_LIST names_${unit})
        set(free FALSE)
      endif()
    endforeach()
    if(free AND files LESS HEXAPLA_UNITY_FILES)
      list(APPEND unit_${unit} ${file})
      list(APPEND names_${unit} ${names})
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${unit})
      break()
    endif()
  endforeach()
endmacro()

# Compiles these files of the target together.
function(hexapla_unity target)
  foreach(file IN LISTS ARGN)
    hexapla_put_into_unit(${file})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE -Wno-shadow -Wno-subobject-linkage)  # of names in other files of the unit
endfunction()
