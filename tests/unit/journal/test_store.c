#define _GNU_SOURCE
#include "journal/store.h"
#include "journal/store_internal.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(store, .init = folder_make, .fini = folder_remove);

static struct arus_store *open_store(void)
{
    struct arus_store *store;
    struct arus_error err;

    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err));
    return store;
}

static void put_number(struct arus_store_write *write, uint64_t number, struct arus_text value)
{
    struct arus_error err;
    char key[8];

    arus_store_key_u64(key, number);
    MUST(arus_store_put(write, ARUS_STORE_LOG, (struct arus_text){key, 8}, value, &err));
}

static uint64_t count_all(struct arus_store *store, struct arus_text from)
{
    struct arus_store_cursor cursor;
    struct arus_store_read read;
    struct arus_text value;
    struct arus_text key;
    struct arus_error err;
    uint64_t count = 0;
    bool is_end;

    MUST(arus_store_read_begin(store, &read, &err));
    MUST(arus_store_cursor_open(&read, ARUS_STORE_LOG, from, &cursor, &err));
    for (;;) {
        MUST(arus_store_cursor_next(&cursor, &key, &value, &is_end, &err));
        if (is_end) {
            break;
        }
        count++;
    }
    arus_store_cursor_close(&cursor);
    arus_store_read_end(&read);
    return count;
}

Test(store, keeps_what_was_committed)
{
    struct arus_store *store = open_store();
    struct arus_store_write write = {0};
    struct arus_store_read read;
    struct arus_text value;
    struct arus_text key;
    struct arus_error err;
    bool is_found;

    for (uint64_t i = 0; i < 1000; i++) {
        put_number(&write, i, ARUS_TEXT("value"));
    }
    MUST(arus_store_commit(store, &write, &err));
    arus_store_close(store);
    store = open_store();
    cr_expect(count_all(store, (struct arus_text){0}) == 1000);
    MUST(arus_store_read_begin(store, &read, &err));
    MUST(arus_store_last(&read, ARUS_STORE_LOG, ARUS_TEXT("\0"), ARUS_TEXT("\xff"), &key, &value,
                         &is_found, &err));
    cr_expect(is_found && arus_store_key_read(key.data) == 999);
    MUST(arus_store_get(&read, ARUS_STORE_META, ARUS_TEXT("no"), &value, &is_found, &err));
    cr_expect(!is_found);
    arus_store_read_end(&read);
    arus_store_write_release(&write);
    arus_store_close(store);
}

Test(store, deletes_ranges_over_page_borders)
{
    struct arus_store *store = open_store();
    struct arus_store_write write = {0};
    struct arus_error err;
    char from[8];
    char to[8];

    for (uint64_t i = 0; i < 5000; i++) {
        put_number(&write, i, ARUS_TEXT("some value of some length"));
    }
    MUST(arus_store_commit(store, &write, &err));
    arus_store_key_u64(from, 10);
    arus_store_key_u64(to, 4990);
    MUST(arus_store_delete_range(&write, ARUS_STORE_LOG, (struct arus_text){from, 8},
                                 (struct arus_text){to, 8}, &err));
    MUST(arus_store_commit(store, &write, &err));
    cr_expect(count_all(store, (struct arus_text){0}) == 20);
    arus_store_write_release(&write);
    arus_store_close(store);
}

Test(store, a_full_map_grows)
{
    struct arus_store_write write = {0};
    struct arus_store *store;
    struct arus_error err;
    char *value = (char *)calloc(1, 300000);

    MUST(arus_store_open_sized(test_folder, ARUS_STORE_WRITE, 1 << 20, &store, &err));
    for (uint64_t i = 0; i < 20; i++) {
        put_number(&write, i, (struct arus_text){value, 300000});
    }
    MUST(arus_store_commit(store, &write, &err));
    cr_expect(count_all(store, (struct arus_text){0}) == 20);
    arus_store_write_release(&write);
    arus_store_close(store);
    free(value);
}

