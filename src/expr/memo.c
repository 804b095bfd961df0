#include "expr/memo.h"

#include "base/alloc.h"

struct regex_memo {
    struct arus_buffer text;
    struct arus_regex *regex;
};

static void regex_memo_close(void *data)
{
    struct regex_memo *memo = data;

    arus_regex_close(memo->regex);
    arus_buffer_release(&memo->text);
    arus_free(memo);
}

enum arus_status arus_memo_regex(struct arus_kernel_memo *memo, struct arus_text pattern,
                                 struct arus_regex **out, struct arus_error *err)
{
    struct regex_memo *kept = memo->data;

    if (kept == NULL) {
        kept = arus_alloc(1, sizeof *kept);
        if (kept == NULL) {
            return arus_fail_memory(err);
        }
        memo->data = kept;
        memo->close = regex_memo_close;
    }
    if (kept->regex == NULL || !arus_text_equal(arus_buffer_text(&kept->text), pattern)) {
        arus_regex_close(kept->regex);
        kept->regex = NULL;
        arus_buffer_reset(&kept->text);
        ARUS_TRY(arus_buffer_append_text(&kept->text, pattern, err));
        ARUS_TRY(arus_regex_open(pattern, &kept->regex, err));
    }
    *out = kept->regex;
    return ARUS_OK;
}
