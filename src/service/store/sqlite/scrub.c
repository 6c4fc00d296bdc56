/*
 * Overwriting what was removed takes three things:
 *
 *   secure_delete       SQLite overwrites a row that is deleted, and pages that become free
 *   the log is cut      it has the rows as they were written; a checkpoint that truncates removes it, and a
 *                       sync of the log makes that last
 *   gaps are zeroed     when SQLite merges pages it moves rows, and leaves what they were in the gap of a
 *                       page, even with secure_delete. If such a row is deleted later, the copy stays
 *
 * The gap of a page (sqlite.org/fileformat2.html, section 1.6) lies between the array of its cells and the
 * first byte of their content. It means nothing to SQLite. So zeros are written there, by SQLite's own
 * handle of the file; a crash in the middle does no harm. SQLite then forgets its copies of pages.
 *
 *   offset in a page   0 kind: 5 or 2 inner, 13 or 10 leaf (of a table or an index) · 3 u16 cells ·
 *                      5 u16 first byte of content, 0 means 65,536 · inner: 8 u32 last child; the array
 *                      of cells begins at 8, or 12 on inner pages; a cell of an inner page begins with
 *                      the number of its child. All big-endian
 */
#include "inner.h"

#include <string.h>

#define PAGE_BYTES_MAX 65536u
#define DEPTH_MAX 32u /* SQLite's own limit is 20 */

typedef struct scrubber {
    journal_sqlite *journal;
    sqlite3_file *file;
    uint32_t page_bytes;
    uint32_t pages;
    uint64_t visited; /* at most the number of pages, so that a cycle ends */
    bool wrote;
    uint8_t page[PAGE_BYTES_MAX];
} scrubber;

static const uint8_t zeros[PAGE_BYTES_MAX];

static uint32_t get_u16(const uint8_t *in)
{
    return (uint32_t)in[0] << 8 | in[1];
}

static uint32_t get_u32(const uint8_t *in)
{
    return get_u16(in) << 16 | get_u16(in + 2);
}

static bool refuse_page(scrubber *s, uint32_t number)
{
    return journal__refuse(s->journal, "%s is damaged: page %u is not a valid SQLite page",
                           s->journal->directory.file, number);
}

static bool read_at(scrubber *s, void *out, int bytes, int64_t offset)
{
    int code = s->file->pMethods->xRead(s->file, out, bytes, offset);
    return code == SQLITE_OK || journal__refuse_sqlite(s->journal, code, "be scrubbed");
}

static bool is_inner(const uint8_t *page)
{
    return page[0] == 2 || page[0] == 5;
}

/* Reads a page and writes zeros into its gap. */
static bool scrub_page(scrubber *s, uint32_t number)
{
    if (number < 2 || number > s->pages || s->visited++ > s->pages) return refuse_page(s, number);
    int64_t offset = (int64_t)(number - 1) * s->page_bytes;
    const uint8_t *page = s->page;
    if (!read_at(s, s->page, (int)s->page_bytes, offset)) return false;
    bool is_leaf = page[0] == 10 || page[0] == 13;
    if (!is_leaf && !is_inner(page)) return refuse_page(s, number);
    uint32_t start = (is_leaf ? 8u : 12u) + 2 * get_u16(page + 3), end = get_u16(page + 5);
    if (end == 0) end = PAGE_BYTES_MAX;
    if (start > end || end > s->page_bytes) return refuse_page(s, number);
    bool is_zero = memcmp(page + start, zeros, end - start) == 0;
    if (start == end || (is_zero && !s->journal->owes_zeros)) return true;
    int code = s->file->pMethods->xWrite(s->file, zeros, (int)(end - start), offset + start);
    s->wrote = true;
    return code == SQLITE_OK || journal__refuse_sqlite(s->journal, code, "be scrubbed");
}

/* The page number of child i of the page just read; the last one is in the head. */
static uint32_t child_of(const scrubber *s, uint32_t i)
{
    if (i == get_u16(s->page + 3)) return get_u32(s->page + 8);
    uint32_t cell = get_u16(s->page + 12 + 2 * i);
    return cell + 4 <= s->page_bytes ? get_u32(s->page + cell) : 0;
}

