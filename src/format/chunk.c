/** Bytes of a file in one reused buffer, cut where the mode says. */
#include "format/chunk.h"

#include "base/alloc.h"
#include "format/compress.h"
#include "types/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#define BUFFER_SIZE     ((size_t)1 << 19) /* stays in a core's cache with the columns made of it */
#define BUFFER_SIZE_MIN ((size_t)16)      /* holds a character and a line end of any encoding */
#define FAILED          "FAILED_READ_FILE.NO_HINT"

/* Bytes of a plain file up to its planned size. */
struct file_feed {
    int fd; /* -1: none */
    uint64_t at;
    uint64_t size;
    uint64_t byte_count; /* read since open */
};

struct arus_chunk {
    struct arus_chunk_options options;
    struct arus_line_rule raw_rule; /* the separator as it stands in the file */
    struct arus_buffer raw_separator;
    struct arus_buffer path; /* NUL-terminated */
    struct file_feed file;
    struct arus_decompressor *decompressor; /* NULL: plain */
    enum arus_encoding encoding;            /* of this input */

    char *raw; /* owned, raw_capacity + padding */
    size_t raw_capacity;
    size_t raw_size;
    size_t raw_cut;      /* bytes in front that were handed out */
    uint64_t raw_offset; /* of raw[0] in the decompressed file */
    bool has_ended;      /* nothing more to read */

    uint64_t split_begin;
    uint64_t split_end;
    bool is_started; /* the first bytes were looked at */
    bool is_done;    /* the last stretch was handed out */

    struct arus_buffer text; /* decoded */
    struct arus_stretch stretch;
    size_t keep_size;
    uint64_t text_offset; /* BYTES: decoded bytes before the stretch */

    bool counts_lines;
    bool has_base;          /* base_count is known: asked for seldom, and needs another look */
    bool has_first;         /* the first stretch was handed out */
    uint64_t base_count;    /* line ends before it */
    uint64_t first_offset;  /* where it begins in the file */
    uint64_t line_count;    /* line ends from there to counted_at */
    bool was_return;        /* a \r before the stretch is not counted: a \n may follow */
    const char *counted_at; /* in the stretch; NULL: its begin */
};

/* ---- file ---- */

static enum arus_status name_file(const struct arus_chunk *self, struct arus_error *err)
{
    const size_t size =
        self->path.size < sizeof err->file.path ? self->path.size : sizeof err->file.path - 1;

    err->file = (struct arus_file_place){0};
    memcpy(err->file.path, self->path.data, size);
    return err->status;
}

static enum arus_status file_read(void *feed, void *data, size_t capacity, size_t *size,
                                  struct arus_error *err)
{
    struct file_feed *self = feed;
    const uint64_t left = self->size - self->at;
    ssize_t got = 0;

    *size = 0;
    if (left == 0) {
        return ARUS_OK;
    }
    do {
        got = pread(self->fd, data, left < capacity ? (size_t)left : capacity, (off_t)self->at);
    } while (got < 0 && errno == EINTR);
    if (got < 0) {
        return arus_fail_errno(err, ARUS_BAD_DATA, errno, "cannot read");
    }
    if (got == 0) {
        return arus_fail(err, ARUS_BAD_DATA, FAILED,
                         "the file ends at byte %" PRIu64 ", it had %" PRIu64
                         " bytes when it was found",
                         self->at, self->size);
    }
    self->at += (uint64_t)got;
    self->byte_count += (uint64_t)got;
    *size = (size_t)got;
    return ARUS_OK;
}

static enum arus_status file_open(struct arus_chunk *self, const struct arus_input *input,
                                  struct arus_error *err)
{
    self->file.fd = open(input->path, O_RDONLY | O_CLOEXEC);
    if (self->file.fd < 0) {
        const bool is_missing = errno == ENOENT || errno == ENOTDIR;

        const enum arus_status status = arus_fail_errno(err, ARUS_BAD_DATA, errno, "cannot open");

        err->condition = is_missing ? "FAILED_READ_FILE.FILE_NOT_EXIST" : FAILED;
        return status;
    }
    self->file.at = 0;
    self->file.size = input->size;
    return ARUS_OK;
}

static void file_close(struct arus_chunk *self)
{
    arus_decompressor_close(self->decompressor);
    self->decompressor = NULL;
    if (self->file.fd >= 0) {
        (void)close(self->file.fd);
        self->file.fd = -1;
    }
}

/* ---- the raw buffer ---- */

