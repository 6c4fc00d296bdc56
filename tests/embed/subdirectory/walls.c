/* Public headers are found from here, and no others. */
#if !__has_include(<sotto/client.h>)
#error "sotto/client.h is not found"
#endif
#if __has_include("client/client.h") || __has_include("core/core.h")
#error "internal headers are found"
#endif
int walls;
