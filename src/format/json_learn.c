/** Learning the order of names from a line. */
#include "base/alloc.h"
#include "format/json_fast_internal.h"

#define STEP_COUNT_MAX 1024

struct lesson {
    struct json_program *program;
    const struct json_fast *fast;
    const struct json_node *root;
    const char *at;
    const char *end;
    char *text;    /* room for the patterns */
    bool *is_seen; /* [root->child_count] */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_blanks(struct lesson *lesson)
{
    while (lesson->at < lesson->end && is_blank(*lesson->at)) {
        lesson->at++;
    }
}

static bool take(struct lesson *lesson, char c)
{
    skip_blanks(lesson);
    if (lesson->at == lesson->end || *lesson->at != c) {
        return false;
    }
    lesson->at++;
    return true;
}

/* A string without escapes, after its opening quote. */
static bool take_name(struct lesson *lesson, struct arus_text *name)
{
    const char *begin = lesson->at;

    while (lesson->at < lesson->end && *lesson->at != '"' && *lesson->at != '\\') {
        lesson->at++;
    }
    *name = (struct arus_text){begin, (size_t)(lesson->at - begin)};
    return lesson->at < lesson->end && *lesson->at++ == '"';
}

static void skip_string(struct lesson *lesson)
{
    while (lesson->at < lesson->end && *lesson->at != '"') {
        lesson->at += *lesson->at == '\\' && lesson->at + 1 < lesson->end ? 2 : 1;
    }
    lesson->at += lesson->at < lesson->end;
}

/* The line is known to be good: counting brackets is enough. */
static void skip_value(struct lesson *lesson)
{
    uint32_t open = 0;

    while (lesson->at < lesson->end) {
        const char c = *lesson->at;

        if (open == 0 && (c == ',' || c == '}' || is_blank(c))) {
            return;
        }
        lesson->at++;
        if (c == '"') {
            skip_string(lesson);
        }
        open += c == '{' || c == '[';
        open -= c == '}' || c == ']';
        if (open == 0 && (c == '"' || c == '}' || c == ']')) {
            return;
        }
    }
}

static bool is_string_op(enum json_op op)
{
    return op == JSON_OP_SKIP_STRING || op == JSON_OP_STRING || op == JSON_OP_TIMESTAMP ||
           op == JSON_OP_DATE || op == JSON_OP_TEXT;
}

static bool is_number_start(char c)
{
    return c == '-' || (c >= '0' && c <= '9');
}

/* Types that a number token makes. */
static enum json_op number_op(const struct arus_type *type)
{
    static const enum json_op OPS[ARUS_TYPE_COUNT] = {
        [ARUS_TYPE_TINYINT] = JSON_OP_TINYINT, [ARUS_TYPE_SMALLINT] = JSON_OP_SMALLINT,
        [ARUS_TYPE_INT] = JSON_OP_INT,         [ARUS_TYPE_BIGINT] = JSON_OP_BIGINT,
        [ARUS_TYPE_FLOAT] = JSON_OP_FLOAT,     [ARUS_TYPE_DOUBLE] = JSON_OP_DOUBLE,
        [ARUS_TYPE_DECIMAL] = JSON_OP_DECIMAL,
    };

    if (OPS[type->id] == JSON_OP_END || arus_type_is_wide(type)) {
        return JSON_OP_VALUE;
    }
    return OPS[type->id];
}

static enum json_op string_op(const struct json_fast *fast, const struct arus_type *type)
{
    switch (type->id) {
    case ARUS_TYPE_STRING:
        return JSON_OP_STRING;
    case ARUS_TYPE_TIMESTAMP:
    case ARUS_TYPE_TIMESTAMP_NTZ:
        return fast->has_default_times ? JSON_OP_TIMESTAMP : JSON_OP_TEXT;
    case ARUS_TYPE_DATE:
        return fast->has_default_times ? JSON_OP_DATE : JSON_OP_TEXT;
    case ARUS_TYPE_FLOAT:
    case ARUS_TYPE_DOUBLE:
    case ARUS_TYPE_DECIMAL:
    case ARUS_TYPE_INTERVAL_YM:
    case ARUS_TYPE_INTERVAL_DT:
        return JSON_OP_TEXT;
    case ARUS_TYPE_INTERVAL:
    case ARUS_TYPE_VOID:
    case ARUS_TYPE_BOOLEAN:
    case ARUS_TYPE_TINYINT:
    case ARUS_TYPE_SMALLINT:
    case ARUS_TYPE_INT:
    case ARUS_TYPE_BIGINT:
    case ARUS_TYPE_BINARY:
    case ARUS_TYPE_ARRAY:
    case ARUS_TYPE_MAP:
    case ARUS_TYPE_STRUCT:
    case ARUS_TYPE_COUNT:
        return JSON_OP_VALUE;
    }
    return JSON_OP_VALUE;
}

/* What a value of this column is when the line at hand has a null there. */
static bool is_string_by_nature(const struct arus_type *type)
{
    return type->id == ARUS_TYPE_STRING || type->id == ARUS_TYPE_DATE ||
           type->id == ARUS_TYPE_TIMESTAMP || type->id == ARUS_TYPE_TIMESTAMP_NTZ;
}

enum json_op json_choose_op(const struct json_fast *fast, const struct arus_type *type, char first)
{
    if (type == NULL) {
        return first == '"' ? JSON_OP_SKIP_STRING : JSON_OP_SKIP_ANY;
    }
    if (first == '"' || (first == 'n' && is_string_by_nature(type))) {
        return string_op(fast, type);
    }
    if (type->id == ARUS_TYPE_BOOLEAN && (first == 't' || first == 'f' || first == 'n')) {
        return JSON_OP_BOOLEAN;
    }
    return is_number_start(first) || first == 'n' ? number_op(type) : JSON_OP_VALUE;
}

static void add_step(struct lesson *lesson, const char *begin, enum json_op op,
                     struct json_target *target)
{
    struct json_step *step = &lesson->program->steps[lesson->program->step_count++];
    const uint32_t plain_size = (uint32_t)(lesson->at - begin);
    uint32_t counted;

