/** `arus cat`: the rows of a sink or file, as Spark would read them. */
#include "api/status.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/human.h"
#include "cli/opened.h"
#include "cli/result.h"
#include "connector/side.h"

#include <stdio.h>
#include <unistd.h>

/* What is read: a relation of the session. */
struct target {
    struct arus_arena arena;
    char text[ARUS_PATH_MAX + 64]; /* SELECT * FROM .. */
    bool is_empty;
};

static enum arus_status fail_missing(const char *shown, struct arus_error *err)
{
    return arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such file or folder: %s", shown);
}

static const char *format_of_file(const char *path)
{
    static const char *const ENDS[][2] = {
        {".parquet", "parquet"}, {".json", "json"}, {".jsonl", "json"}, {".ndjson", "json"},
        {".csv", "csv"},         {".txt", "text"},  {".log", "text"},
    };

    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        if (strstr(path, ENDS[i][0]) != NULL) {
            return ENDS[i][1];
        }
    }
    return NULL;
}

/* Doubles backticks: the path stands between two of them. */
static enum arus_status select_path(const char *format, const char *path, struct target *out,
                                    struct arus_error *err)
{
    size_t size = (size_t)snprintf(out->text, sizeof out->text, "SELECT * FROM %s.`", format);

    for (const char *c = path; *c != '\0'; c++) {
        if (size + 4 > sizeof out->text) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the path is too long");
        }
        out->text[size++] = *c;
        if (*c == '`') {
            out->text[size++] = '`';
        }
    }
    out->text[size++] = '`';
    out->text[size] = '\0';
    return ARUS_OK;
}

static enum arus_status find_folder(const char *folder, const char *shown, struct target *out,
                                    struct arus_error *err)
{
    struct arus_sink_status sink;
    char format[32];

    ARUS_TRY(arus_sink_read(folder, shown, &out->arena, &sink, err));
    out->is_empty = sink.is_empty;
    if (sink.is_empty) {
        return ARUS_OK;
    }
    if (sink.format.size == 0) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                         "%s: the format of its files is not known by their names", shown);
    }
    (void)snprintf(format, sizeof format, "%.*s", ARUS_TEXT_ARGS(sink.format));
    return select_path(format, folder, out, err);
}

static enum arus_status make_absolute(const char *shown, struct arus_path *out,
                                      struct arus_error *err)
{
    struct arus_path here;

    if (getcwd(here.text, sizeof here.text) == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the current folder cannot be read");
    }
    return arus_path_absolute(here.text, arus_text_of(shown), out, err);
}

/* Which side table is asked for. False: none. */
static bool wanted_side(const struct arus_args *args, enum arus_side *out)
{
    *out = arus_args_has(args, ARUS_FLAG_LATE) ? ARUS_SIDE_LATE : ARUS_SIDE_REJECTS;
    return arus_args_has(args, ARUS_FLAG_LATE) || arus_args_has(args, ARUS_FLAG_REJECTS);
}

/* The side table of a checkpoint. */
static enum arus_status find_side(const char *shown, enum arus_side side, struct target *out,
                                  struct arus_error *err)
{
    struct arus_checkpoint_status status;
    struct arus_file_info info;
    struct arus_path checkpoint;
    struct arus_path folder;

    ARUS_TRY(make_absolute(shown, &checkpoint, err));
    ARUS_TRY(arus_file_stat(checkpoint.text, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return fail_missing(shown, err);
    }
    ARUS_TRY(arus_status_read(checkpoint.text, &out->arena, &status, err));
    if (!status.exists) {
        return arus_fail(err, ARUS_MISMATCH, "ARUS_NOT_A_CHECKPOINT", "no checkpoint");
    }
    ARUS_TRY(arus_path_join(&folder, checkpoint.text, arus_side_name(side), err));
    ARUS_TRY(arus_file_stat(folder.text, &info, err));
    out->is_empty = info.kind == ARUS_FILE_NONE;
    return out->is_empty ? ARUS_OK : find_folder(folder.text, shown, out, err);
}

static enum arus_status find_path(const char *shown, struct target *out, struct arus_error *err)
{
    struct arus_file_info info;
    struct arus_path absolute;
    const char *format;

