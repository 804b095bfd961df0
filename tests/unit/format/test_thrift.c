/** The compact protocol: what is written is read, damage is told, nothing is read past the end. */
#include "format/thrift.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static struct arus_thrift over(const struct arus_buffer *buffer)
{
    const uint8_t *begin = (const uint8_t *)buffer->data;

    return (struct arus_thrift){.at = begin, .end = begin + buffer->size};
}

static void write_all(struct arus_buffer *out)
{
    struct arus_error err;
    struct arus_thrift_writer to = {.out = out, .err = &err};

    arus_thrift_put_int32(&to, 1, -5);
    arus_thrift_put_int64(&to, 2, INT64_MIN);
    arus_thrift_put_bool(&to, 40, true); /* too far for a short header */
    arus_thrift_put_text(&to, 41, ARUS_TEXT("name"));
    arus_thrift_put_list(&to, 42, ARUS_THRIFT_I32, 20);
    for (int i = 0; i < 20; i++) {
        arus_thrift_add_int(&to, i);
    }
    arus_thrift_begin(&to, 43);
    arus_thrift_put_byte(&to, 1, 7);
    arus_thrift_put_bool(&to, 2, false);
    arus_thrift_end(&to);
    arus_thrift_put_int16(&to, 44, 300);
    arus_thrift_end(&to);
    cr_assert(eq(int, to.status, ARUS_OK));
}

Test(thrift, reads_what_it_wrote)
{
    struct arus_buffer buffer = {0};
    struct arus_thrift_field field = {0};
    struct arus_thrift in;

    write_all(&buffer);
    in = over(&buffer);
    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(i32, arus_thrift_int32(&in, &field), -5));
    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(i64, arus_thrift_int(&in, &field), INT64_MIN));
    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(int, field.id, 40));
    cr_expect(arus_thrift_bool(&in, &field));
    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(arus_text_equal(arus_thrift_text(&in, &field), ARUS_TEXT("name")));
    cr_assert(arus_thrift_next(&in, &field));
    cr_assert(eq(u32, arus_thrift_list(&in, &field, ARUS_THRIFT_I32), 20));
    for (int i = 0; i < 20; i++) {
        cr_expect(eq(i64, arus_thrift_element_int(&in), i));
    }
    cr_assert(arus_thrift_next(&in, &field));
    arus_thrift_skip(&in, &field);
    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(i64, arus_thrift_int(&in, &field), 300));
    cr_expect(not(arus_thrift_next(&in, &field)));
    cr_expect(not(in.is_bad));
    cr_expect(in.at == in.end);
    arus_buffer_release(&buffer);
}

Test(thrift, a_cut_off_text_is_damage_wherever_it_is_cut)
{
    struct arus_buffer buffer = {0};

    write_all(&buffer);
    for (size_t size = 0; size < buffer.size; size++) {
        struct arus_thrift in = over(&buffer);
        struct arus_thrift_field field = {0};

        in.end = in.at + size;
        while (arus_thrift_next(&in, &field)) {
            arus_thrift_skip(&in, &field);
        }
        cr_expect(in.is_bad, "%zu bytes", size);
    }
    arus_buffer_release(&buffer);
}

Test(thrift, another_type_than_asked_for_is_damage)
{
    const uint8_t bytes[] = {0x18, 1, 'a', 0};
    struct arus_thrift in = {.at = bytes, .end = bytes + sizeof bytes};
    struct arus_thrift_field field = {0};

    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(i32, arus_thrift_int32(&in, &field), 0));
    cr_expect(in.is_bad);
}

Test(thrift, a_list_cannot_be_longer_than_the_bytes_left)
{
    const uint8_t bytes[] = {0x19, 0xF5, 0xFF, 0xFF, 0x03, 0};
    struct arus_thrift in = {.at = bytes, .end = bytes + sizeof bytes};
    struct arus_thrift_field field = {0};

    cr_assert(arus_thrift_next(&in, &field));
    cr_expect(eq(u32, arus_thrift_list(&in, &field, ARUS_THRIFT_I32), 0));
    cr_expect(in.is_bad);
}

Test(thrift, endless_nesting_is_damage)
{
    uint8_t bytes[1000];
    struct arus_thrift in = {.at = bytes, .end = bytes + sizeof bytes};
    struct arus_thrift_field field = {0};

    memset(bytes, 0x1C, sizeof bytes); /* a struct in a struct in a struct ... */
    cr_assert(arus_thrift_next(&in, &field));
    arus_thrift_skip(&in, &field);
    cr_expect(in.is_bad);
}

struct target {
    int64_t number;
    struct arus_text text;
    bool is_there;
    int32_t inner;
};

Test(thrift, a_table_fills_a_struct_and_passes_over_the_rest)
{
    static const struct arus_thrift_row INNER[] = {
        {2, ARUS_THRIFT_TO_INT32, offsetof(struct target, inner), NULL, NULL},
        {0},
    };
    static const struct arus_thrift_row ROWS[] = {
        {1, ARUS_THRIFT_TO_INT64, offsetof(struct target, number), NULL, NULL},
        {3, ARUS_THRIFT_TO_TEXT, offsetof(struct target, text), NULL, NULL},
        {4, ARUS_THRIFT_TO_STRUCT, 0, INNER, NULL},
        {6, ARUS_THRIFT_TO_SEEN, offsetof(struct target, is_there), NULL, NULL},
        {0},
    };
    struct arus_buffer bytes = {0};
    struct arus_error err = {0};
    struct arus_thrift_writer to = {.out = &bytes, .err = &err};
    struct target target = {0};
    struct arus_thrift in;

    arus_thrift_put_int64(&to, 1, 1LL << 40);
    arus_thrift_put_text(&to, 2, ARUS_TEXT("not wanted"));
    arus_thrift_put_text(&to, 3, ARUS_TEXT("wanted"));
    arus_thrift_begin(&to, 4);
    arus_thrift_put_int32(&to, 1, 1);
    arus_thrift_put_int32(&to, 2, 7);
    arus_thrift_end(&to);
    arus_thrift_put_int32(&to, 6, 5);
    arus_thrift_end(&to);
    in = (struct arus_thrift){(const uint8_t *)bytes.data, (const uint8_t *)bytes.data + bytes.size,
                              false};
    arus_thrift_read(&in, ROWS, &target);
    cr_expect(not(in.is_bad));
    cr_expect(eq(i64, target.number, 1LL << 40));
    cr_expect(arus_text_equal(target.text, ARUS_TEXT("wanted")));
    cr_expect(eq(int, target.inner, 7));
    cr_expect(target.is_there);
    cr_expect(in.at == in.end);
    arus_buffer_release(&bytes);
}