static enum arus_status raw_grow(struct arus_chunk *self, size_t capacity, struct arus_error *err)
{
    char *raw = arus_alloc_buffer(capacity + ARUS_CHUNK_PADDING);

    if (raw == NULL) {
        return arus_fail_memory(err);
    }
    if (self->raw_size > 0) {
        memcpy(raw, self->raw, self->raw_size);
    }
    arus_free(self->raw);
    self->raw = raw;
    self->raw_capacity = capacity;
    return ARUS_OK;
}

/* A record fills the whole buffer: doubles it. */
static enum arus_status raw_extend(struct arus_chunk *self, struct arus_error *err)
{
    const uint64_t max = self->options.record_size_max;

    if (self->raw_capacity >= max) {
        return arus_fail(err, ARUS_BAD_DATA, FAILED,
                         "a record is longer than the limit of %" PRIu64 " bytes", max);
    }
    return raw_grow(self, self->raw_capacity * 2 < max ? self->raw_capacity * 2 : (size_t)max, err);
}

/* Drops what was handed out. */
static void raw_drop(struct arus_chunk *self)
{
    if (self->raw_cut > 0) {
        self->raw_size -= self->raw_cut;
        memmove(self->raw, self->raw + self->raw_cut, self->raw_size);
        self->raw_offset += self->raw_cut;
        self->raw_cut = 0;
    }
}

/* Reads until the buffer is full or the input ends. */
static enum arus_status raw_fill(struct arus_chunk *self, struct arus_error *err)
{
    while (!self->has_ended && self->raw_size < self->raw_capacity) {
        char *end = self->raw + self->raw_size;
        const size_t room = self->raw_capacity - self->raw_size;
        size_t size = 0;

        if (self->decompressor != NULL) {
            ARUS_TRY(arus_decompressor_read(self->decompressor, end, room, &size, err));
        } else {
            ARUS_TRY(file_read(&self->file, end, room, &size, err));
        }
        self->has_ended =
            size == 0 || (self->decompressor == NULL && self->file.at == self->file.size);
        self->raw_size += size;
    }
    return ARUS_OK;
}

static struct arus_text raw_text(const struct arus_chunk *self)
{
    return (struct arus_text){self->raw, self->raw_size};
}

/* ---- decoding ---- */

static enum arus_status decode(struct arus_chunk *self, const char *data, size_t size, bool is_last,
                               size_t *used, struct arus_error *err)
{
    struct arus_buffer *text = &self->text;

    ARUS_TRY(arus_buffer_reserve(
        text, arus_encoding_bound(self->encoding, size) + ARUS_CHUNK_PADDING, err));
    text->size +=
        arus_encoding_decode(self->encoding, data, size, is_last, text->data + text->size, used);
    return ARUS_OK;
}

/* Lines of an encoding in which line ends are only found as bytes: each is decoded on its own. */
static enum arus_status decode_lines(struct arus_chunk *self, struct arus_text lines,
                                     struct arus_error *err)
{
    const struct arus_text separator = self->options.lines.separator;
    size_t at = 0;
    struct arus_line line;

    while (arus_lines_find(ARUS_CPU_PORTABLE, &self->raw_rule, lines, &at, &line, 1) == 1) {
        const char *data = lines.data + line.begin;
        size_t size = line.end - line.begin;
        size_t mark_size = 0;

        self->encoding = arus_encoding_detect(self->options.encoding, data, size, &mark_size);
        if (self->encoding == self->options.encoding) {
            mark_size = 0;
        }
        ARUS_TRY(decode(self, data + mark_size, size - mark_size, true, &size, err));
        ARUS_TRY(arus_buffer_append_text(&self->text,
                                         separator.size > 0 ? separator : ARUS_TEXT("\n"), err));
    }
    return ARUS_OK;
}

/* Are the bytes UTF-8 already (or not to be looked at)? */
static bool is_ready(const struct arus_chunk *self, struct arus_text raw)
{
    switch (self->options.encoding) {
    case ARUS_ENCODING_UTF_8:
        return !self->options.repairs_utf8 || arus_utf8_is_valid(raw);
    case ARUS_ENCODING_ISO_8859_1:
    case ARUS_ENCODING_US_ASCII:
        return arus_text_is_ascii(raw);
    case ARUS_ENCODING_AUTO:
        return memchr(raw.data, 0, raw.size) == NULL &&
               (raw.size < 2 || ((unsigned char)raw.data[0] < 0xFE));
    case ARUS_ENCODING_UTF_16:
    case ARUS_ENCODING_UTF_16BE:
    case ARUS_ENCODING_UTF_16LE:
    case ARUS_ENCODING_UTF_32:
    case ARUS_ENCODING_UTF_32BE:
    case ARUS_ENCODING_UTF_32LE:
        break;
    }
    return false;
}

