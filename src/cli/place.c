#include "cli/place.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PLACES_MAX 64

static enum arus_status add_query(const struct arus_sql_input *input,
                                  const struct arus_stream_query *query, struct arus_places *out,
                                  struct arus_error *err)
{
    const char *slash = strrchr(input->path.text, '/');
    struct arus_checkpoint_place *place = &out->items[out->count++];

    place->query = query;
    ARUS_TRY(arus_path_join(&place->pipeline, input->folder.text,
                            slash == NULL ? input->path.text : slash + 1, err));
    (void)snprintf(place->name, sizeof place->name, "%.*s", ARUS_TEXT_ARGS(query->name));
    ARUS_TRY(
        arus_path_format(&place->shown, err, "%.*s", ARUS_TEXT_ARGS(query->properties.checkpoint)));
    return arus_path_format(&place->folder, err, "%s", query->properties.checkpoint_path);
}

static enum arus_status find_in_pipeline(struct arus_opened *opened, const struct arus_args *args,
                                         struct arus_places *out, struct arus_error *err)
{
    const struct arus_action *actions;
    size_t count;

    ARUS_TRY(arus_sql_input_file(args->operands[0], &opened->input, err));
    ARUS_TRY(arus_opened_session(opened, args, NULL));
    ARUS_TRY(arus_opened_read(opened));
    actions = arus_session_actions(opened->session, &count);
    for (size_t i = 0; i < count && out->count < PLACES_MAX; i++) {
        const struct arus_stream_query *query = actions[i].stream;

        if (actions[i].kind == ARUS_ACTION_STREAM && query->properties.checkpoint_path != NULL &&
            (opened->input.query[0] == '\0' ||
             arus_text_equal_nocase(query->name, arus_text_of(opened->input.query)))) {
            ARUS_TRY(add_query(&opened->input, query, out, err));
        }
    }
    return out->count != 0 ? ARUS_OK
                           : arus_fail(err, ARUS_BAD_CONFIG, "ARUS_NOT_A_CHECKPOINT",
                                       "no query of this name has a checkpoint");
}

static enum arus_status find_folder(const char *operand, struct arus_places *out,
                                    struct arus_error *err)
{
    struct arus_checkpoint_place *place = &out->items[out->count++];
    struct arus_file_info info;
    struct arus_path here;

    if (getcwd(here.text, sizeof here.text) == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the current folder cannot be read");
    }
    ARUS_TRY(arus_path_absolute(here.text, arus_text_of(operand), &place->folder, err));
    ARUS_TRY(arus_path_format(&place->shown, err, "%s", operand));
    ARUS_TRY(arus_file_stat(place->folder.text, &info, err));
    (void)snprintf(place->name, sizeof place->name, "%s", operand);
    return info.kind == ARUS_FILE_FOLDER
               ? ARUS_OK
               : arus_fail(err, ARUS_BAD_CONFIG, "PATH_NOT_FOUND", "no such folder");
}

enum arus_status arus_places_find(struct arus_opened *opened, const struct arus_args *args,
                                  struct arus_places *out, struct arus_error *err)
{
    *out = (struct arus_places){.items = arus_alloc(PLACES_MAX, sizeof *out->items)};
    if (out->items == NULL) {
        return arus_fail_memory(err);
    }
    return arus_sql_input_is_file(args->operands[0]) ? find_in_pipeline(opened, args, out, err)
                                                     : find_folder(args->operands[0], out, err);
}

void arus_places_release(struct arus_places *places)
{
    arus_free(places->items);
    *places = (struct arus_places){0};
}

enum arus_status arus_checkpoint_find(struct arus_opened *opened, const struct arus_args *args,
                                      struct arus_checkpoint_place *out, struct arus_error *err)
{
    struct arus_places places = {0};
    enum arus_status status = arus_places_find(opened, args, &places, err);

    if (status == ARUS_OK) {
        *out = places.items[0];
    }
    arus_places_release(&places);
    return status;
}
