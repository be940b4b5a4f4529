# HEXAPLA_UNITY_BUILD (all, tests, or none): compiles up to eight files of a target as one
# translation unit, so that shared headers and templates are compiled once, which halves the time of
# a first build. No file of a unit may define a name that another one uses: in an anonymous
# namespace it would be defined twice, or hide the other's name.
set(HEXAPLA_UNITY_BUILD all CACHE STRING "Files compiled together: all, tests, or none")
if(HEXAPLA_UNITY_BUILD STREQUAL "")  # a preset names an environment variable that is not set
  set_property(CACHE HEXAPLA_UNITY_BUILD PROPERTY VALUE all)
endif()
set_property(CACHE HEXAPLA_UNITY_BUILD PROPERTY STRINGS none tests all)
set(HEXAPLA_UNITY_FILES 8)

# The names that a file defines in an anonymous namespace at column 0: functions, as "name(", and
# types, constants and aliases, as "name" and "name(". Without members and test cases.
function(hexapla_names_of file out)
  file(STRINGS ${file} lines REGEX "^([[A-Za-z]|}  // namespace$)")
  set(names)
  set(anonymous FALSE)
  foreach(line IN LISTS lines)
    if(line STREQUAL "namespace {")
      set(anonymous TRUE)
    elseif(line STREQUAL "}  // namespace")
      set(anonymous FALSE)
    elseif(anonymous AND line MATCHES "^(struct|class|enum class|enum) ([A-Za-z0-9_]+)")
      list(APPEND names ${CMAKE_MATCH_2} "${CMAKE_MATCH_2}(")
    elseif(anonymous AND NOT line MATCHES "^(using )?namespace" AND
           line MATCHES "^[][A-Za-z0-9_:<>,*& ]* [*&]?([A-Za-z0-9_]+)( =|[(={;]|[[])")
      if(CMAKE_MATCH_2 STREQUAL "(")
        list(APPEND names "${CMAKE_MATCH_1}(")
      else()
        list(APPEND names ${CMAKE_MATCH_1} "${CMAKE_MATCH_1}(")
      endif()
    endif()
    if(anonymous AND line MATCHES "^const")  # each constant of a list
      string(REGEX MATCHALL "[A-Za-z0-9_]+ =" constants "${line}")
      string(REPLACE " =" "" constants "${constants}")
      list(APPEND names ${constants})
    endif()
  endforeach()
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# All unqualified identifiers of a file, without members, comments and strings. "name(" is a call.
function(hexapla_words_of file out)
  file(READ ${file} text)
  string(REGEX REPLACE "//[^\n]*|\"[^\"\n]*\"|(\\.|->|::)[A-Za-z_][A-Za-z0-9_]*" " " text "${text}")
  string(REGEX MATCHALL "[A-Za-z_][A-Za-z0-9_]*[(]?" words "${text}")
  list(REMOVE_DUPLICATES words)
  set(${out} "${words}" PARENT_SCOPE)
endfunction()

function(hexapla_have_common a b out)
  foreach(name IN LISTS ${a})
    if(name IN_LIST ${b})
      set(${out} TRUE PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} FALSE PARENT_SCOPE)
endfunction()

# Puts `file` into the first unit with room for it. Units are the variables unit_N (files), names_N
# and words_N.
macro(hexapla_put_into_unit file)
  hexapla_names_of(${file} names)
  hexapla_words_of(${file} words)
  foreach(unit RANGE 999)
    list(LENGTH unit_${unit} files)
    hexapla_have_common(names words_${unit} hides)
    hexapla_have_common(names_${unit} words hidden)
    if(files LESS HEXAPLA_UNITY_FILES AND NOT hides AND NOT hidden)
      list(APPEND unit_${unit} ${file})
      list(APPEND names_${unit} ${names})
      list(APPEND words_${unit} ${words})
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
  # For names in other files of the unit; the second is a warning of GCC alone.
  target_compile_options(${target} PRIVATE -Wno-shadow $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endfunction()
