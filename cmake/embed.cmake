# sotto_embed(sotto_lab_page web/style/page.css): a file of the tree as the numbers of its bytes, which
# a source of the target includes as "page.css.inc". It is made anew when the file changes.
function(sotto_embed target file)
    set(path ${PROJECT_SOURCE_DIR}/${file})
    get_filename_component(name ${file} NAME)
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/embedded/${target}/${name}.inc CONTENT "${bytes}0x00\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/embedded/${target})
endfunction()
