/** Command lines: getopt_long with the flags of the command, and errors that name the nearest word.
 */
#include "cli/command.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONG_FIRST 256 /* getopt's value of flag i; above all letters */

/* Both flag tables behind one index. */
static const struct arus_flag *flag_at(const struct arus_command *command, size_t index)
{
    const struct arus_flag *flag = arus_common_flags();

    for (size_t i = 0; flag->id != ARUS_FLAG_NONE; flag++, i++) {
        if (i == index) {
            return flag;
        }
    }
    index -= (size_t)(flag - arus_common_flags());
    for (flag = command->flags; flag->id != ARUS_FLAG_NONE; flag++) {
        if (index == 0) {
            return flag;
        }
        index--;
    }
    return NULL;
}

struct getopt_tables {
    char letters[ARUS_FLAGS_MAX * 2 + 2];
    struct option options[ARUS_FLAGS_MAX + 1];
    const struct arus_flag *flags[ARUS_FLAGS_MAX];
    size_t count;
};

static void build(const struct arus_command *command, struct getopt_tables *out)
{
    size_t letter_count = 0;
    size_t option_count = 0;
    const struct arus_flag *flag;

    *out = (struct getopt_tables){0};
    out->letters[letter_count++] = ':'; /* a missing value is told from an unknown flag */
    while (out->count < ARUS_FLAGS_MAX && (flag = flag_at(command, out->count)) != NULL) {
        const bool has_value = flag->value != ARUS_FLAG_SWITCH;

        if (flag->letter != 0) {
            out->letters[letter_count++] = flag->letter;
            if (has_value) {
                out->letters[letter_count++] = ':';
            }
        }
        if (flag->name != NULL) {
            out->options[option_count++] =
                (struct option){flag->name, has_value ? required_argument : no_argument, NULL,
                                LONG_FIRST + (int)out->count};
        }
        out->flags[out->count++] = flag;
    }
}

static const struct arus_flag *find_flag(const struct getopt_tables *tables, int value)
{
    if (value >= LONG_FIRST) {
        return tables->flags[value - LONG_FIRST];
    }
    for (size_t i = 0; i < tables->count; i++) {
        if (tables->flags[i]->letter == value) {
            return tables->flags[i];
        }
    }
    return NULL;
}

/* ---- errors ---- */

static bool is_near(const char *wanted, const char *name, size_t *best)
{
    const size_t distance = arus_text_distance(arus_text_of(wanted), arus_text_of(name));
    const size_t longest = strlen(name) > strlen(wanted) ? strlen(name) : strlen(wanted);

    if (distance * 3 > longest + 1 || distance >= *best) {
        return false;
    }
    *best = distance;
    return true;
}

static enum arus_status fail_command(const char *name, struct arus_error *err)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    for (size_t i = 0; i < count; i++) {
        if (is_near(name, commands[i].name, &best)) {
            nearest = commands[i].name;
        }
    }
    if (nearest == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "no command `%s`; arus help lists them", name);
    }
    return arus_fail(err, ARUS_BAD_CONFIG, NULL, "no command `%s`; did you mean `%s`?", name,
                     nearest);
}

static enum arus_status fail_flag(const struct arus_command *command,
                                  const struct getopt_tables *tables, const char *given,
                                  struct arus_error *err)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    char name[64];

    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(given, "="), given);
    for (size_t i = 0; i < tables->count && strncmp(name, "--", 2) == 0; i++) {
        const struct arus_flag *flag = tables->flags[i];

        if (flag->name != NULL && !flag->is_hidden && is_near(name + 2, flag->name, &best)) {
            nearest = flag->name;
        }
    }
    if (nearest == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s has no flag %s; see arus %s -h",
                         command->name, name, command->name);
    }
    return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s has no flag %s; did you mean --%s?",
                     command->name, name, nearest);
}

/* What the user wrote: a short flag inside of -abc, or the whole word. */
static const char *given_flag(char **argv, int index, int letter, char spelled[3])
{
    const char *word = argv[index];

    if (strncmp(word, "--", 2) == 0 || letter == 0 || letter >= LONG_FIRST) {
        return word;
    }
    spelled[0] = '-';
    spelled[1] = (char)letter;
    spelled[2] = '\0';
    return spelled;
}

/* ---- values ---- */