/* All pages of a table or an index, from its root; not overflow pages, whose content does not move. */
static bool scrub_tree(scrubber *s, uint32_t root)
{
    struct {
        uint32_t number, next;
    } path[DEPTH_MAX];
    uint32_t depth = 0;
    path[0].number = root;
    path[0].next = 0;
    if (!scrub_page(s, root)) return false;
    while (is_inner(s->page) || depth > 0) {
        if (is_inner(s->page) && path[depth].next <= get_u16(s->page + 3)) {
            uint32_t child = child_of(s, path[depth].next++);
            if (depth + 1 == DEPTH_MAX) return refuse_page(s, child);
            depth++;
            path[depth].number = child;
            path[depth].next = 0;
            if (!scrub_page(s, child)) return false;
            continue;
        }
        if (depth == 0) return true;
        depth--;
        if (!read_at(s, s->page, (int)s->page_bytes,
                     (int64_t)(path[depth].number - 1) * s->page_bytes)) {
            return false;
        }
    }
    return true;
}

/* History grows for years, and rarely loses rows: if it lost none, its gaps have copies only of rows that it still has,
 * and its pages are not read. */
static bool scrub_trees(scrubber *s)
{
    const journal_value all = JOURNAL_VALUE_U(s->journal->thins);
    sqlite3_stmt *statement = journal__ask(s->journal, JOURNAL_SQL_ROOTS, &all, 1);
    bool ok = statement != NULL;
    int code = SQLITE_DONE;
    while (ok && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        uint32_t root;
        ok = journal__column_u32(statement, 0, &root) ? scrub_tree(s, root) : refuse_page(s, 1);
    }
    if (ok && code != SQLITE_DONE) ok = journal__refuse_sqlite(s->journal, code, "be scrubbed");
    if (statement != NULL) journal__done(statement);
    return ok;
}

static bool scrub_gaps(journal_sqlite *journal)
{
    scrubber s = {.journal = journal};
    uint8_t head[100];
    sqlite3_int64 bytes = 0;
    int code = sqlite3_file_control(journal->data, "main", SQLITE_FCNTL_FILE_POINTER, &s.file);
    if (code == SQLITE_OK) code = s.file->pMethods->xFileSize(s.file, &bytes);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be scrubbed");
    if (!read_at(&s, head, sizeof head, 0)) return false;
    s.page_bytes = get_u16(head + 16) == 1 ? PAGE_BYTES_MAX : get_u16(head + 16);
    if (s.page_bytes < 512) return refuse_page(&s, 1);
    s.pages = (uint32_t)(bytes / s.page_bytes);
    if (!scrub_trees(&s)) return false;
    if (!s.wrote) return true;
    code = s.file->pMethods->xSync(s.file, SQLITE_SYNC_FULL);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be scrubbed");
    /* Pages in memory still hold what was in their gaps, and would be written back with it. */
    sqlite3_db_release_memory(journal->data);
    return true;
}

/* SQLite does not wait until the truncation of the log is on the disk. After a power cut the old log would be back,
 * with the removed rows. */
static bool sync_log(journal_sqlite *journal)
{
    sqlite3_file *log = NULL;
    int code = sqlite3_file_control(journal->data, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
    if (code == SQLITE_OK && log != NULL && log->pMethods != NULL)
        code = log->pMethods->xSync(log, SQLITE_SYNC_NORMAL);
    return code == SQLITE_OK || journal__refuse_sqlite(journal, code, "be scrubbed");
}

bool sqlite_scrub(sottod_journal *base)
{
    journal_sqlite *journal = journal__sqlite_of(base);
    if (journal->begun || journal->read_only) {
        return journal__refuse(journal,
                               "%s cannot be scrubbed in a transaction, or when it is open only "
                               "for reading",
                               journal->directory.file);
    }
    int code =
        sqlite3_wal_checkpoint_v2(journal->data, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if (code != SQLITE_OK) return journal__refuse_sqlite(journal, code, "be scrubbed");
    if (!sync_log(journal)) return false;
    bool ok = scrub_gaps(journal);
    journal->owes_zeros = !ok;
    if (ok) journal->thins = false;
    return ok;
}
