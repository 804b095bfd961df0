/* Template: look up or add. In: NAME, TYPE, KEY(value), SAME(dictionary, i, value), DATA(value). */
enum arus_status NAME(struct arus_parquet_dictionary *dictionary, const TYPE *values,
                      uint32_t count, uint32_t *indices, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const TYPE *value = values + i;
        const struct key key = KEY(value);
        struct arus_parquet_slot *slot;
        uint32_t at;

        if (dictionary->count * 2 >= dictionary->slot_count) {
            ARUS_TRY(grow(dictionary, err));
        }
        at = place_of(key, dictionary->slot_count);
        slot = &dictionary->slots[at];
        while (slot->number != 0 &&
               !(keys_equal(slot->key, key) && SAME(dictionary, slot->number - 1, value))) {
            at = (at + 1) & (dictionary->slot_count - 1);
            slot = &dictionary->slots[at];
        }
        if (slot->number == 0) {
            ARUS_TRY(add_bytes(dictionary, DATA(value), key.size, err));
            *slot = (struct arus_parquet_slot){key, dictionary->count};
        }
        indices[i] = slot->number - 1;
    }
    return ARUS_OK;
}
#undef NAME
#undef TYPE
#undef KEY
#undef SAME
#undef DATA
