# x86-64 on a machine of another kind: Debian's cross compiler builds, qemu runs. packaging/foreign.sh
# puts the libraries besides libc into build/x86-64. The variable QEMU_CPU picks the processor.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-linux-gnu-gcc)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-x86_64 -L /usr/x86_64-linux-gnu)

set(unpacked ${CMAKE_CURRENT_LIST_DIR}/../build/x86-64)
list(APPEND CMAKE_PREFIX_PATH ${unpacked}/usr)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -L${unpacked}/usr/lib/x86_64-linux-gnu)
# Libraries that libraries need are found there, too: when linking, and by the old kind of rpath also when running.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--disable-new-dtags,-rpath,${unpacked}/usr/lib/x86_64-linux-gnu)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${unpacked})
set(ENV{PKG_CONFIG_LIBDIR} ${unpacked}/usr/lib/x86_64-linux-gnu/pkgconfig)
