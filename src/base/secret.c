/** Secrets in option values. */
#include "base/secret.h"

#include "base/file.h"

#include <stdlib.h>

struct reference {
    bool is_file;
    struct arus_text name;
    size_t begin; /* of `${` in the text */
    size_t end;   /* behind `}` */
};

/* The first reference at or behind `from`. */
static bool find_reference(struct arus_text text, size_t from, struct reference *out)
{
    static const struct arus_text ENV = {"${env:", 6};
    static const struct arus_text FILE_ = {"${file:", 7};

    for (size_t i = from; i + 6 < text.size; i++) {
        const struct arus_text rest = {text.data + i, text.size - i};
        const bool is_env = arus_text_starts_with(rest, ENV);
        const size_t head = is_env ? ENV.size : FILE_.size;
        const char *end;

        if (!is_env && !arus_text_starts_with(rest, FILE_)) {
            continue;
        }
        end = memchr(rest.data + head, '}', rest.size - head);
        if (end != NULL) {
            *out = (struct reference){.is_file = !is_env,
                                      .name = {rest.data + head, (size_t)(end - rest.data) - head},
                                      .begin = i,
                                      .end = i + (size_t)(end - rest.data) + 1};
            return true;
        }
    }
    return false;
}

bool arus_secret_is(struct arus_text text)
{
    struct reference reference;

    return find_reference(text, 0, &reference);
}

static enum arus_status expand_env(struct arus_text name, struct arus_buffer *out,
                                   struct arus_error *err)
{
    char text[256];
    const char *value;

    if (name.size == 0 || name.size >= sizeof text) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "${env:..} needs the name of a variable");
    }
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    value = getenv(text);
    if (value == NULL) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "the environment variable %s is not set",
                         text);
    }
    return arus_buffer_append_text(out, arus_text_of(value), err);
}

static enum arus_status expand_file(struct arus_text name, const char *folder,
                                    struct arus_buffer *out, struct arus_error *err)
{
    struct arus_path path;
    bool is_missing = false;

    ARUS_TRY(arus_path_absolute(folder, name, &path, err));
    if (arus_file_read(path.text, out, &is_missing, err) != ARUS_OK || is_missing) {
        return arus_fail(err, ARUS_BAD_CONFIG, NULL, "cannot read the secret file %s", path.text);
    }
    while (out->size > 0 &&
           (out->data[out->size - 1] == '\n' || out->data[out->size - 1] == '\r')) {
        out->size--;
    }
    return ARUS_OK;
}

enum arus_status arus_secret_expand(struct arus_text text, const char *folder,
                                    struct arus_buffer *out, struct arus_error *err)
{
    struct reference reference;
    size_t at = 0;

    while (find_reference(text, at, &reference)) {
        ARUS_TRY(arus_buffer_append(out, text.data + at, reference.begin - at, err));
        ARUS_TRY(reference.is_file ? expand_file(reference.name, folder, out, err)
                                   : expand_env(reference.name, out, err));
        at = reference.end;
    }
    return arus_buffer_append(out, text.data + at, text.size - at, err);
}
