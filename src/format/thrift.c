/** The compact protocol: zigzag varints, field ids as deltas, short list headers. */
#include "format/thrift.h"

#define SKIP_DEPTH_MAX 32

/* ---- reading ---- */

static uint64_t damage(struct arus_thrift *in)
{
    in->is_bad = true;
    in->at = in->end;
    return 0;
}

static uint8_t read_byte(struct arus_thrift *in)
{
    return in->at < in->end ? *in->at++ : (uint8_t)damage(in);
}

static uint64_t read_varint(struct arus_thrift *in)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        const uint8_t byte = read_byte(in);

        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) {
            return in->is_bad ? 0 : value;
        }
    }
    return damage(in);
}

int64_t arus_thrift_element_int(struct arus_thrift *in)
{
    const uint64_t zigzag = read_varint(in);

    return (int64_t)(zigzag >> 1) ^ -(int64_t)(zigzag & 1);
}

struct arus_text arus_thrift_element_text(struct arus_thrift *in)
{
    const uint64_t size = read_varint(in);
    struct arus_text text = {0};

    if (in->is_bad || size > (uint64_t)(in->end - in->at)) {
        damage(in);
        return text;
    }
    text = (struct arus_text){(const char *)in->at, (size_t)size};
    in->at += size;
    return text;
}

bool arus_thrift_next(struct arus_thrift *in, struct arus_thrift_field *field)
{
    const uint8_t header = read_byte(in);
    int64_t id;

    field->type = header & 0x0F;
    if (in->is_bad || field->type == ARUS_THRIFT_STOP) {
        return false;
    }
    id = (header >> 4) != 0 ? field->id + (header >> 4) : arus_thrift_element_int(in);
    if (in->is_bad || id < INT16_MIN || id > INT16_MAX || field->type > ARUS_THRIFT_UUID) {
        damage(in);
        return false;
    }
    field->id = (int16_t)id;
    return true;
}

int64_t arus_thrift_int(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    if (field->type == ARUS_THRIFT_BYTE) {
        return (int8_t)read_byte(in);
    }
    if (field->type < ARUS_THRIFT_I16 || field->type > ARUS_THRIFT_I64) {
        return (int64_t)damage(in);
    }
    return arus_thrift_element_int(in);
}

int32_t arus_thrift_int32(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    const int64_t value = arus_thrift_int(in, field);

    return value < INT32_MIN || value > INT32_MAX ? (int32_t)damage(in) : (int32_t)value;
}

bool arus_thrift_bool(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    if (field->type != ARUS_THRIFT_TRUE && field->type != ARUS_THRIFT_FALSE) {
        damage(in);
    }
    return field->type == ARUS_THRIFT_TRUE;
}

struct arus_text arus_thrift_text(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    if (field->type != ARUS_THRIFT_BINARY) {
        damage(in);
    }
    return arus_thrift_element_text(in);
}

bool arus_thrift_struct(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    if (field->type != ARUS_THRIFT_STRUCT) {
        damage(in);
    }
    return !in->is_bad;
}

static uint32_t read_list_header(struct arus_thrift *in, uint8_t *type)
{
    const uint8_t header = read_byte(in);
    uint64_t count = header >> 4;

    *type = header & 0x0F;
    if (count == 15) {
        count = read_varint(in);
    }
    return in->is_bad || count > (uint64_t)(in->end - in->at) ? (uint32_t)damage(in)
                                                              : (uint32_t)count;
}

uint32_t arus_thrift_list(struct arus_thrift *in, const struct arus_thrift_field *field,
                          enum arus_thrift_type type)
{
    uint8_t found = 0;
    uint32_t count;

    if (field->type != ARUS_THRIFT_LIST && field->type != ARUS_THRIFT_SET) {
        return (uint32_t)damage(in);
    }
    count = read_list_header(in, &found);
    return count != 0 && found != (uint8_t)type ? (uint32_t)damage(in) : count;
}

static void skip_bytes(struct arus_thrift *in, uint64_t size)
{
    if (size > (uint64_t)(in->end - in->at)) {
        damage(in);
    } else {
        in->at += size;
    }
}

