/* Template: look up or add. In: NAME, TYPE, SIZE(value), WORD(value), SAME(dictionary, i, value),
 * DATA(value). */
enum arus_status NAME(struct arus_parquet_dictionary *dictionary, const TYPE *values,
                      uint32_t count, uint32_t *indices, struct arus_error *err)
{
    for (uint32_t i = 0; i < count; i++) {
        const TYPE value = values[i];
        const uint64_t word = WORD(value);
        const uint32_t size = SIZE(value);
        struct arus_parquet_slot *slot;
        uint32_t at;

        ARUS_TRY(make_room(dictionary, err));
        at = place_of(word, size, dictionary->slot_count);
        for (;;) {
            slot = &dictionary->slots[at];
            if (slot->number == 0 || (slot->word == word && slot->size == size &&
                                      SAME(dictionary, slot->number - 1, value))) {
                break;
            }
            at = (at + 1) & (dictionary->slot_count - 1);
        }
        if (slot->number == 0) {
            ARUS_TRY(add_bytes(dictionary, DATA(value), size, err));
            *slot = (struct arus_parquet_slot){word, size, dictionary->count};
        }
        indices[i] = slot->number - 1;
    }
    return ARUS_OK;
}
#undef NAME
#undef TYPE
#undef SIZE
#undef WORD
#undef SAME
#undef DATA
