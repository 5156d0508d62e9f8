# Ferronet @VERSION@ for CMake 3.16 or newer: find_package(ferronet CONFIG REQUIRED [COMPONENTS shared static])
#
#   ferronet::shared  the shared library
#   ferronet::static  the static library, with what it needs of the system
#   ferronet_ABI_REVISION, ferronet_ABI_FLOOR  as FERRONET_ABI_REVISION and FERRONET_ABI_FLOOR of the header
#
# Every path is relative to this file: the tree can be moved as a whole.

get_filename_component(_ferronet_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

set(ferronet_ABI_REVISION @REVISION@)
set(ferronet_ABI_FLOOR @FLOOR@)

set(ferronet_shared_FOUND FALSE)
if(EXISTS "${_ferronet_prefix}/lib/@SONAME@")
  set(ferronet_shared_FOUND TRUE)
  if(NOT TARGET ferronet::shared)
    add_library(ferronet::shared SHARED IMPORTED)
    set_target_properties(ferronet::shared PROPERTIES
      IMPORTED_LOCATION "${_ferronet_prefix}/lib/@SONAME@"
      IMPORTED_SONAME "@SONAME@"
      INTERFACE_INCLUDE_DIRECTORIES "${_ferronet_prefix}/include")
  endif()
endif()

set(ferronet_static_FOUND FALSE)
if(EXISTS "${_ferronet_prefix}/lib/libferronet.a")
  set(ferronet_static_FOUND TRUE)
  if(NOT TARGET ferronet::static)
    add_library(ferronet::static STATIC IMPORTED)
    set_target_properties(ferronet::static PROPERTIES
      IMPORTED_LOCATION "${_ferronet_prefix}/lib/libferronet.a"
      IMPORTED_LINK_INTERFACE_LANGUAGES C
      INTERFACE_INCLUDE_DIRECTORIES "${_ferronet_prefix}/include"
      INTERFACE_LINK_LIBRARIES "@STATIC_LIBRARIES@")
  endif()
endif()

set(_ferronet_wanted ${ferronet_FIND_COMPONENTS})
if(NOT _ferronet_wanted AND NOT ferronet_shared_FOUND AND NOT ferronet_static_FOUND)
  set(_ferronet_wanted shared)
  set(ferronet_FIND_REQUIRED_shared TRUE)
endif()
foreach(_ferronet_component IN LISTS _ferronet_wanted)
  if(ferronet_FIND_REQUIRED_${_ferronet_component} AND NOT ferronet_${_ferronet_component}_FOUND)
    set(ferronet_FOUND FALSE)
    set(ferronet_NOT_FOUND_MESSAGE "${_ferronet_prefix} holds no component ${_ferronet_component}: there are shared (lib/@SONAME@) and static (lib/libferronet.a)")
  endif()
endforeach()
unset(_ferronet_component)
unset(_ferronet_wanted)
unset(_ferronet_prefix)
