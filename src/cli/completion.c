/** Completions for bash, zsh and fish. */
#include "cli/help.h"

static enum arus_status put_raw(const char *text, struct arus_buffer *out, struct arus_error *err)
{
    return arus_buffer_append_text(out, arus_text_of(text), err);
}

static enum arus_status put_names(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "%s%s", i == 0 ? "" : " ", commands[i].name));
    }
    return ARUS_OK;
}

/* "--json --csv -n " */
static enum arus_status put_flag_words(const struct arus_flag *flags, struct arus_buffer *out,
                                       struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        if (flag->is_hidden) {
            continue;
        }
        if (flag->name != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, " --%s", flag->name));
        } else {
            ARUS_TRY(arus_buffer_printf(out, err, " -%c", flag->letter));
        }
    }
    return ARUS_OK;
}

enum arus_status arus_completion_bash(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(put_raw("# bash completion for arus\n_arus()\n{\n"
                     "    local word=\"${COMP_WORDS[COMP_CWORD]}\" words=\"\"\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"",
                     out, err));
    ARUS_TRY(put_names(out, err));
    ARUS_TRY(
        put_raw(" --help --version\"\n    else\n        case \"${COMP_WORDS[1]}\" in\n", out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "            %s) words=\"", commands[i].name));
        if (commands[i].id == ARUS_COMMAND_HELP) {
            ARUS_TRY(put_names(out, err));
        }
        ARUS_TRY(put_flag_words(commands[i].flags, out, err));
        ARUS_TRY(put_flag_words(arus_common_flags(), out, err));
        ARUS_TRY(put_raw("\" ;;\n", out, err));
    }
    return put_raw("        esac\n    fi\n"
                   "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
                   "}\n"
                   "complete -o default -F _arus arus\n",
                   out, err);
}

/* Text inside single quotes of zsh's and fish's descriptions. */
static enum arus_status put_quoted(const char *text, struct arus_buffer *out,
                                   struct arus_error *err)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '\'') {
            ARUS_TRY(put_raw("'\\''", out, err));
        } else if (strchr("[]:\\", *c) != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, "\\%c", *c));
        } else {
            ARUS_TRY(arus_buffer_append_char(out, *c, err));
        }
    }
    return ARUS_OK;
}

static enum arus_status put_zsh_flags(const struct arus_flag *flags, struct arus_buffer *out,
                                      struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        if (flag->is_hidden) {
            continue;
        }
        ARUS_TRY(put_raw(" '", out, err));
        if (flag->may_repeat) {
            ARUS_TRY(put_raw("*", out, err));
        }
        ARUS_TRY(flag->name != NULL ? arus_buffer_printf(out, err, "--%s[", flag->name)
                                    : arus_buffer_printf(out, err, "-%c[", flag->letter));
        ARUS_TRY(put_quoted(flag->help, out, err));
        ARUS_TRY(put_raw("]", out, err));
        if (flag->value != ARUS_FLAG_SWITCH) {
            ARUS_TRY(put_raw(":", out, err));
            ARUS_TRY(put_quoted(flag->argument, out, err));
            ARUS_TRY(put_raw(flag->value == ARUS_FLAG_FILE ? ":_files" : ": ", out, err));
        }
        ARUS_TRY(put_raw("'", out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_completion_zsh(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(
        put_raw("#compdef arus\n_arus()\n{\n    local -a commands\n    commands=(\n", out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "        '%s:", commands[i].name));
        ARUS_TRY(put_quoted(commands[i].summary, out, err));
        ARUS_TRY(put_raw("'\n", out, err));
    }
    ARUS_TRY(put_raw("    )\n    if (( CURRENT == 2 )); then\n"
                     "        _describe command commands\n        return\n    fi\n"
                     "    case $words[2] in\n",
                     out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(out, err, "        %s) _arguments", commands[i].name));
        ARUS_TRY(put_zsh_flags(commands[i].flags, out, err));
        ARUS_TRY(put_zsh_flags(arus_common_flags(), out, err));
        ARUS_TRY(put_raw(commands[i].takes_files ? " '*:file:_files' ;;\n" : " ;;\n", out, err));
    }
    return put_raw("    esac\n}\n_arus \"$@\"\n", out, err);
}

static enum arus_status put_fish_flags(const struct arus_command *command,
                                       const struct arus_flag *flags, struct arus_buffer *out,
                                       struct arus_error *err)
{
    for (const struct arus_flag *flag = flags; flag->id != ARUS_FLAG_NONE; flag++) {
        if (flag->is_hidden) {
            continue;
        }
        ARUS_TRY(arus_buffer_printf(
            out, err, "complete -c arus -n '__fish_seen_subcommand_from %s'", command->name));
        if (flag->letter != 0) {
            ARUS_TRY(arus_buffer_printf(out, err, " -s %c", flag->letter));
        }
        if (flag->name != NULL) {
            ARUS_TRY(arus_buffer_printf(out, err, " -l %s", flag->name));
        }
        ARUS_TRY(put_raw(flag->value == ARUS_FLAG_SWITCH ? "" : " -r", out, err));
        ARUS_TRY(put_raw(" -d \"", out, err));
        ARUS_TRY(put_raw(flag->help, out, err));
        ARUS_TRY(put_raw("\"\n", out, err));
    }
    return ARUS_OK;
}

enum arus_status arus_completion_fish(struct arus_buffer *out, struct arus_error *err)
{
    size_t count;
    const struct arus_command *commands = arus_commands(&count);

    ARUS_TRY(put_raw("# fish completion for arus\n", out, err));
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(arus_buffer_printf(
            out, err, "complete -c arus -n __fish_use_subcommand -f -a %s -d \"%s\"\n",
            commands[i].name, commands[i].summary));
    }
    for (size_t i = 0; i < count; i++) {
        ARUS_TRY(put_fish_flags(&commands[i], commands[i].flags, out, err));
        ARUS_TRY(put_fish_flags(&commands[i], arus_common_flags(), out, err));
    }
    return ARUS_OK;
}
