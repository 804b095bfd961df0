#include "base/library.h"

#include <criterion/criterion.h>

#include <string.h>

struct table {
    double (*cos)(double);
    int (*gone)(void);
};

static const struct arus_library_symbol GOOD[] = {{"cos", offsetof(struct table, cos)}, {NULL, 0}};
static const struct arus_library_symbol TOO_NEW[] = {
    {"cos", offsetof(struct table, cos)}, {"cos_of_2040", offsetof(struct table, gone)}, {NULL, 0}};

Test(library, functions_are_found_once_and_stay)
{
    struct table table = {0};
    struct arus_library library = {.file = "libm.so.6",
                                   .package = "libc6",
                                   .purpose = "a cosine",
                                   .symbols = GOOD,
                                   .table = &table};
    struct arus_error err;

    cr_assert(arus_library_load(&library, &err) == ARUS_OK);
    cr_assert(table.cos(0) == 1);
    cr_assert(arus_library_load(&library, &err) == ARUS_OK);
}

Test(library, a_missing_one_names_its_package)
{
    struct table table = {0};
    struct arus_library library = {.file = "libnowhere.so.7",
                                   .package = "libnowhere7",
                                   .purpose = "Nowhere",
                                   .symbols = GOOD,
                                   .table = &table};
    struct arus_error err;

    cr_assert(arus_library_load(&library, &err) == ARUS_BAD_CONFIG);
    cr_expect_str_eq(err.condition, "ARUS_LIBRARY_MISSING");
    cr_expect(strstr(err.message, "Nowhere needs libnowhere.so.7, which cannot be loaded: ") ==
              err.message);
    cr_expect_str_eq(err.help, "apt install libnowhere7");
    cr_expect(table.cos == NULL);
}

Test(library, an_old_one_is_as_good_as_missing)
{
    struct table table = {0};
    struct arus_library library = {.file = "libm.so.6",
                                   .package = "libc6",
                                   .purpose = "a cosine",
                                   .symbols = TOO_NEW,
                                   .table = &table};
    struct arus_error err;

    cr_assert(arus_library_load(&library, &err) == ARUS_BAD_CONFIG);
    cr_expect(strstr(err.message, "cos_of_2040") != NULL);
}