    ARUS_TRY(make_absolute(shown, &absolute, err));
    ARUS_TRY(arus_file_stat(absolute.text, &info, err));
    if (info.kind == ARUS_FILE_NONE) {
        return fail_missing(shown, err);
    }
    if (info.kind == ARUS_FILE_FOLDER) {
        return find_folder(absolute.text, shown, out, err);
    }
    format = format_of_file(shown);
    return format == NULL ? arus_fail(err, ARUS_BAD_CONFIG, NULL,
                                      "%s: the format is not known by the name", shown)
                          : select_path(format, absolute.text, out, err);
}

/* Text between quotes of SQL. */
static bool is_plain(const char *text)
{
    return strpbrk(text, "'\\;\n") == NULL;
}

#define TOPIC_ROWS                                                                                 \
    "SELECT partition, offset, timestamp, CAST(key AS STRING) AS key, CAST(value AS STRING) AS "   \
    "value, headers FROM "

/* kafka:TOPIC as a table, then a query over it. */
static enum arus_status find_topic(struct arus_opened *opened, const struct arus_args *args,
                                   struct target *out, struct arus_error *err)
{
    const char *topic = args->operands[0] + 6;
    const struct arus_flag_use *from = arus_args_find(args, ARUS_FLAG_FROM);
    const uint64_t count = arus_args_number(args, ARUS_FLAG_COUNT, UINT64_MAX);
    char start[128] = "startingOffsets 'earliest'";
    char table[2048];
    const char *brokers;

    ARUS_TRY(arus_find_brokers(args, &brokers, err));
    if (!is_plain(topic) || !is_plain(brokers) || (from != NULL && !is_plain(from->value)) ||
        strlen(topic) + strlen(brokers) > 1500 || (from != NULL && strlen(from->value) > 40)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "a name that Kafka does not take");
    }
    if (from != NULL) {
        (void)snprintf(start, sizeof start,
                       "startingTimestamp '%s', startingOffsetsByTimestampStrategy 'latest'",
                       from->value);
    }
    (void)snprintf(table, sizeof table,
                   "CREATE TABLE topic USING kafka OPTIONS (kafka.bootstrap.servers '%s', "
                   "subscribe '%s', includeHeaders true, %s);",
                   brokers, topic, start);
    ARUS_TRY(arus_sql_input_text(table, &opened->input, err));
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    ARUS_TRY(arus_opened_read(opened));
    if (arus_args_has(args, ARUS_FLAG_FOLLOW)) {
        return arus_follow(opened, args, TOPIC_ROWS "STREAM topic", err);
    }
    (void)snprintf(out->text, sizeof out->text, TOPIC_ROWS "topic");
    if (count != UINT64_MAX) {
        (void)snprintf(out->text + strlen(out->text), 64, " LIMIT %llu", (unsigned long long)count);
    }
    return ARUS_OK;
}

/* The side table by its name: columns are known before there are rows. */
static enum arus_status select_side(const struct arus_stream_query *query, enum arus_side side,
                                    struct target *out, struct arus_error *err)
{
    size_t size = (size_t)snprintf(out->text, sizeof out->text, "SELECT * FROM `");

    for (size_t i = 0; i < query->name.size; i++) {
        if (size + 16 > sizeof out->text) {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the name is too long");
        }
        out->text[size++] = query->name.data[i];
        if (query->name.data[i] == '`') {
            out->text[size++] = '`';
        }
    }
    (void)snprintf(out->text + size, sizeof out->text - size, "$%s`", arus_side_name(side));
    return ARUS_OK;
}

/* FILE.sql[:QUERY]: the sink of its query. */
static enum arus_status find_query(struct arus_opened *opened, const struct arus_args *args,
                                   struct target *out, struct arus_error *err)
{
    const struct arus_stream_query *found = NULL;
    const struct arus_action *actions;
    enum arus_side side;
    size_t count;

    ARUS_TRY(arus_sql_input_file(args->operands[0], &opened->input, err));
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    ARUS_TRY(arus_opened_read(opened));
    actions = arus_session_actions(opened->session, &count);
    for (size_t i = 0; i < count && found == NULL; i++) {
        if (actions[i].kind == ARUS_ACTION_STREAM &&
            (opened->input.query[0] == '\0' ||
             arus_text_equal_nocase(actions[i].stream->name, arus_text_of(opened->input.query)))) {
            found = actions[i].stream;
        }
    }
    if (found != NULL && wanted_side(args, &side)) {
        return select_side(found, side, out, err);
    }
    if (found == NULL || found->sink->path == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NOT_A_SINK",
                         found == NULL ? "no such query" : "its sink has no folder");
    }
    return find_path(found->sink->path, out, err);
}

/* ---- printing ---- */