static enum arus_status hand_out(struct arus_chunk *self, struct arus_error *err)
{
    ARUS_TRY(arus_buffer_reserve(&self->text, ARUS_CHUNK_PADDING, err));
    self->stretch.data = self->text.data;
    self->stretch.size = self->text.size;
    return ARUS_OK;
}

/* raw[0, raw_cut) as UTF-8: in place where it is already. */
static enum arus_status hand_out_lines(struct arus_chunk *self, struct arus_error *err)
{
    const struct arus_text raw = {self->raw, self->raw_cut};
    size_t used;

    if (is_ready(self, raw)) {
        self->stretch.data = self->raw;
        self->stretch.size = self->raw_cut;
        return ARUS_OK;
    }
    arus_buffer_reset(&self->text);
    if (self->options.encoding == ARUS_ENCODING_AUTO ||
        !arus_encoding_is_ascii_based(self->options.encoding)) {
        ARUS_TRY(decode_lines(self, raw, err));
    } else {
        ARUS_TRY(decode(self, raw.data, raw.size, true, &used, err));
    }
    return hand_out(self, err);
}

/* ---- the start of a file ---- */

static bool is_utf8_mark(const struct arus_chunk *self)
{
    return self->raw_size >= 3 && memcmp(self->raw, "\xEF\xBB\xBF", 3) == 0;
}

/* Settles encoding and byte order mark. */
static void start_file(struct arus_chunk *self)
{
    const bool is_lines = self->options.mode == ARUS_CHUNK_LINES;
    size_t mark_size = 0;

    self->encoding = self->options.encoding;
    if (self->options.keeps_mark) {
        return;
    }
    if (is_lines) { /* wide encodings are settled line by line */
        self->raw_cut = is_utf8_mark(self) ? 3 : 0;
        return;
    }
    self->encoding =
        arus_encoding_detect(ARUS_ENCODING_AUTO, self->raw, self->raw_size, &mark_size);
    if (mark_size == 0) {
        self->encoding =
            arus_encoding_detect(self->options.encoding, self->raw, self->raw_size, &mark_size);
    }
    self->raw_cut = mark_size;
}

static size_t separator_size(const struct arus_chunk *self)
{
    return self->raw_rule.separator.size > 0 ? self->raw_rule.separator.size : 1;
}

/* Skips the rest of the line that belongs to the split before. */
static enum arus_status start_split(struct arus_chunk *self, struct arus_error *err)
{
    for (;;) {
        const size_t after = arus_line_after(&self->raw_rule, raw_text(self), 0, self->has_ended);

        if (after != SIZE_MAX || self->has_ended) {
            self->raw_cut = after != SIZE_MAX ? after : self->raw_size;
            return ARUS_OK;
        }
        self->raw_cut = self->raw_size - separator_size(self);
        raw_drop(self);
        ARUS_TRY(raw_fill(self, err));
    }
}

static enum arus_status start(struct arus_chunk *self, struct arus_error *err)
{
    self->is_started = true;
    if (self->raw == NULL) {
        ARUS_TRY(raw_grow(self, self->options.buffer_size, err));
    }
    ARUS_TRY(raw_fill(self, err));
    if (self->split_begin > 0) {
        return start_split(self, err);
    }
    start_file(self);
    return ARUS_OK;
}

/* ---- the modes ---- */

/* Where the lines of this split end in the buffer; 0: the line is not complete yet. */
static size_t find_cut(const struct arus_chunk *self)
{
    const uint64_t rest = self->split_end - self->raw_offset; /* bytes up to the split's end */
    const size_t size = separator_size(self);
    size_t cut;

    if (self->split_end == UINT64_MAX || rest > self->raw_size) {
        cut = arus_line_last(&self->raw_rule, raw_text(self), self->has_ended);
        return self->has_ended ? self->raw_size : cut;
    }
    cut = arus_line_after(&self->raw_rule, raw_text(self), rest > size ? (size_t)rest - size : 0,
                          self->has_ended);
    if (cut == SIZE_MAX) {
        return self->has_ended ? self->raw_size : 0;
    }
    return cut;
}

static enum arus_status next_lines(struct arus_chunk *self, struct arus_error *err)
{
    size_t cut = 0;