Test(store, a_flipped_bit_is_found)
{
    struct arus_store *store = open_store();
    struct arus_store_write write = {0};
    struct arus_store_read read;
    struct arus_text value;
    struct arus_error err;
    bool is_found;
    const char *data;
    char *copy;
    FILE *file;
    long size;

    MUST(arus_store_put(&write, ARUS_STORE_BATCH, ARUS_TEXT("k"), ARUS_TEXT("needle-in-a-haystack"),
                        &err));
    MUST(arus_store_commit(store, &write, &err));
    arus_store_write_release(&write);
    arus_store_close(store);
    file = fopen(at("data.mdb"), "r+b");
    cr_assert(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size = ftell(file);
    copy = (char *)malloc((size_t)size);
    rewind(file);
    cr_assert(fread(copy, 1, (size_t)size, file) == (size_t)size);
    data = (const char *)memmem(copy, (size_t)size, "needle", 6);
    cr_assert(data != NULL);
    (void)fseek(file, data - copy, SEEK_SET);
    (void)fputc('N', file);
    (void)fclose(file);
    free(copy);
    store = open_store();
    MUST(arus_store_read_begin(store, &read, &err));
    cr_expect(arus_store_get(&read, ARUS_STORE_BATCH, ARUS_TEXT("k"), &value, &is_found, &err) ==
              ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_JOURNAL_DAMAGED");
    arus_store_read_end(&read);
    arus_store_close(store);
}

Test(store, a_torn_file_is_damaged_not_a_signal)
{
    struct arus_store *store = open_store();
    struct arus_store_write write = {0};
    struct arus_error err;

    for (uint64_t i = 0; i < 1000; i++) {
        put_number(&write, i, ARUS_TEXT("some value that takes its place"));
    }
    MUST(arus_store_commit(store, &write, &err));
    arus_store_write_release(&write);
    arus_store_close(store);
    cr_assert(truncate(at("data.mdb"), 3L * 4096) == 0);
    cr_expect(arus_store_open(test_folder, ARUS_STORE_WRITE, &store, &err) == ARUS_MISMATCH);
    cr_expect_str_eq(err.condition, "ARUS_JOURNAL_DAMAGED");
}

Test(store, a_failed_commit_changes_nothing)
{
    struct arus_store *store = open_store();
    struct arus_store_write write = {0};
    struct arus_error err;

    put_number(&write, 1, ARUS_TEXT("one"));
    arus_file_fail_at(ARUS_FILE_OP_COMMIT, 1, ENOSPC);
    cr_assert(arus_store_commit(store, &write, &err) == ARUS_FATAL);
    cr_expect_str_eq(err.condition, "TASK_WRITE_FAILED");
    cr_expect(arus_store_commit(store, &write, &err) == ARUS_FATAL);
    arus_store_close(store);
    store = open_store();
    cr_expect(count_all(store, (struct arus_text){0}) == 0);
    arus_store_write_release(&write);
    arus_store_close(store);
}

Test(store, reading_finds_nothing_where_there_is_none)
{
    struct arus_store *store;
    struct arus_error err;

    MUST(arus_store_open(at("none"), ARUS_STORE_READ, &store, &err));
    cr_expect(store == NULL);
}

/* Does another process see LMDB's lock of this one? (POSIX locks: a process never meets its own.)
 */
static bool is_locked_by_us(void)
{
    const pid_t child = fork();
    int result;

    if (child == 0) {
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
        const int fd = open(at("lock.mdb"), O_RDWR);

        _exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
    }
    cr_assert(child > 0 && waitpid(child, &result, 0) == child && WIFEXITED(result));
    return WEXITSTATUS(result) == 1;
}

Test(store, a_reader_in_the_same_process_leaves_its_locks)
{
    struct arus_store *store = open_store();
    struct arus_store *reader;
    struct arus_store *writer;
    struct arus_error err;

    cr_assert(is_locked_by_us());
    MUST(arus_store_open(test_folder, ARUS_STORE_READ, &reader, &err));
    cr_expect(reader == store);
    cr_expect(arus_store_open(test_folder, ARUS_STORE_WRITE, &writer, &err) == ARUS_MISMATCH);
    arus_store_close(reader);
    cr_expect(is_locked_by_us());
    arus_store_close(store);
    cr_expect(!is_locked_by_us());
}

static void *close_soon(void *reader)
{
    (void)usleep(20000);
    arus_store_close((struct arus_store *)reader);
    return NULL;
}

Test(store, a_writer_comes_after_the_readers_of_its_process)
{
    struct arus_store *reader;
    struct arus_store *writer;
    struct arus_error err;
    pthread_t thread;

    arus_store_close(open_store());
    MUST(arus_store_open(test_folder, ARUS_STORE_READ, &reader, &err));
    cr_assert(pthread_create(&thread, NULL, close_soon, reader) == 0);
    MUST(arus_store_open(test_folder, ARUS_STORE_WRITE, &writer, &err));
    cr_expect(writer->mode == ARUS_STORE_WRITE);
    (void)pthread_join(thread, NULL);
    arus_store_close(writer);
}