    *step = (struct json_step){
        .op = op, .target = target, .text = lesson->text, .plain_size = plain_size};
    step->is_instant = target != NULL && target->node->type->id == ARUS_TYPE_TIMESTAMP;
    memcpy(lesson->text, begin, plain_size);
    step->size = plain_size;
    if (is_string_op(op)) {
        lesson->text[step->size++] = '"';
    }
    counted = step->size < JSON_PATTERN_SIZE ? step->size : JSON_PATTERN_SIZE;
    memcpy(step->pattern, lesson->text, counted);
    step->mask = counted == JSON_PATTERN_SIZE ? UINT32_MAX : (1u << counted) - 1;
    lesson->text += step->size;
    if (op == JSON_OP_DECIMAL) {
        step->cached = 1;
        for (uint8_t i = 0; i < target->node->type->precision; i++) {
            step->cached *= 10;
        }
    }
}

static bool is_known_name(const struct lesson *lesson, struct arus_text name,
                          const struct arus_text *names)
{
    for (uint32_t i = 0; i < lesson->program->step_count; i++) {
        if (arus_text_equal(names[i], name)) {
            return true;
        }
    }
    return false;
}

/* Names of one object, each with what stands before its value. */
static bool learn_fields(struct lesson *lesson, struct arus_text *names)
{
    for (char before = '{';; before = ',') {
        const char *begin = lesson->at;
        struct arus_text name;
        int32_t child;
        struct json_target *target;

        if (before == ',' && take(lesson, '}')) {
            add_step(lesson, begin, JSON_OP_END, NULL);
            return true;
        }
        lesson->at = begin;
        if (lesson->program->step_count == STEP_COUNT_MAX - 1 || !take(lesson, before) ||
            !take(lesson, '"') || !take_name(lesson, &name) || !take(lesson, ':') ||
            is_known_name(lesson, name, names)) {
            return false;
        }
        skip_blanks(lesson);
        if (lesson->at == lesson->end) {
            return false;
        }
        names[lesson->program->step_count] = name;
        child = json_node_find(lesson->root, name);
        target = child < 0 ? NULL : &lesson->fast->targets[child];
        if (child >= 0) {
            lesson->is_seen[child] = true;
        }
        add_step(
            lesson, begin,
            json_choose_op(lesson->fast, target == NULL ? NULL : target->node->type, *lesson->at),
            target);
        skip_value(lesson);
    }
}

static bool note_absent(struct lesson *lesson)
{
    struct json_program *program = lesson->program;

    program->absent = arus_alloc(lesson->root->child_count + 1u, sizeof *program->absent);
    if (program->absent == NULL) {
        return false;
    }
    for (uint16_t i = 0; i < lesson->root->child_count; i++) {
        if (!lesson->is_seen[i]) {
            program->absent[program->absent_count++] = &lesson->fast->targets[i];
        }
    }
    return true;
}

bool json_program_learn(struct json_program *program, const struct json_fast *fast,
                        const struct json_node *root, struct arus_text line)
{
    struct lesson lesson = {.program = program,
                            .fast = fast,
                            .root = root,
                            .at = line.data,
                            .end = line.data + line.size};
    struct arus_text *names = arus_alloc(STEP_COUNT_MAX, sizeof *names);
    bool is_learned = false;

    *program = (struct json_program){0};
    lesson.is_seen = arus_alloc(root->child_count + 1u, sizeof *lesson.is_seen);
    program->steps = arus_alloc(STEP_COUNT_MAX, sizeof *program->steps);
    program->texts = arus_alloc(line.size + STEP_COUNT_MAX, 1);
    lesson.text = program->texts;
    if (names != NULL && lesson.is_seen != NULL && program->steps != NULL &&
        program->texts != NULL) {
        is_learned = learn_fields(&lesson, names) && note_absent(&lesson);
    }
    arus_free(names);
    arus_free(lesson.is_seen);
    if (!is_learned) {
        json_program_release(program);
    }
    return is_learned;
}

void json_program_release(struct json_program *program)
{
    arus_free(program->steps);
    arus_free(program->absent);
    arus_free(program->texts);
    *program = (struct json_program){0};
}
