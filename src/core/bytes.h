/* Little-endian integers and doubles, one by one. Nothing else ever touches the wire or the disk.
 */
#ifndef SOTTO_BYTES_H
#define SOTTO_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline void sotto__put_u16(uint8_t *out, uint16_t value)
{
    out[0] = (uint8_t)value;
    out[1] = (uint8_t)(value >> 8);
}

static inline void sotto__put_u32(uint8_t *out, uint32_t value)
{
    sotto__put_u16(out, (uint16_t)value);
    sotto__put_u16(out + 2, (uint16_t)(value >> 16));
}

static inline void sotto__put_u64(uint8_t *out, uint64_t value)
{
    sotto__put_u32(out, (uint32_t)value);
    sotto__put_u32(out + 4, (uint32_t)(value >> 32));
}

static inline void sotto__put_f64(uint8_t *out, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    sotto__put_u64(out, bits);
}

static inline uint16_t sotto__get_u16(const uint8_t *in)
{
    return (uint16_t)(in[0] | (uint16_t)in[1] << 8);
}

static inline uint32_t sotto__get_u32(const uint8_t *in)
{
    return (uint32_t)sotto__get_u16(in) | (uint32_t)sotto__get_u16(in + 2) << 16;
}

static inline uint64_t sotto__get_u64(const uint8_t *in)
{
    return (uint64_t)sotto__get_u32(in) | (uint64_t)sotto__get_u32(in + 4) << 32;
}

/* Known when this is compiled. */
static inline bool sotto__memory_is_little_endian(void)
{
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, sizeof first);
    return first == 1;
}

/* Many 32-bit numbers. Where memory is little-endian they are already in the right order. */
static inline void sotto__put_i32s(uint8_t *out, const int32_t *value, uint32_t count)
{
    if (sotto__memory_is_little_endian()) {
        memcpy(out, value, 4 * (size_t)count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        sotto__put_u32(out + 4 * (size_t)i, (uint32_t)value[i]);
    }
}

static inline void sotto__get_i32s(const uint8_t *in, int32_t *value, uint32_t count)
{
    if (sotto__memory_is_little_endian()) {
        memcpy(value, in, 4 * (size_t)count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        value[i] = (int32_t)sotto__get_u32(in + 4 * (size_t)i);
    }
}

static inline double sotto__get_f64(const uint8_t *in)
{
    uint64_t bits = sotto__get_u64(in);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
