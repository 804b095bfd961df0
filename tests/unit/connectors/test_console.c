#include "column/append.h"
#include "console/show.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* What Spark 4.3 prints, byte for byte. */

static const struct arus_field FIELDS[] = {{.name = {"s\n", 2}, .type = &ARUS_STRING},
                                           {.name = {"n", 1}, .type = &ARUS_INT}};
static const struct arus_type SCHEMA = {.id = ARUS_TYPE_STRUCT, .field_count = 2, .fields = FIELDS};

#define ROWS 5

static char *shown(uint64_t row_max, bool is_cut)
{
    const struct arus_text texts[] = {
        ARUS_TEXT("x\ty"),
        ARUS_TEXT("日本語テキストが長いのでここで切る文字列です"),
        ARUS_TEXT("aaaaaaaaaaaaaaaa😀bbbbbbbbb"), /* the cut falls into the pair */
        ARUS_TEXT("exactly twenty chars"),
        ARUS_TEXT("NUL\0 and 21 characters."),
    };
    struct arus_show show = {
        .schema = &SCHEMA, .zone = ARUS_ZONE_UTC, .row_max = row_max, .is_cut = is_cut};
    struct arus_arena arena = {0};
    static struct arus_buffer out; /* of the newest print */
    struct arus_batch batch;
    struct arus_error err;

    arus_buffer_reset(&out);
    cr_assert(eq(int, arus_batch_init(&batch, &SCHEMA, ROWS, &arena, &err), ARUS_OK));
    for (uint32_t i = 0; i < ROWS; i++) {
        ((struct arus_view *)batch.columns[0].values)[i] =
            arus_view_of(texts[i].data, texts[i].size);
        ((int32_t *)batch.columns[1].values)[i] = (int32_t)i;
    }
    cr_assert(eq(int, arus_vector_need_validity(&batch.columns[1], &arena, &err), ARUS_OK));
    arus_bit_clear(batch.columns[1].validity, 1);
    cr_assert(eq(int, arus_show_add(&show, &batch, &err), ARUS_OK));
    cr_assert(eq(int, arus_show_print(&show, &out, &err), ARUS_OK));
    for (size_t i = 0; i < out.size; i++) {
        out.data[i] = out.data[i] == '\0' ? '0' : out.data[i];
    }
    cr_assert(eq(int, arus_buffer_append_char(&out, '\0', &err), ARUS_OK));
    arus_show_release(&show);
    arus_arena_release(&arena);
    return out.data;
}

Test(console, cuts_and_aligns_to_the_right)
{
    cr_expect(eq(str, shown(20, true),
                 "+-------------------------------------+----+\n"
                 "|                                  s\\n|   n|\n"
                 "+-------------------------------------+----+\n"
                 "|                                 x\\ty|   0|\n"
                 "|日本語テキストが長いのでここで切る...|NULL|\n"
                 "|                 aaaaaaaaaaaaaaaa?...|   2|\n"
                 "|                 exactly twenty chars|   3|\n"
                 "|                 NUL0 and 21 chara...|   4|\n"
                 "+-------------------------------------+----+\n\n"));
}

Test(console, keeps_whole_cells_to_the_left)
{
    cr_expect(eq(str, shown(1, false),
                 "+----+---+\n|s\\n |n  |\n+----+---+\n|x\\ty|0  |\n+----+---+\n"
                 "only showing top 1 row\n"));
    cr_expect(eq(str, shown(0, false),
                 "+---+---+\n|s\\n|n  |\n+---+---+\n+---+---+\nonly showing top 0 rows\n"));
}