    raw_drop(self);
    if (self->raw_offset >= self->split_end) {
        self->is_done = true;
        return ARUS_OK;
    }
    for (;;) {
        ARUS_TRY(raw_fill(self, err));
        cut = find_cut(self);
        if (cut > 0 || self->has_ended) {
            break;
        }
        ARUS_TRY(raw_extend(self, err));
    }
    self->raw_cut = cut;
    self->is_done =
        (self->has_ended && cut == self->raw_size) || self->raw_offset + cut >= self->split_end;
    return cut == 0 ? ARUS_OK : hand_out_lines(self, err);
}

static enum arus_status next_document(struct arus_chunk *self, struct arus_error *err)
{
    size_t used;

    raw_drop(self);
    for (;;) {
        ARUS_TRY(raw_fill(self, err));
        if (self->has_ended) {
            break;
        }
        ARUS_TRY(raw_extend(self, err));
    }
    self->raw_cut = self->raw_size;
    self->is_done = true;
    if (self->encoding == ARUS_ENCODING_UTF_8 &&
        (!self->options.repairs_utf8 || arus_utf8_is_valid(raw_text(self)))) {
        self->stretch.data = self->raw;
        self->stretch.size = self->raw_size;
        return ARUS_OK;
    }
    arus_buffer_reset(&self->text);
    ARUS_TRY(decode(self, self->raw, self->raw_size, true, &used, err));
    return hand_out(self, err);
}

/* Moves the kept bytes to the front of the text buffer. */
static void keep_rest(struct arus_chunk *self)
{
    const size_t gone = self->text.size - self->keep_size;

    if (gone > 0) {
        self->text_offset += gone;
        memmove(self->text.data, self->text.data + gone, self->keep_size);
        self->text.size = self->keep_size;
    }
    self->keep_size = 0;
}

/* Bytes at the end of `raw` that may be the start of a character. */
static size_t cut_character(struct arus_text raw)
{
    size_t size = 0;

    while (size < 3 && size < raw.size &&
           ((unsigned char)raw.data[raw.size - 1 - size] & 0xC0) == 0x80) {
        size++;
    }
    return size < raw.size && (unsigned char)raw.data[raw.size - 1 - size] >= 0xC0 ? size + 1 : 0;
}

/* Moves what was read to the text; `*used`: raw bytes taken. */
static enum arus_status take_bytes(struct arus_chunk *self, size_t *used, struct arus_error *err)
{
    struct arus_text raw = raw_text(self);

    if (self->encoding == ARUS_ENCODING_UTF_8) {
        raw.size -= self->has_ended ? 0 : cut_character(raw);
        if (!self->options.repairs_utf8 || arus_utf8_is_valid(raw)) {
            *used = raw.size;
            return arus_buffer_append_text(&self->text, raw, err);
        }
    }
    return decode(self, self->raw, self->raw_size, self->has_ended, used, err);
}

static enum arus_status next_bytes(struct arus_chunk *self, struct arus_error *err)
{
    size_t used = 0;

    keep_rest(self);
    if (self->text.size > self->options.record_size_max) {
        return arus_fail(err, ARUS_BAD_DATA, FAILED,
                         "a record is longer than the limit of %" PRIu64 " bytes",
                         self->options.record_size_max);
    }
    do { /* a buffer smaller than a character needs a second turn */
        raw_drop(self);
        ARUS_TRY(raw_fill(self, err));
        ARUS_TRY(take_bytes(self, &used, err));
        self->raw_cut = used;
    } while (used == 0 && !self->has_ended);
    self->is_done = self->has_ended;
    return hand_out(self, err);
}

/* ---- outside ---- */

enum arus_status arus_chunk_open(const struct arus_chunk_options *options, struct arus_chunk **out,
                                 struct arus_error *err)
{
    struct arus_chunk *self = arus_alloc(1, sizeof *self);
    enum arus_status status = ARUS_OK;

    *out = NULL;
    if (self == NULL) {
        return arus_fail_memory(err);
    }
    self->options = *options;
    self->file.fd = -1;
    if (self->options.buffer_size < BUFFER_SIZE_MIN) {
        self->options.buffer_size = self->options.buffer_size == 0 ? BUFFER_SIZE : BUFFER_SIZE_MIN;
    }
    if (self->options.record_size_max == 0) {
        self->options.record_size_max = ARUS_RECORD_SIZE_MAX;
    }
    self->text.size_max = (size_t)self->options.record_size_max * 3 + BUFFER_SIZE * 4;
    self->raw_rule = options->lines;
    if (options->lines.separator.size > 0 && options->encoding != ARUS_ENCODING_AUTO) {
        status = arus_encoding_encode(options->encoding, options->lines.separator,
                                      &self->raw_separator, err);
        self->raw_rule.separator = arus_buffer_text(&self->raw_separator);
    }
    if (status != ARUS_OK) {
        arus_chunk_close(self);
        return status;
    }
    *out = self;
    return ARUS_OK;
}

