#include "rank-worker/splice/body.h"

#include <stdlib.h>
#include <string.h>

#include "rank-worker/splice/mgather.h"

/* Lines that the kernel's own header makes superfluous, or that are the runtime's business. */
static bool is_dropped(struct span line)
{
    struct span own = text_trim(line);

    if (text_starts(own, "#include")) {
        return text_find(own, 0, "pto-inst") != TEXT_NONE || text_find(own, 0, "cstdint") != TEXT_NONE ||
               text_find(own, 0, "tensor.h") != TEXT_NONE;
    }
    return text_equals(own, "using namespace pto;") || text_starts(own, "set_ffts_base_addr(");
}

static int drop_lines(struct span raw, struct text_output *out, struct error *err)
{
    struct span line;

    if (text_begin(out, err)) {
        return -1;
    }
    for (size_t at = 0; text_next_line(raw, &at, &line);) {
        if (!is_dropped(line)) {
            text_put(out, line.at, line.size);
        }
    }
    return text_end(out, err);
}

/* End of "AICORE void" at `at`, or `at`. */
static size_t match_void(struct span text, size_t at)
{
    size_t end;

    if (!text_word_at(text, at, "AICORE")) {
        return at;
    }
    end = text_skip_blanks(text, at + strlen("AICORE"));
    return text_word_at(text, end, "void") ? end + strlen("void") : at;
}

/* End of `[extern "C"] [__global__] AICORE void` that starts at `at`, or `at`. */
static size_t match_qualifiers(struct span text, size_t at)
{
    size_t next = at, end;

    if (text_word_at(text, next, "extern")) {
        next = text_skip_blanks(text, next + strlen("extern"));
        if (!text_starts((struct span){text.at + next, text.size - next}, "\"C\"")) {
            return at;
        }
        next = text_skip_blanks(text, next + strlen("\"C\""));
    }
    if (text_word_at(text, next, "__global__")) {
        next = text_skip_blanks(text, next + strlen("__global__"));
    }
    end = match_void(text, next);
    return end == next ? at : end;
}

/* Replace what starts at the word at `at`; returns the place after what was consumed. */
static size_t put_word(struct span text, size_t at, struct text_output *out)
{
    static const char function[] = "static __aicore__ void", qualifier[] = "__aicore__", tensor[] = "ChipTensor";
    size_t end = match_qualifiers(text, at);

    if (end != at) {
        text_put(out, function, sizeof function - 1);
        return end;
    }
    end = text_word_end(text, at);
    if (text_word_at(text, at, "AICORE")) {
        text_put(out, qualifier, sizeof qualifier - 1);
    } else if (text_word_at(text, at, "Tensor")) {
        text_put(out, tensor, sizeof tensor - 1);
    } else {
        text_put(out, text.at + at, end - at);
    }
    return end;
}

static int replace_words(struct span text, struct text_output *out, struct error *err)
{
    if (text_begin(out, err)) {
        return -1;
    }
    for (size_t at = 0; at < text.size;) {
        size_t start = at;
        while (at < text.size && !text_is_word(text.at[at])) {
            at++;
        }
        text_put(out, text.at + start, at - start);
        if (at < text.size) {
            at = put_word(text, at, out);
        }
    }
    return text_end(out, err);
}

int body_clean(struct span raw, char **body, size_t *size, struct error *err)
{
    struct text_output kept, restored, done;
    int rc = -1;

    if (drop_lines(raw, &kept, err)) {
        return -1;
    }
    if (text_begin(&restored, err) == 0) {
        int failed = mgather_restore((struct span){kept.data, kept.size}, &restored, err);
        if (text_end(&restored, err) == 0) {
            if (!failed) {
                rc = replace_words((struct span){restored.data, restored.size}, &done, err);
            }
            free(restored.data);
        }
    }
    free(kept.data);
    if (rc) {
        return -1;
    }
    *body = done.data;
    *size = done.size;
    return 0;
}

bool body_next_function(struct span raw, size_t *at, struct span *name)
{
    size_t found = text_find_word(raw, *at, "AICORE");

    for (; found != TEXT_NONE; found = text_find_word(raw, found + 1, "AICORE")) {
        size_t end = match_void(raw, found), start, after;
        if (end == found) {
            continue;
        }
        start = text_skip_blanks(raw, end);
        after = text_word_end(raw, start);
        end = text_skip_blanks(raw, after);
        if (after > start && end < raw.size && raw.at[end] == '(') {
            *name = (struct span){raw.at + start, after - start};
            *at = end;
            return true;
        }
    }
    return false;
}
