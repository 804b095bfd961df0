#include "base/file.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

TestSuite(file, .init = folder_make, .fini = folder_remove);

Test(file, appends_small_and_large_pieces_in_order)
{
    struct arus_buffer content = {0};
    struct arus_file file;
    struct arus_error err;
    char *large = malloc(200000);
    bool is_missing;

    memset(large, 'x', 200000);
    MUST(arus_file_create(&file, at("a"), &err));
    MUST(arus_file_append(&file, "begin", 5, &err));
    MUST(arus_file_append(&file, large, 200000, &err));
    MUST(arus_file_append(&file, "end", 3, &err));
    cr_expect_eq(file.size, 200008);
    MUST(arus_file_sync(&file, &err));
    MUST(arus_file_close(&file, &err));
    MUST(arus_file_read(at("a"), &content, &is_missing, &err));
    cr_assert(!is_missing && content.size == 200008);
    cr_expect(memcmp(content.data, "beginxx", 7) == 0);
    cr_expect(memcmp(content.data + 200003, "xxend", 5) == 0);
    arus_buffer_release(&content);
    free(large);
}

Test(file, creates_new_files_without_overwriting)
{
    struct arus_error err;
    bool exists;

    MUST(arus_file_create_new(at("n"), ARUS_TEXT("one"), &exists, &err));
    cr_expect(!exists);
    MUST(arus_file_create_new(at("n"), ARUS_TEXT("two"), &exists, &err));
    cr_expect(exists);
    cr_expect_str_eq(file_text(at("n")), "one");
    cr_expect(!has_file(at(".n.arus.tmp")));
    MUST(arus_file_replace(at("n"), ARUS_TEXT("three"), &err));
    cr_expect_str_eq(file_text(at("n")), "three");
}

Test(file, copies_a_file_behind_what_is_there)
{
    struct arus_file from;
    struct arus_file to;
    struct arus_error err;

    put_file(at("from"), "0123456789");
    MUST(arus_file_open(&from, at("from"), &err));
    MUST(arus_file_create(&to, at("to"), &err));
    MUST(arus_file_append(&to, "<", 1, &err));
    MUST(arus_file_append_file(&to, &from, 4, &err));
    MUST(arus_file_append(&to, ">", 1, &err));
    MUST(arus_file_close(&to, &err));
    arus_file_abandon(&from);
    cr_expect_str_eq(file_text(at("to")), "<0123>");
}

Test(file, makes_folders_and_tells_which_to_sync)
{
    struct arus_buffer made = {0};
    struct arus_error err;

    MUST(arus_folder_make(at("a/b/c"), &made, &err));
    cr_expect(has_file(at("a/b/c")));
    cr_expect_str_eq(made.data, test_folder);
    cr_expect_str_eq(made.data + strlen(made.data) + 1, at("a"));
    MUST(arus_folder_sync_made(&made, &err));
    cr_expect(made.size == 0);
    MUST(arus_folder_make(at("a/b/c"), &made, &err));
    cr_expect(made.size == 0);
    arus_buffer_release(&made);
}

Test(file, syncs_each_noted_folder_once)
{
    struct arus_buffer made = {0};
    struct arus_error err;

    MUST(arus_folder_make(at("a/x"), &made, &err)); /* the test's folder, then a */
    MUST(arus_folder_make(at("b"), &made, &err));
    MUST(arus_folder_make(at("a/y"), &made, &err));
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 2, EIO);
    cr_assert(arus_folder_sync_made(&made, &err) == ARUS_FATAL);
    cr_expect(made.size != 0); /* still noted */
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 3, EIO);
    MUST(arus_folder_sync_made(&made, &err));
    arus_file_fail_at(ARUS_FILE_OP_SYNC_FOLDER, 0, 0);
    cr_expect(made.size == 0);
    arus_buffer_release(&made);
}

Test(file, syncs_many_files_and_none)
{
    struct arus_buffer paths = {0};
    struct arus_error err;

    MUST(arus_file_sync_all(&paths, &err));
    for (int i = 0; i < 9; i++) {
        char name[8];

        (void)snprintf(name, sizeof name, "f%d", i);
        if (i != 4) { /* one that is gone is fine */
            MUST(arus_file_replace(at(name), ARUS_TEXT("x"), &err));
        }
        MUST(arus_buffer_append(&paths, at(name), strlen(at(name)) + 1, &err));
    }
    arus_file_fail_at(ARUS_FILE_OP_SYNC, 9, EIO); /* of eight */
    MUST(arus_file_sync_all(&paths, &err));
    arus_file_fail_at(ARUS_FILE_OP_SYNC, 8, EIO);
    cr_expect(arus_file_sync_all(&paths, &err) == ARUS_FATAL);
    cr_expect(strstr(err.message, "Input/output error") != NULL, "%s", err.message);
    arus_file_fail_at(ARUS_FILE_OP_SYNC, 0, 0);
    arus_buffer_release(&paths);
}