static void say_count(const struct arus_opened *opened, const struct arus_result *result)
{
    char shown[ARUS_HUMAN_SIZE];
    char all[ARUS_HUMAN_SIZE * 2];

    if (opened->is_quiet) {
        return;
    }
    if (arus_result_count(result) == 0) {
        (void)fprintf(stderr, "no rows yet\n");
    } else if (arus_result_shown(result) == arus_result_count(result)) {
        (void)fprintf(stderr, "%s\n", arus_human_noun(arus_result_count(result), "row", all));
    } else {
        (void)fprintf(stderr, "%s of %s\n", arus_human_count(arus_result_shown(result), shown),
                      arus_human_noun(arus_result_count(result), "row", all));
    }
}

static enum arus_status print_schema(const struct arus_type *schema, struct arus_error *err)
{
    struct arus_buffer out = {0};
    enum arus_status status = arus_schema_ddl(schema, &out, err);

    if (status == ARUS_OK) {
        (void)printf("%.*s\n", ARUS_TEXT_ARGS(arus_buffer_text(&out)));
    }
    arus_buffer_release(&out);
    return status;
}

static enum arus_status print_rows(struct arus_opened *opened, const struct arus_args *args,
                                   const struct arus_batch_query *query, struct arus_error *err)
{
    const enum arus_result_form form = arus_result_form(args);
    struct arus_result *result;
    enum arus_status status = arus_result_open(
        form, query->physical->schema, arus_session_zone(opened->session), &opened->output,
        arus_args_number(args, ARUS_FLAG_COUNT, UINT64_MAX), &result, err);

    if (status == ARUS_OK) {
        status = arus_session_run_batch(opened->session, query, arus_result_write, result, err);
    }
    if (status == ARUS_OK) {
        status = arus_result_finish(result, err);
    }
    if (arus_result_is_left(result)) {
        status = ARUS_OK;
    } else if (status == ARUS_OK && form == ARUS_RESULT_TABLE) {
        say_count(opened, result);
    }
    arus_result_close(result);
    return status;
}

static enum arus_status print_target(struct arus_opened *opened, const struct arus_args *args,
                                     const struct target *target, struct arus_error *err)
{
    const struct arus_action *actions;
    size_t count;

    arus_sql_input_release(&opened->input);
    ARUS_TRY(arus_sql_input_text(target->text, &opened->input, err));
    if (opened->session == NULL) {
        ARUS_TRY(arus_opened_session(opened, args, NULL));
    }
    ARUS_TRY(arus_session_read(opened->session, arus_buffer_text(&opened->input.text),
                               &opened->findings, err));
    actions = arus_session_actions(opened->session, &count);
    ARUS_ASSERT(count == 1 && actions[0].kind == ARUS_ACTION_QUERY);
    return arus_args_has(args, ARUS_FLAG_SCHEMA)
               ? print_schema(actions[0].query->physical->schema, err)
               : print_rows(opened, args, actions[0].query, err);
}

static enum arus_status run(struct arus_opened *opened, const struct arus_args *args,
                            struct target *target)
{
    const char *operand = args->operands[0];
    struct arus_error err = {0};
    enum arus_status status;
    enum arus_side side;

    if (strncmp(operand, "kafka:", 6) == 0) {
        status = find_topic(opened, args, target, &err);
        if (status == ARUS_OK && arus_args_has(args, ARUS_FLAG_FOLLOW)) {
            return ARUS_OK; /* all is done */
        }
    } else if (arus_args_has(args, ARUS_FLAG_FOLLOW)) {
        status = arus_fail(&err, ARUS_BAD_CONFIG, NULL, "--follow is for topics: kafka:TOPIC");
    } else if (arus_sql_input_is_file(operand) &&
               arus_text_ends_with((struct arus_text){operand, strcspn(operand, ":")},
                                   ARUS_TEXT(".sql"))) {
        status = find_query(opened, args, target, &err);
    } else if (wanted_side(args, &side)) {
        status = find_side(operand, side, target, &err);
    } else {
        status = find_path(operand, target, &err);
    }
    if (status == ARUS_OK && target->is_empty) {
        if (!opened->is_quiet) {
            (void)fprintf(stderr, "no rows yet\n");
        }
        return ARUS_OK;
    }
    if (status == ARUS_OK) {
        status = print_target(opened, args, target, &err);
    }
    if (status != ARUS_OK && err.message[0] != '\0') {
        err.place = (struct arus_place){0}; /* our own SELECT is not the user's text */
        arus_opened_fail(opened, operand, &err);
    }
    return status == ARUS_MISMATCH ? ARUS_BAD_CONFIG : status;
}

int arus_command_cat(const struct arus_args *args)
{
    struct target target = {0};
    struct arus_opened opened;
    int code;

    arus_opened_begin(&opened, args);
    code = arus_exit_of(run(&opened, args, &target));
    arus_opened_release(&opened);
    arus_arena_release(&target.arena);
    return code;
}
