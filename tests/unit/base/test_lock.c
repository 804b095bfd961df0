#include "base/lock.h"
#include "support/folder.h"

#include <criterion/criterion.h>

#include <sys/wait.h>
#include <unistd.h>

TestSuite(lock, .init = folder_make, .fini = folder_remove);

Test(lock, one_process_takes_it_once)
{
    struct arus_lock first;
    struct arus_lock second;
    struct arus_lock_owner owner;
    struct arus_error err;

    MUST(arus_lock_take(&first, test_folder, ".lock", "ckpt/x", &err));
    cr_assert(arus_lock_take(&second, test_folder, ".lock", "ckpt/x", &err) == ARUS_MISMATCH);
    cr_expect(strstr(err.message, "ckpt/x is in use by process ") == err.message);
    cr_expect_str_eq(err.condition, "CONCURRENT_STREAM_LOG_UPDATE");
    arus_lock_drop(&first);
    MUST(arus_lock_look(test_folder, ".lock", &owner, &err));
    cr_expect(!owner.is_held);
    MUST(arus_lock_take(&first, test_folder, ".lock", "ckpt/x", &err));
    arus_lock_drop(&first);
}

Test(lock, another_process_is_named)
{
    struct arus_lock lock;
    struct arus_lock_owner owner;
    struct arus_error err;
    int ready[2];
    int stop[2];
    char byte;
    pid_t child;

    cr_assert(pipe(ready) == 0 && pipe(stop) == 0);
    child = fork();
    if (child == 0) {
        (void)!arus_lock_take(&lock, test_folder, ".lock", "ckpt", &err);
        (void)!write(ready[1], "x", 1);
        (void)!read(stop[0], &byte, 1);
        _exit(0);
    }
    cr_assert(read(ready[0], &byte, 1) == 1);
    cr_assert(arus_lock_take(&lock, test_folder, ".lock", "ckpt", &err) == ARUS_MISMATCH);
    MUST(arus_lock_look(test_folder, ".lock", &owner, &err));
    cr_expect(owner.is_held && owner.pid == child);
    cr_assert(write(stop[1], "x", 1) == 1);
    cr_assert(waitpid(child, NULL, 0) == child);
    MUST(arus_lock_take(&lock, test_folder, ".lock", "ckpt", &err));
    arus_lock_drop(&lock);
}
