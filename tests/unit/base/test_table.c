#include "base/hash.h"
#include "base/table.h"
#include "support/folder.h"

#include <criterion/criterion.h>

Test(table, numbers_texts_in_order_and_finds_them)
{
    struct arus_text_table table = {0};
    struct arus_error err;
    uint32_t index;
    bool is_new;

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            char key[32];

            (void)snprintf(key, sizeof key, "key-%u", i);
            MUST(arus_text_table_add(&table, arus_text_of(key), &index, &is_new, &err));
            cr_assert(index == i && is_new == (round == 0));
        }
    }
    cr_expect(arus_text_table_find(&table, ARUS_TEXT("key-4999")) == 4999);
    cr_expect(arus_text_table_find(&table, ARUS_TEXT("key-5000")) == -1);
    cr_expect(arus_text_equal(arus_text_table_key(&table, 7), ARUS_TEXT("key-7")));
    arus_text_table_reset(&table);
    cr_expect(arus_text_table_find(&table, ARUS_TEXT("key-7")) == -1);
    arus_text_table_release(&table);
}

Test(table, hash_depends_on_every_byte_and_length)
{
    uint8_t data[200] = {0};

    for (size_t size = 0; size <= sizeof data; size++) {
        const uint64_t before = arus_hash_bytes(data, size, 1);

        cr_expect(size == 0 || before != arus_hash_bytes(data, size - 1, 1));
        cr_expect(before != arus_hash_bytes(data, size, 2));
        for (size_t i = 0; i < size; i++) {
            data[i] ^= 0x40;
            cr_expect(before != arus_hash_bytes(data, size, 1), "size %zu byte %zu", size, i);
            data[i] ^= 0x40;
        }
    }
}
