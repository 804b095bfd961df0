/**
 * Template: folds the values of one argument into states, null-free and grouped loops apart.
 * In: NAME, TYPE, STATE, FOLD(state, value): true when bad.
 */
static bool JOIN(fold_, NAME)(const struct arus_agg_call *call)
{
    const struct arus_vector *arg = &call->args[0];
    const TYPE *values = arg->values;
    const size_t step = ARUS_STEP(arg);
    const uint64_t *validity = step == 0 ? NULL : arg->validity;
    bool bad = false;

    if (step == 0 && !arus_bit_get(arg->validity, 0)) {
        return false;
    }
    if (call->groups == NULL) {
        STATE local = *(const STATE *)(const void *)call->states;

        if (validity != NULL) {
            for (uint32_t i = 0; i < call->row_count; i++) {
                if (arus_bit_get(validity, i)) {
                    bad |= FOLD(&local, values[i]);
                }
            }
        } else if (step != 0) {
            for (uint32_t i = 0; i < call->row_count; i++) {
                bad |= FOLD(&local, values[i]);
            }
        } else {
            for (uint32_t i = 0; i < call->row_count; i++) {
                bad |= FOLD(&local, values[0]);
            }
        }
        *(STATE *)(void *)call->states = local;
    } else if (validity == NULL) {
        for (uint32_t i = 0; i < call->row_count; i++) {
            STATE *state = (void *)(call->states + call->groups[i] * call->stride);

            bad |= FOLD(state, values[i * step]);
        }
    } else {
        for (uint32_t i = 0; i < call->row_count; i++) {
            if (arus_bit_get(validity, i)) {
                STATE *state = (void *)arus_agg_state(call, i);

                bad |= FOLD(state, values[i]);
            }
        }
    }
    return bad;
}
#undef NAME
#undef TYPE
#undef STATE
#undef FOLD
