/* The tables of options of all commands: what no compiler checks. */
#include "cli/completion/completion.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* Room for the struct of any command. */
#define FIELDS_BYTES 65536

static size_t bytes_of(option_kind kind)
{
    switch (kind) {
    case OPTION_IS_FLAG: return sizeof(bool);
    case OPTION_IS_U32: return sizeof(uint32_t);
    case OPTION_IS_U64: return sizeof(uint64_t);
    case OPTION_IS_F64: return sizeof(double);
    case OPTION_IS_PAIR: return 2 * sizeof(double);
    case OPTION_IS_TEXT: return sizeof(const char *);
    case OPTION_IS_OTHER: return 1; /* at least */
    }
    return 0;
}

static bool is_number(const option *row)
{
    bool number = row->kind == OPTION_IS_U32 || row->kind == OPTION_IS_U64 ||
                  row->kind == OPTION_IS_F64 || row->kind == OPTION_IS_PAIR;
    return number && row->names == NULL && row->parse == NULL;
}

/* The row after `row` in any of the tables; begins with NULL, ends with NULL. */
static const option *next_row(const command **self, const option *row)
{
    uint32_t at = 0;
    if (row != NULL) {
        if (row[1].meaning != NULL) return row + 1;
        while (command_at(at) != *self) {
            at++;
        }
        at++;
    }
    while (command_at(at) != NULL && command_at(at)->table->meaning == NULL) {
        at++; /* it has no options */
    }
    *self = command_at(at);
    return *self != NULL ? (*self)->table : NULL;
}

#define EACH_ROW(self, row)                                                                        \
    const command *self = NULL;                                                                    \
    for (const option *row = next_row(&self, NULL); row != NULL; row = next_row(&self, row))

#define assert_row(condition, self, row)                                                           \
    if (!(condition)) fail_msg("sotto %s --%s: %s", (self)->name, (row)->name, #condition)

TEST(names_can_be_typed_and_are_there_once)
{
    EACH_ROW(self, row)
    {
        size_t length = strlen(row->name);
        assert_row(length >= 1 && length <= 18, self, row); /* the column of --help */
        assert_row(strspn(row->name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length, self, row);
        assert_row(row->name[0] != '-' && row->name[length - 1] != '-', self, row);
        assert_row(strcmp(row->name, "help") != 0, self, row);
        for (const option *other = self->table; other < row; other++) {
            assert_row(strcmp(other->name, row->name) != 0, self, row);
        }
    }
}

TEST(tables_are_short_enough)
{
    EACH_ROW(self, row)
    {
        assert_row(row - self->table < (ptrdiff_t)OPTION_ROWS_MAX, self, row);
    }
}

TEST(groups_stand_together)
{
    EACH_ROW(self, row)
    {
        assert_row(row->group != NULL && row->group[0] != '\0', self, row);
        if (row == self->table || strcmp(row[-1].group, row->group) == 0) continue;
        for (const option *other = self->table; other < row; other++) {
            assert_row(strcmp(other->group, row->group) != 0, self, row);
        }
    }
}

TEST(every_row_says_what_it_means)
{
    EACH_ROW(self, row)
    {
        size_t length = strlen(row->meaning);
        assert_row(length > 0, self, row);
        assert_row(row->meaning[length - 1] != '.' && row->meaning[length - 1] != ' ', self, row);
    }
}

/* A default that is always the same stands in the table, where it is tried, and not in words. */
TEST(words_tell_only_defaults_that_depend_on_something)
{
    static const char *const depending[] = {
        "default: ",        "default 1/30000", "default 1, 2, 5, ", "default 5 % of the best",
        "default 0, for g", "default 1e-",     "default all",       "by default as "};
    EACH_ROW(self, row)
    {
        bool fine = strstr(row->meaning, "default ") == NULL;
        for (size_t i = 0; i < sizeof depending / sizeof depending[0]; i++) {
            fine |= strstr(row->meaning, depending[i]) != NULL;
        }
        fine |= strstr(row->meaning, "the default") != NULL; /* a flag */
        assert_row(fine, self, row);
        assert_row(row->usual == NULL || strstr(row->meaning, "default") == NULL, self, row);
    }
}

TEST(ranges_are_not_empty_and_fit_their_type)
{
    EACH_ROW(self, row)
    {
        if (!is_number(row)) continue;
        assert_row(row->lo < row->hi, self, row);
        if (row->kind == OPTION_IS_U32)
            assert_row(row->lo >= 0 && row->hi <= UINT32_MAX, self, row);
        if (row->kind == OPTION_IS_U64) assert_row(row->lo >= 0 && row->hi <= 0x1p53, self, row);
    }
}

static bool takes_plugins(const option *row)
{
    return row->takes == OPTION_TAKES_NAME_OR_PLUGIN || row->takes == OPTION_TAKES_PLUGIN_LIST;
}

/* Shells complete paths where the help says that they may be given. */
TEST(what_may_be_a_plug_in_is_marked)
{
    EACH_ROW(self, row)
    {
        bool told = strstr(row->meaning, "./FILE.so") != NULL;
        assert_row(takes_plugins(row) == told, self, row);
    }
}

TEST(what_has_no_kind_of_its_own_has_a_parser)
{
    EACH_ROW(self, row)
    {
        assert_row(row->kind != OPTION_IS_OTHER || row->parse != NULL, self, row);
        bool words = row->takes == OPTION_TAKES_LIST || takes_plugins(row);
        assert_row(!words || (row->parse != NULL && row->names != NULL), self, row);
        bool path = row->takes == OPTION_TAKES_FILE || row->takes == OPTION_TAKES_DIRECTORY;
        assert_row(!path || row->kind == OPTION_IS_TEXT, self, row);
    }
}

TEST(names_are_for_kinds_and_parsers_and_can_be_listed)
{
    EACH_ROW(self, row)
    {
        if (row->names == NULL) continue;
        assert_row(row->kind == OPTION_IS_U32 || row->parse != NULL, self, row);
        assert_row(row->names(0) != NULL && row->names(1) != NULL, self, row);
    }
}

/* Flags have none: they are off. */
TEST(every_default_is_a_value_that_is_allowed)
{
    EACH_ROW(self, row)
    {
        if (row->usual == NULL) continue;
        _Alignas(max_align_t) char fields[FIELDS_BYTES] = {0};
        char name[64], value[64], *argv[] = {name, value};
        command_line line;
        assert_row(row->kind != OPTION_IS_FLAG, self, row);
        snprintf(name, sizeof name, "--%s", row->name);
        snprintf(value, sizeof value, "%s", row->usual);
        assert_row(command_line_parse(&line, self, fields, 2, argv), self, row);
    }
}

TEST(no_two_options_fill_the_same_field)
{
    EACH_ROW(self, row)
    {
        size_t end = row->field + bytes_of(row->kind);
        assert_row(end <= FIELDS_BYTES, self, row);
        for (const option *other = self->table; other < row; other++) {
            bool apart = other->field >= end || row->field >= other->field + bytes_of(other->kind);
            assert_row(apart, self, row);
        }
    }
}

TEST(every_command_has_a_table)
{
    for (uint32_t i = 0; command_at(i) != NULL; i++) {
        assert_non_null(command_at(i)->table);
    }
    uint32_t count = 0;
    EACH_ROW(self, row)
    {
        count += row->meaning != NULL;
    }
    assert_true(count >= 60);
}