static void forget(struct arus_chunk *self)
{
    file_close(self);
    self->raw_size = 0;
    self->raw_cut = 0;
    self->has_ended = false;
    self->is_started = false;
    self->is_done = false;
    self->keep_size = 0;
    self->text_offset = 0;
    self->has_base = false;
    self->has_first = false;
    self->line_count = 0;
    self->was_return = false;
    self->counted_at = NULL;
    self->stretch = (struct arus_stretch){0};
    arus_buffer_reset(&self->text);
    arus_buffer_reset(&self->path);
}

/* Sets the byte range: reading starts one line end early, to see whether a line starts at `begin`.
 */
static void set_range(struct arus_chunk *self, const struct arus_input *input)
{
    const size_t early = separator_size(self);

    self->split_begin = input->begin;
    self->split_end = input->end < input->size ? input->end : UINT64_MAX;
    self->raw_offset = input->begin > early ? input->begin - early : 0;
    if (self->raw_offset == 0 && input->begin < early) {
        self->split_begin = 0; /* no line end fits in front of it */
    }
    self->file.at = self->raw_offset;
}

enum arus_status arus_chunk_start(struct arus_chunk *self, const struct arus_input *input,
                                  struct arus_error *err)
{
    const enum arus_compression compression = arus_compression_of_path(input->path);
    const struct arus_feed feed = {file_read, &self->file};

    forget(self);
    ARUS_TRY(arus_buffer_append(&self->path, input->path, strlen(input->path) + 1, err));
    self->path.size--;
    if (file_open(self, input, err) != ARUS_OK) {
        return name_file(self, err);
    }
    self->split_begin = 0;
    self->split_end = UINT64_MAX;
    self->raw_offset = 0;
    if (compression != ARUS_COMPRESSION_NONE) {
        return arus_decompressor_open(compression, feed, &self->decompressor, err);
    }
    if (self->options.mode == ARUS_CHUNK_LINES) {
        set_range(self, input);
    }
    return ARUS_OK;
}

static enum arus_status step(struct arus_chunk *self, struct arus_error *err)
{
    if (!self->is_started) {
        ARUS_TRY(start(self, err));
    }
    switch (self->options.mode) {
    case ARUS_CHUNK_LINES:
        return next_lines(self, err);
    case ARUS_CHUNK_BYTES:
        return next_bytes(self, err);
    case ARUS_CHUNK_DOCUMENT:
        return next_document(self, err);
    }
    return ARUS_OK;
}

static const struct arus_line_rule *line_rule(const struct arus_chunk *self)
{
    static const struct arus_line_rule ANY = {0};

    return self->options.mode == ARUS_CHUNK_LINES ? &self->options.lines : &ANY;
}

/* Line ends of the stretch up to `end`. */
static void count_to(struct arus_chunk *self, const char *end)
{
    const char *begin = self->counted_at == NULL ? self->stretch.data : self->counted_at;

    self->line_count +=
        arus_line_count(line_rule(self), (struct arus_text){begin, (size_t)(end - begin)});
    self->counted_at = end;
}

enum arus_status arus_chunk_next(struct arus_chunk *self, struct arus_stretch *out,
                                 struct arus_error *err)
{
    if (self->counts_lines && self->stretch.size != 0) {
        const char *end = self->stretch.data + self->stretch.size - self->keep_size;

        count_to(self, end);
        if (end > self->stretch.data && end[-1] == '\r' && line_rule(self)->separator.size == 0 &&
            self->options.mode == ARUS_CHUNK_BYTES) {
            self->line_count--;
            self->was_return = true;
        }
        self->counted_at = NULL;
    }
    self->stretch = (struct arus_stretch){0};
    if (!self->is_done && self->file.fd >= 0) {
        if (step(self, err) != ARUS_OK) {
            if (err->condition == NULL) {
                err->condition = FAILED;
            }
            self->is_done = true;
            self->stretch.size = 0;
            *out = self->stretch;
            return name_file(self, err);
        }
    }
    self->stretch.is_last = self->is_done;
    *out = self->stretch;
    if (self->was_return) {
        self->line_count += self->stretch.size == 0 || self->stretch.data[0] != '\n';
        self->was_return = false;
    }
    if (self->counts_lines && !self->has_first && self->stretch.size != 0) {
        self->has_first = true;
        self->first_offset = self->raw_offset;
        self->has_base = self->split_begin == 0;
        self->base_count = 0;
    }
    if (self->is_done && self->stretch.size == 0) {
        file_close(self);
    }
    return ARUS_OK;
}

