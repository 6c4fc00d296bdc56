# A room is a directory of src/: one target, and the list of the rooms that it uses.
#
#   sotto_room(lab/audit SIDE LAB SOURCES audit.c ... USES lab/math core ... LINKS Threads::Threads)
#
# makes the library sotto_lab_audit. A file names the header of another room by its path under src,
# `#include "lab/math/math.h"`, and one of its own room by its bare name. The compiler finds the
# headers of the rooms under USES and of no others: each room has an include directory of its own, in
# which nothing but a link to the room stands. Linking is transitive, seeing is not.
#
# A room can only use rooms that were made before it, so that arrows run downwards and there are no
# circles. tests/boundary reads the lists from rooms.txt and tries every arrow that they forbid.

set(SOTTO_ROOMS_DIR ${PROJECT_BINARY_DIR}/rooms)

function(sotto_room path)
    cmake_parse_arguments(ARG "" "SIDE" "SOURCES;USES;LINKS" ${ARGN})
    string(REPLACE / _ name ${path})
    add_library(sotto_${name} STATIC ${ARG_SOURCES})
    target_compile_definitions(sotto_${name} PRIVATE SOTTO_SIDE_${ARG_SIDE})
    if(SOTTO_FUZZ AND path MATCHES "^(lab/|cli/|paper$|fleet$)") # compiled in half of the time; few of them parse
        target_compile_options(sotto_${name} PRIVATE -O0)
    endif()
    target_link_libraries(sotto_${name} PUBLIC ${ARG_LINKS})
    sotto_see(sotto_${name} ${ARG_USES})

    set(seen ${SOTTO_ROOMS_DIR}/${name}/${path})
    get_filename_component(parent ${seen} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(GLOB rooms_inside ${PROJECT_SOURCE_DIR}/src/${path}/*/CMakeLists.txt)
    if(rooms_inside) # whose headers are not seen with those of this one
        file(MAKE_DIRECTORY ${seen})
        file(GLOB headers RELATIVE ${PROJECT_SOURCE_DIR}/src/${path} ${PROJECT_SOURCE_DIR}/src/${path}/*.h)
        foreach(header ${headers})
            file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${path}/${header} ${seen}/${header} SYMBOLIC)
        endforeach()
    else()
        file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${path} ${seen} SYMBOLIC)
    endif()
    set_property(GLOBAL APPEND PROPERTY SOTTO_ROOMS ${path})
    set_property(TARGET sotto_${name} PROPERTY SOTTO_USES ${ARG_USES})
endfunction()

# Lets a target see the headers of rooms, and link them.
function(sotto_see target)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/include)
    foreach(path ${ARGN})
        string(REPLACE / _ name ${path})
        if(NOT TARGET sotto_${name})
            message(FATAL_ERROR "${target} uses ${path}, which is no room below it")
        endif()
        target_include_directories(${target} PRIVATE ${SOTTO_ROOMS_DIR}/${name})
        target_link_libraries(${target} PUBLIC sotto_${name})
    endforeach()
endfunction()

# Lets a target see what the lab sees: all rooms but those of programs and of the network.
function(sotto_see_lab target)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    list(FILTER rooms EXCLUDE REGEX "^(cli/|service/|option$|transport$|fleet$)")
    sotto_see(${target} ${rooms})
    target_compile_definitions(${target} PRIVATE SOTTO_SIDE_LAB)
endfunction()

# Lets a target see the rooms of the service, in addition.
function(sotto_see_service target)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    list(FILTER rooms INCLUDE REGEX "^(service/|option$)")
    sotto_see(${target} ${rooms})
endfunction()

# The rooms of the library of the lab.
function(sotto_lab_rooms out)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    list(FILTER rooms INCLUDE REGEX "^(lab/|text$|threads$)")
    set(${out} ${rooms} PARENT_SCOPE)
endfunction()

# Writes the list of rooms and of what each uses, one line per room, for the tests.
function(sotto_rooms_write)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    set(text "")
    foreach(path ${rooms})
        string(REPLACE / _ name ${path})
        get_target_property(uses sotto_${name} SOTTO_USES)
        list(JOIN uses " " uses)
        string(REPLACE uses-NOTFOUND "" uses "${uses}") # a room that uses none
        string(APPEND text "${path}: ${uses}\n")
    endforeach()
    file(GENERATE OUTPUT ${SOTTO_ROOMS_DIR}/rooms.txt CONTENT "${text}")
endfunction()
