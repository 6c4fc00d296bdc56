# The other kind of machine: 64-bit ARM on x86-64, x86-64 everywhere else. Debian's cross compiler builds, qemu runs.
# packaging/foreign.sh puts the libraries besides libc into build/foreign. The variable QEMU_CPU picks the processor.
set(CMAKE_SYSTEM_NAME Linux)
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL x86_64)
    set(CMAKE_SYSTEM_PROCESSOR aarch64)
else()
    set(CMAKE_SYSTEM_PROCESSOR x86_64)
endif()
set(system ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu)
set(CMAKE_C_COMPILER ${system}-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${CMAKE_SYSTEM_PROCESSOR} -L /usr/${system})

set(unpacked ${CMAKE_CURRENT_LIST_DIR}/../build/foreign)
if(SOTTO_UNPACKED) # other libraries; compiler checks read this file, too
    list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SOTTO_UNPACKED)
    set(unpacked ${SOTTO_UNPACKED})
endif()
list(APPEND CMAKE_PREFIX_PATH ${unpacked}/usr)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -L${unpacked}/usr/lib/${system})
# Libraries that libraries need are found there, too: when linking, and by the old kind of rpath also when running.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--disable-new-dtags,-rpath,${unpacked}/usr/lib/${system})
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${unpacked})
set(ENV{PKG_CONFIG_LIBDIR} ${unpacked}/usr/lib/${system}/pkgconfig)
