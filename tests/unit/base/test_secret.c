#include "base/secret.h"
#include "support/file.h"
#include "support/folder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include <stdlib.h>

static char *expand(const char *text, const char *folder)
{
    static char shown[600];
    struct arus_buffer out = {0};
    struct arus_error err;
    const enum arus_status status = arus_secret_expand(arus_text_of(text), folder, &out, &err);

    (void)snprintf(shown, sizeof shown, "%.*s", status == ARUS_OK ? (int)out.size : 400,
                   status == ARUS_OK ? (out.data == NULL ? "" : out.data) : err.message);
    arus_buffer_release(&out);
    return shown;
}

Test(secret, names_become_values)
{
    (void)setenv("ARUS_TEST_SECRET", "s3cret", 1);
    cr_expect(eq(str, expand("${env:ARUS_TEST_SECRET}", "/"), "s3cret"));
    cr_expect(eq(str, expand("a-${env:ARUS_TEST_SECRET}-${env:ARUS_TEST_SECRET}", "/"),
                 "a-s3cret-s3cret"));
    cr_expect(arus_secret_is(ARUS_TEXT("x${env:A}")));
    cr_expect(not(arus_secret_is(ARUS_TEXT("x${A}"))));
}

Test(secret, other_text_stays)
{
    cr_expect(eq(str, expand("", "/"), ""));
    cr_expect(eq(str, expand("a$b{c}${d}${env:OPEN", "/"), "a$b{c}${d}${env:OPEN"));
}

Test(secret, what_is_missing_is_named)
{
    cr_expect(eq(str, expand("${env:ARUS_NOT_SET}", "/"),
                 "the environment variable ARUS_NOT_SET is not set"));
    cr_expect(
        eq(str, expand("${file:no/such}", "/tmp"), "cannot read the secret file /tmp/no/such"));
}