void arus_chunk_keep(struct arus_chunk *self, size_t size)
{
    ARUS_ASSERT(self->options.mode == ARUS_CHUNK_BYTES && size <= self->text.size);
    self->keep_size = size;
}

/* Line ends before `offset`, by reading the file again: of the decompressed file, in BYTES mode of
 * the text. */
static enum arus_status count_lines(const struct arus_chunk *self, uint64_t offset, uint64_t *count,
                                    struct arus_error *err)
{
    const struct arus_input input = {
        .path = self->path.data, .size = self->file.size, .end = self->file.size};
    struct arus_chunk_options options = {.lines = self->raw_rule, .keeps_mark = true};
    struct arus_chunk *again = NULL;
    struct arus_stretch stretch = {0};
    uint64_t at = 0;
    enum arus_status status;

    if (self->options.mode == ARUS_CHUNK_BYTES) {
        options = self->options;
    }
    *count = 0;
    status = arus_chunk_open(&options, &again, err);
    if (status == ARUS_OK) {
        status = arus_chunk_start(again, &input, err);
    }
    while (status == ARUS_OK && at < offset) {
        status = arus_chunk_next(again, &stretch, err);
        if (status != ARUS_OK || stretch.size == 0) {
            break;
        }
        if (stretch.size > offset - at) {
            stretch.size = (size_t)(offset - at);
        }
        *count += arus_line_count(&options.lines, (struct arus_text){stretch.data, stretch.size});
        at += stretch.size;
    }
    arus_chunk_close(again);
    return status;
}

enum arus_status arus_chunk_place(struct arus_chunk *self, const char *at, struct arus_error *err)
{
    static const struct arus_line_rule ANY = {0};
    const bool is_lines = self->options.mode == ARUS_CHUNK_LINES;
    struct arus_error other = {0};
    struct arus_text before = {self->stretch.data, 0};
    uint64_t count = 0;

    (void)name_file(self, err);
    if (at < self->stretch.data || at > self->stretch.data + self->stretch.size) {
        return err->status;
    }
    if (count_lines(self, is_lines ? self->raw_offset : self->text_offset, &count, &other) !=
        ARUS_OK) {
        return err->status;
    }
    before.size = (size_t)(at - self->stretch.data);
    err->file.line = count + arus_line_count(is_lines ? &self->options.lines : &ANY, before) + 1;
    return err->status;
}

void arus_chunk_count_lines(struct arus_chunk *self)
{
    self->counts_lines = true;
}

enum arus_status arus_chunk_line(struct arus_chunk *self, const char *at, int64_t *out,
                                 struct arus_error *err)
{
    const char *counted = self->counted_at == NULL ? self->stretch.data : self->counted_at;

    if (!self->has_base) {
        ARUS_TRY(count_lines(self, self->first_offset, &self->base_count, err));
        self->has_base = true;
    }
    if (at >= counted) {
        count_to(self, at);
        *out = (int64_t)(self->base_count + self->line_count) + 1;
    } else {
        const uint64_t between =
            arus_line_count(line_rule(self), (struct arus_text){at, (size_t)(counted - at)});

        *out = (int64_t)(self->base_count + self->line_count - between) + 1;
    }
    return ARUS_OK;
}

const char *arus_chunk_path(const struct arus_chunk *self)
{
    return self->path.data == NULL ? "" : self->path.data;
}

uint64_t arus_chunk_byte_count(const struct arus_chunk *self)
{
    return self->file.byte_count;
}

void arus_chunk_close(struct arus_chunk *self)
{
    if (self == NULL) {
        return;
    }
    file_close(self);
    arus_buffer_release(&self->raw_separator);
    arus_buffer_release(&self->path);
    arus_buffer_release(&self->text);
    arus_free(self->raw);
    arus_free(self);
}

bool arus_chunk_is_splittable(const struct arus_chunk_options *options, const char *path)
{
    return options->mode == ARUS_CHUNK_LINES && arus_encoding_is_ascii_based(options->encoding) &&
           arus_compression_of_path(path) == ARUS_COMPRESSION_NONE;
}
