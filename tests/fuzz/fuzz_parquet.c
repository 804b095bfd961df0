/** Any bytes as a Parquet file: read by its own types and by a schema that asks for conversions; no
 * crash, no hang. */
#define _GNU_SOURCE /* memfd_create */
#include "base/arena.h"
#include "format/parquet.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define BATCHES_MAX 64

static void read_all(const struct arus_scan *scan, const struct arus_input *input,
                     const void *settings)
{
    struct arus_reader *reader;
    struct arus_batch batch;
    struct arus_error err;

    if (ARUS_FORMAT_PARQUET.reader_open(scan, settings, &reader, &err) != ARUS_OK) {
        return;
    }
    if (ARUS_FORMAT_PARQUET.reader_start(reader, input, &err) == ARUS_OK) {
        for (int i = 0; i < BATCHES_MAX; i++) {
            if (ARUS_FORMAT_PARQUET.reader_next(reader, &batch, &err) != ARUS_OK ||
                batch.row_count == 0) {
                break;
            }
            for (uint16_t j = 0; j < batch.schema->field_count; j++) {
                struct arus_arena arena = {0};
                struct arus_vector copy;

                /* touches every value, string and span */
                (void)!arus_vector_copy(&batch.columns[j], &arena, &copy, &err);
                arus_arena_release(&arena);
            }
        }
    }
    ARUS_FORMAT_PARQUET.reader_close(reader);
}

static const struct arus_type *wanted(struct arus_arena *arena)
{
    static const char DDL[] =
        "c bigint, a array<int>, m map<string, bigint>, st struct<x: bigint, s: string>, "
        "i decimal(38,10), s binary, d double, n timestamp_ntz, l array<struct<x: bigint>>";
    const struct arus_type *type;
    struct arus_error err;

    return arus_type_parse_ddl(ARUS_TEXT(DDL), arena, &type, &err) == ARUS_OK ? type : NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int fd = memfd_create("parquet", 0);
    struct arus_input input = {.size = size, .end = size};
    struct arus_arena arena = {0};
    const struct arus_type *types[2] = {NULL, wanted(&arena)};
    struct arus_error err;
    bool settings[16] = {false};
    char path[64];

    if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
        return 0;
    }
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    input.path = path;
    if (ARUS_FORMAT_PARQUET.infer(settings, &(struct arus_inputs){&input, 1}, ARUS_ZONE_UTC, &arena,
                                  &types[0], &err) != ARUS_OK) {
        types[0] = NULL;
    }
    for (int i = 0; i < 2; i++) {
        const struct arus_scan scan = {
            .schema = types[i], .output = types[i], .zone = ARUS_ZONE_UTC, .is_ansi = true};

        if (types[i] != NULL) {
            read_all(&scan, &input, settings);
        }
    }
    arus_arena_release(&arena);
    (void)close(fd);
    return 0;
}
