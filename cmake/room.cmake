# A room is a folder of src/: one target, and the list of the rooms that it uses.
#
#   sotto_room(lab/audit SIDE LAB SOURCES audit.c ... USES lab/math core ... LINKS Threads::Threads)
#
# makes the library sotto_lab_audit. A file names the header of another room by its path under src,
# `#include "lab/math/eigen.h"`, and one of its own room by its bare name. The compiler finds the
# headers of the rooms under USES and of no others: each room has an include folder of its own, in
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
    target_link_libraries(sotto_${name} PUBLIC ${ARG_LINKS})
    sotto_see(sotto_${name} ${ARG_USES})

    get_filename_component(parent ${SOTTO_ROOMS_DIR}/${name}/${path} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${path} ${SOTTO_ROOMS_DIR}/${name}/${path} SYMBOLIC)
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
    list(FILTER rooms EXCLUDE REGEX "^(cli/|service/|terminal$|transport$|fleet$)")
    sotto_see(${target} ${rooms})
    target_compile_definitions(${target} PRIVATE SOTTO_SIDE_LAB)
endfunction()

# Lets a target see the rooms of the service, in addition.
function(sotto_see_service target)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    list(FILTER rooms INCLUDE REGEX ^service/)
    sotto_see(${target} ${rooms})
endfunction()

# The rooms of the library of the lab: all but the paper's, which is an application of it.
function(sotto_lab_rooms out)
    get_property(rooms GLOBAL PROPERTY SOTTO_ROOMS)
    list(FILTER rooms INCLUDE REGEX ^lab/)
    list(REMOVE_ITEM rooms lab/paper)
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
