/** The table of librdkafka's functions. */
#include "kafka/rdkafka.h"

#include "base/library.h"
#include "kafka/kafka.h"

#include <stdio.h>

struct arus_rdkafka arus_rdkafka;

enum arus_status arus_rdkafka_load(struct arus_error *err)
{
    static const struct arus_library_symbol SYMBOLS[] = {
#define X(name) {"rd_kafka_" #name, offsetof(struct arus_rdkafka, name)},
        ARUS_RDKAFKA_FUNCTIONS(X)
#undef X
            {NULL, 0},
    };
    static struct arus_library library = {.file = "librdkafka.so.1",
                                          .package = "librdkafka1",
                                          .purpose = "Kafka",
                                          .symbols = SYMBOLS,
                                          .table = &arus_rdkafka};

    return arus_library_load(&library, err);
}

enum arus_status arus_kafka_library(char out[64], struct arus_error *err)
{
    ARUS_TRY(arus_rdkafka_load(err));
    (void)snprintf(out, 64, "librdkafka %s", arus_rdkafka.version_str());
    return ARUS_OK;
}
