/*
 * Which processor a shared object is for, by the head of its file. The system's loader passes over a file for
 * another one, and then says that there is no such file.
 *
 * The head of an ELF file (System V ABI, "ELF Header"):
 *
 *   0   4   0x7f 'E' 'L' 'F'
 *   4   1   class: 1 for 32 bits, 2 for 64
 *   5   1   order of the bytes of numbers: 1 little-endian, 2 big-endian
 *   18  2   machine
 */
#include "processor.h"
#include "core/fault.h"

#include <stdio.h>
#include <string.h>

#define HEAD_BYTES 20u
#define NAME_BYTES 64u
#define THIS_PROGRAM "/proc/self/exe"

typedef struct processor {
    uint32_t bits, order, machine;
} processor;

static bool read_head(const char *path, processor *out)
{
    static const uint8_t magic[] = {0x7f, 'E', 'L', 'F'};
    uint8_t head[HEAD_BYTES];
    FILE *file = fopen(path, "rb");
    if (file == NULL) return false;
    bool whole = fread(head, 1, sizeof head, file) == sizeof head;
    fclose(file);
    if (!whole || memcmp(head, magic, sizeof magic) != 0) return false;
    uint32_t first = head[18], second = head[19];
    out->bits = 32u * head[4];
    out->order = head[5];
    out->machine = head[5] == 2 ? first << 8 | second : second << 8 | first;
    return (head[4] == 1 || head[4] == 2) && (head[5] == 1 || head[5] == 2);
}

static bool is_same(const processor *a, const processor *b)
{
    return a->bits == b->bits && a->order == b->order && a->machine == b->machine;
}

static const char *name_of(const processor *of, char text[NAME_BYTES])
{
    static const struct {
        processor processor;
        const char *name;
    } known[] = {
        {{64, 1, 62}, "x86-64"},       {{32, 1, 3}, "x86"},       {{64, 1, 183}, "aarch64"},
        {{32, 1, 40}, "arm"},          {{64, 1, 243}, "riscv64"}, {{32, 1, 243}, "riscv32"},
        {{64, 1, 21}, "ppc64le"},      {{64, 2, 21}, "ppc64"},    {{64, 2, 22}, "s390x"},
        {{64, 1, 258}, "loongarch64"},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (is_same(&known[i].processor, of)) return known[i].name;
    }
    snprintf(text, NAME_BYTES, "ELF machine %u with %u bits, %s-endian", of->machine, of->bits,
             of->order == 2 ? "big" : "little");
    return text;
}

const char *plugin_processor_fault(const char *path, char fault[SOTTO_FAULT_BYTES])
{
    processor wanted, found;
    char text[2][NAME_BYTES];
    if (!read_head(path, &found) || !read_head(THIS_PROGRAM, &wanted)) return NULL;
    if (is_same(&found, &wanted)) return NULL;
    return sotto__fault(fault, "%.300s: is built for another processor (%s, this one is %s)", path,
                        name_of(&found, text[0]), name_of(&wanted, text[1]));
}