static void skip_value(struct arus_thrift *in, uint8_t type, unsigned depth);

static void skip_struct(struct arus_thrift *in, unsigned depth)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        if (field.type > ARUS_THRIFT_FALSE) {
            skip_value(in, field.type, depth + 1);
        }
    }
}

static void skip_list(struct arus_thrift *in, unsigned depth)
{
    uint8_t type = 0;
    const uint32_t count = read_list_header(in, &type);

    for (uint32_t i = 0; i < count && !in->is_bad; i++) {
        skip_value(in, type, depth + 1);
    }
}

static void skip_map(struct arus_thrift *in, unsigned depth)
{
    const uint64_t count = read_varint(in);
    const uint8_t types = count == 0 ? 0 : read_byte(in);

    if (count > (uint64_t)(in->end - in->at)) {
        damage(in);
    }
    for (uint64_t i = 0; i < count && !in->is_bad; i++) {
        skip_value(in, types >> 4, depth + 1);
        skip_value(in, types & 0x0F, depth + 1);
    }
}

static void skip_value(struct arus_thrift *in, uint8_t type, unsigned depth)
{
    if (depth > SKIP_DEPTH_MAX) {
        damage(in);
        return;
    }
    if (type == ARUS_THRIFT_STRUCT) {
        skip_struct(in, depth);
    } else if (type == ARUS_THRIFT_LIST || type == ARUS_THRIFT_SET) {
        skip_list(in, depth);
    } else if (type == ARUS_THRIFT_MAP) {
        skip_map(in, depth);
    } else if (type == ARUS_THRIFT_BINARY) {
        (void)arus_thrift_element_text(in);
    } else if (type == ARUS_THRIFT_DOUBLE) {
        skip_bytes(in, 8);
    } else if (type == ARUS_THRIFT_UUID) {
        skip_bytes(in, 16);
    } else if (type >= ARUS_THRIFT_I16 && type <= ARUS_THRIFT_I64) {
        (void)read_varint(in);
    } else {
        (void)read_byte(in); /* a byte, or a boolean as an element */
    }
}

void arus_thrift_skip(struct arus_thrift *in, const struct arus_thrift_field *field)
{
    if (field->type > ARUS_THRIFT_FALSE) {
        skip_value(in, field->type, 0);
    }
}

static void read_member(struct arus_thrift *in, const struct arus_thrift_field *field,
                        const struct arus_thrift_row *row, char *member)
{
    switch (row->kind) {
    case ARUS_THRIFT_TO_UINT8:
        *(uint8_t *)member = (uint8_t)arus_thrift_int(in, field);
        break;
    case ARUS_THRIFT_TO_INT8:
        *(int8_t *)member = (int8_t)arus_thrift_int32(in, field);
        break;
    case ARUS_THRIFT_TO_INT32:
        *(int32_t *)(void *)member = arus_thrift_int32(in, field);
        break;
    case ARUS_THRIFT_TO_INT64:
        *(int64_t *)(void *)member = arus_thrift_int(in, field);
        break;
    case ARUS_THRIFT_TO_BOOL:
        *(bool *)member = arus_thrift_bool(in, field);
        break;
    case ARUS_THRIFT_TO_TEXT:
        *(struct arus_text *)(void *)member = arus_thrift_text(in, field);
        break;
    case ARUS_THRIFT_TO_SEEN:
        *(bool *)member = true;
        arus_thrift_skip(in, field);
        break;
    case ARUS_THRIFT_TO_STRUCT:
        if (arus_thrift_struct(in, field)) {
            arus_thrift_read(in, row->rows, member);
        }
        break;
    case ARUS_THRIFT_TO_CUSTOM:
        row->read(in, field, member);
        break;
    }
}

void arus_thrift_read(struct arus_thrift *in, const struct arus_thrift_row *rows, void *out)
{
    struct arus_thrift_field field = {0};

    while (arus_thrift_next(in, &field)) {
        const struct arus_thrift_row *row = rows;

        while (row->id != 0 && row->id != field.id) {
            row++;
        }
        if (row->id == 0) {
            arus_thrift_skip(in, &field);
        } else {
            read_member(in, &field, row, (char *)out + row->offset);
        }
    }
}

