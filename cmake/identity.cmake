# What a build is made of: the commit, and a SHA-256 over the sources of a device.
#
# The commit is that of the tarball (git archive writes it into commit.txt), or else of the checkout, when CMake last ran.
# Builds with tests have none, because a commit would then link some hundred programs anew.
#
# The digest is what this command prints in the root of the sources:
#
#     find include/sotto/core.h include/sotto/client.h include/sotto/transport.h src/core src/client src/transport \
#         -type f | LC_ALL=C sort | xargs sha256sum | sha256sum
#
# As a script, `cmake -D ROOT=... -D OUT=... -D COMMIT=... -P identity.cmake` writes both to a header, if they changed.

function(sotto_identity_sources root out)
    file(GLOB_RECURSE files LIST_DIRECTORIES false RELATIVE ${root} ${root}/src/core/* ${root}/src/client/*
         ${root}/src/transport/*)
    list(APPEND files include/sotto/core.h include/sotto/client.h include/sotto/transport.h)
    list(SORT files COMPARE STRING CASE SENSITIVE)
    set(${out} ${files} PARENT_SCOPE)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
    sotto_identity_sources(${ROOT} files)
    set(lines "")
    foreach(file ${files})
        file(SHA256 ${ROOT}/${file} digest)
        string(APPEND lines "${digest}  ${file}\n")
    endforeach()
    string(SHA256 digest "${lines}")
    file(CONFIGURE OUTPUT ${OUT} CONTENT "#define COMMIT \"${COMMIT}\"\n#define SOURCES \"${digest}\"\n")
    return()
endif()

function(sotto_identity_commit out)
    file(READ ${PROJECT_SOURCE_DIR}/cmake/commit.txt commit)
    string(STRIP "${commit}" commit)
    if(commit MATCHES "^[$]") # no tarball
        set(commit unknown)
        if(NOT SOTTO_TESTS AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
            execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse HEAD OUTPUT_VARIABLE found ERROR_QUIET
                            OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
            execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --git-path logs/HEAD OUTPUT_VARIABLE log
                            ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
            if(failed EQUAL 0)
                set(commit ${found})
                file(REAL_PATH "${log}" log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
                if(EXISTS ${log}) # grows with every commit and checkout
                    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${log})
                endif()
            endif()
        endif()
    endif()
    set(${out} ${commit} PARENT_SCOPE)
endfunction()

# Gives a target the header identity.h, which is made anew when one of the sources changes.
function(sotto_identity target)
    sotto_identity_commit(commit)
    sotto_identity_sources(${PROJECT_SOURCE_DIR} files)
    list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/)
    set(header ${PROJECT_BINARY_DIR}/identity/identity.h)
    add_custom_command(OUTPUT ${header}
        COMMAND ${CMAKE_COMMAND} -D ROOT=${PROJECT_SOURCE_DIR} -D OUT=${header} -D COMMIT=${commit}
                -P ${PROJECT_SOURCE_DIR}/cmake/identity.cmake
        COMMAND ${CMAKE_COMMAND} -E touch ${header}
        DEPENDS ${files} ${PROJECT_SOURCE_DIR}/cmake/identity.cmake VERBATIM)
    target_sources(${target} PRIVATE ${header})
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/identity)
endfunction()