static bool is_number(const char *text)
{
    return text[0] != '\0' && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static enum arus_status check_value(const struct arus_flag *flag, const char *value,
                                    struct arus_error *err)
{
    char name[40];

    (void)snprintf(name, sizeof name, flag->name == NULL ? "-%.1s" : "--%s",
                   flag->name == NULL ? &flag->letter : flag->name);
    if (flag->value == ARUS_FLAG_NUMBER && !is_number(value)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s takes a whole number, not `%s`", name,
                         value);
    }
    if (flag->id == ARUS_FLAG_SET && strchr(value, '=') == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "--set takes KEY=VALUE, not `%s`", value);
    }
    return ARUS_OK;
}

static enum arus_status take_flag(const struct arus_flag *flag, const char *value,
                                  struct arus_args *out, struct arus_error *err)
{
    if (value != NULL) {
        ARUS_TRY(check_value(flag, value, err));
    }
    out->wants_help = out->wants_help || flag->id == ARUS_FLAG_HELP;
    out->is_quiet = out->is_quiet || flag->id == ARUS_FLAG_QUIET;
    out->verbosity += flag->id == ARUS_FLAG_VERBOSE;
    if (flag->id == ARUS_FLAG_COLOR && !arus_color_parse(value, &out->color)) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                         "--color takes auto, always or never, not `%s`", value);
    }
    if (out->use_count == ARUS_FLAGS_MAX) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "more than %d flags", ARUS_FLAGS_MAX);
    }
    out->uses[out->use_count++] = (struct arus_flag_use){flag, value};
    return ARUS_OK;
}

static enum arus_status check_operands(const struct arus_args *args, struct arus_error *err)
{
    const struct arus_command *command = args->command;

    if (args->wants_help) {
        return ARUS_OK;
    }
    if (args->operand_count < command->operand_min) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s needs %s; see arus %s -h", command->name,
                         command->operands, command->name);
    }
    if (args->operand_count > command->operand_max) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "one `%s` too many; see arus %s -h",
                         args->operands[command->operand_max], command->name);
    }
    return ARUS_OK;
}

static enum arus_status parse_flags(int argc, char **argv, struct arus_args *out,
                                    struct arus_error *err)
{
    struct getopt_tables tables;
    char spelled[3];

    build(out->command, &tables);
    opterr = 0;
    optind = 0; /* glibc: from the start, also for a second parse */
    for (;;) {
        const int word = optind == 0 ? 1 : optind;
        const int value = getopt_long(argc, argv, tables.letters, tables.options, NULL);
        const struct arus_flag *flag;

        if (value == -1) {
            break;
        }
        if (value == ':') {
            return arus_fail(err, ARUS_BAD_CONFIG, NULL, "%s needs a value",
                             given_flag(argv, optind - 1, optopt, spelled));
        }
        flag = value == '?' ? NULL : find_flag(&tables, value);
        if (flag == NULL) {
            return fail_flag(out->command, &tables,
                             given_flag(argv, optind > word ? optind - 1 : word, optopt, spelled),
                             err);
        }
        ARUS_TRY(take_flag(flag, optarg, out, err));
    }
    out->operands = argv + optind;
    out->operand_count = argc - optind;
    return ARUS_OK;
}

enum arus_status arus_args_parse(int argc, char **argv, struct arus_args *out,
                                 struct arus_error *err)
{
    const char *name = argc > 1 ? argv[1] : "help";

    *out = (struct arus_args){.command = arus_command_find("help")};
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        name = "version";
    } else if (name[0] == '-') {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL,
                         "the command comes first; arus help lists "
                         "them");
    }
    if (arus_command_find(name) == NULL) {
        return fail_command(name, err);
    }
    out->command = arus_command_find(name);
    if (argc <= 1) {
        return ARUS_OK;
    }
    ARUS_TRY(parse_flags(argc - 1, argv + 1, out, err));
    return check_operands(out, err);
}

const struct arus_flag_use *arus_args_find(const struct arus_args *args, enum arus_flag_id id)
{
    for (int i = args->use_count - 1; i >= 0; i--) {
        if (args->uses[i].flag->id == id) {
            return &args->uses[i];
        }
    }
    return NULL;
}

bool arus_args_has(const struct arus_args *args, enum arus_flag_id id)
{
    return arus_args_find(args, id) != NULL;
}

uint64_t arus_args_number(const struct arus_args *args, enum arus_flag_id id, uint64_t otherwise)
{
    const struct arus_flag_use *use = arus_args_find(args, id);

    return use == NULL ? otherwise : strtoull(use->value, NULL, 10);
}