/* ---- writing ---- */

static void put_bytes(struct arus_thrift_writer *to, const void *data, size_t size)
{
    if (to->status == ARUS_OK) {
        to->status = arus_buffer_append(to->out, data, size, to->err);
    }
}

static void put_varint(struct arus_thrift_writer *to, uint64_t value)
{
    uint8_t bytes[10];
    size_t size = 0;

    while (value >= 0x80) {
        bytes[size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[size++] = (uint8_t)value;
    put_bytes(to, bytes, size);
}

static void put_header(struct arus_thrift_writer *to, int16_t id, enum arus_thrift_type type)
{
    const int32_t delta = id - to->last_ids[to->depth];
    uint8_t header = (uint8_t)type;

    to->last_ids[to->depth] = id;
    if (delta > 0 && delta <= 15) {
        header |= (uint8_t)(delta << 4);
        put_bytes(to, &header, 1);
        return;
    }
    put_bytes(to, &header, 1);
    arus_thrift_add_int(to, id);
}

void arus_thrift_put_int16(struct arus_thrift_writer *to, int16_t id, int16_t value)
{
    put_header(to, id, ARUS_THRIFT_I16);
    arus_thrift_add_int(to, value);
}

void arus_thrift_put_int32(struct arus_thrift_writer *to, int16_t id, int32_t value)
{
    put_header(to, id, ARUS_THRIFT_I32);
    arus_thrift_add_int(to, value);
}

void arus_thrift_put_int64(struct arus_thrift_writer *to, int16_t id, int64_t value)
{
    put_header(to, id, ARUS_THRIFT_I64);
    arus_thrift_add_int(to, value);
}

void arus_thrift_put_byte(struct arus_thrift_writer *to, int16_t id, int8_t value)
{
    put_header(to, id, ARUS_THRIFT_BYTE);
    put_bytes(to, &value, 1);
}

void arus_thrift_put_bool(struct arus_thrift_writer *to, int16_t id, bool value)
{
    put_header(to, id, value ? ARUS_THRIFT_TRUE : ARUS_THRIFT_FALSE);
}

void arus_thrift_put_text(struct arus_thrift_writer *to, int16_t id, struct arus_text value)
{
    put_header(to, id, ARUS_THRIFT_BINARY);
    arus_thrift_add_text(to, value);
}

void arus_thrift_begin(struct arus_thrift_writer *to, int16_t id)
{
    put_header(to, id, ARUS_THRIFT_STRUCT);
    arus_thrift_add_struct(to);
}

void arus_thrift_add_struct(struct arus_thrift_writer *to)
{
    ARUS_ASSERT(to->depth + 1 < ARUS_THRIFT_DEPTH_MAX);
    to->last_ids[++to->depth] = 0;
}

void arus_thrift_end(struct arus_thrift_writer *to)
{
    const uint8_t stop = ARUS_THRIFT_STOP;

    put_bytes(to, &stop, 1);
    if (to->depth > 0) {
        to->depth--;
    }
}

void arus_thrift_put_list(struct arus_thrift_writer *to, int16_t id, enum arus_thrift_type type,
                          size_t count)
{
    const uint8_t header = (uint8_t)((count < 15 ? count << 4 : 0xF0) | type);

    put_header(to, id, ARUS_THRIFT_LIST);
    put_bytes(to, &header, 1);
    if (count >= 15) {
        put_varint(to, count);
    }
}

void arus_thrift_add_int(struct arus_thrift_writer *to, int64_t value)
{
    put_varint(to, ((uint64_t)value << 1) ^ (uint64_t)(value >> 63));
}

void arus_thrift_add_bool(struct arus_thrift_writer *to, bool value)
{
    const uint8_t byte = value ? ARUS_THRIFT_TRUE : ARUS_THRIFT_FALSE;

    put_bytes(to, &byte, 1);
}

void arus_thrift_add_text(struct arus_thrift_writer *to, struct arus_text value)
{
    put_varint(to, value.size);
    put_bytes(to, value.data, value.size);
}