Test(file, notes_a_folder_and_all_above_it)
{
    struct arus_buffer made = {0};
    struct arus_error err;
    const char *next;

    MUST(arus_folder_make(at("a/b"), NULL, &err));
    MUST(arus_folder_note_above(&made, at("a/b"), &err));
    next = made.data;
    cr_expect_str_eq(next, at("a/b"));
    next += strlen(next) + 1;
    cr_expect_str_eq(next, at("a"));
    next += strlen(next) + 1;
    cr_expect_str_eq(next, test_folder);
    MUST(arus_folder_sync_made(&made, &err));
    arus_buffer_release(&made);
}

Test(file, fails_when_told_to_and_says_where)
{
    struct arus_error err;
    struct arus_file file;
    bool exists;

    arus_file_fail_at(ARUS_FILE_OP_WRITE, 1, ENOSPC);
    cr_assert(arus_file_create_new(at("x"), ARUS_TEXT("content"), &exists, &err) == ARUS_FATAL);
    cr_expect(strstr(err.message, "No space left on device") != NULL);
    cr_expect_str_eq(err.condition, "TASK_WRITE_FAILED");
    cr_expect(!has_file(at("x")));
    arus_file_fail_at(ARUS_FILE_OP_WRITE, 1, ENOSPC);
    MUST(arus_file_create(&file, at("half"), &err));
    MUST(arus_file_append(&file, "12345678", 8, &err));
    cr_expect(arus_file_close(&file, &err) == ARUS_FATAL);
    cr_expect_str_eq(file_text(at("half")), "1234");
}

Test(file, missing_things_are_results)
{
    struct arus_buffer content = {0};
    struct arus_file_info info;
    struct arus_folder folder;
    struct arus_file file;
    struct arus_error err;
    bool is_missing;

    MUST(arus_file_stat(at("no"), &info, &err));
    cr_expect(info.kind == ARUS_FILE_NONE);
    MUST(arus_file_read(at("no"), &content, &is_missing, &err));
    cr_expect(is_missing);
    MUST(arus_folder_open(&folder, at("no"), &is_missing, &err));
    cr_expect(is_missing);
    arus_folder_close(&folder);
    MUST(arus_file_remove(at("no"), &err));
    MUST(arus_folder_remove_all(at("no"), &err));
    cr_assert(arus_file_open(&file, at("no"), &err) == ARUS_BAD_DATA);
    cr_expect_str_eq(err.condition, "FAILED_READ_FILE.FILE_NOT_EXIST");
}

Test(file, makes_paths_absolute)
{
    static const struct {
        const char *path;
        const char *result;
    } CASES[] = {{"in", "/data/p/in"}, {"../x/./y//z/", "/data/x/y/z"},
                 {"/abs/", "/abs"},    {"file:///u/v", "/u/v"},
                 {"file:/u", "/u"},    {"../../../..", "/"},
                 {".", "/data/p"},     {"file:x", "/data/p/file:x"}};
    struct arus_path path;
    struct arus_error err;

    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        MUST(arus_path_absolute("/data/p", arus_text_of(CASES[i].path), &path, &err));
        cr_expect_str_eq(path.text, CASES[i].result);
    }
}

Test(file, probe_accepts_a_local_folder)
{
    struct arus_error err;

    MUST(arus_folder_probe(test_folder, &err));
    cr_expect(arus_folder_free_size(test_folder) > 0);
}

#define MANY_NAMES 3000 /* of 100 bytes: several blocks */

/* Counts each number that a name ends with. */
static void count_names(struct arus_folder *folder, char *counts)
{
    enum arus_file_kind kind;
    struct arus_error err;
    const char *name;

    for (;;) {
        MUST(arus_folder_next(folder, &name, &kind, &err));
        if (name == NULL) {
            return;
        }
        cr_assert(kind == ARUS_FILE_REGULAR && strlen(name) == 100);
        counts[atoi(name + 92)]++;
    }
}

Test(file, a_folder_read_ahead_has_each_name_once, .timeout = 100)
{
    static char counts[MANY_NAMES];
    struct arus_folder folder;
    struct arus_error err;
    char name[128];
    bool is_missing;

    for (int i = 0; i < MANY_NAMES; i++) {
        (void)snprintf(name, sizeof name, "%s/%0100d", test_folder, i);
        put_file(name, "");
    }
    MUST(arus_folder_open_ahead(&folder, test_folder, &is_missing, &err));
    cr_expect(folder.ahead != NULL);
    count_names(&folder, counts);
    arus_folder_close(&folder);
    for (int i = 0; i < MANY_NAMES; i++) {
        cr_assert_eq(counts[i], 1, "%d", i);
    }
}

Test(file, a_folder_read_ahead_may_be_left_early)
{
    enum arus_file_kind kind;
    struct arus_folder folder;
    struct arus_error err;
    const char *name;
    bool is_missing;

    MUST(arus_folder_open_ahead(&folder, test_folder, &is_missing, &err));
    arus_folder_close(&folder);
    MUST(arus_folder_open_ahead(&folder, at("none"), &is_missing, &err));
    cr_expect(is_missing);
    MUST(arus_folder_next(&folder, &name, &kind, &err));
    cr_expect(name == NULL);
    arus_folder_close(&folder);
}
