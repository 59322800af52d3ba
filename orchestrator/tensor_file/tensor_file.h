/*
 * tensor_file - files that hold tensors: .npy, .npz, .pt and .safetensors.
 *
 * The content decides the format, not the name. An open file lists its tensors (tensor.h); tensor_read.h reads their
 * elements. Formats: docs/formats.md, "Tensor files". A file stays open: what is read is what was there when it was opened,
 * also when its name has gone or stands for another file since.
 */
#ifndef L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_FILE_H
#define L3R_ORCHESTRATOR_TENSOR_FILE_TENSOR_FILE_H

#include "orchestrator/tensor_file/tensor.h"
#include "orchestrator/tensor_file/tensor_source.h"

enum tensor_format { TENSOR_NPY = 0, TENSOR_NPZ, TENSOR_PT, TENSOR_SAFETENSORS, TENSOR_FORMATS };

struct tensor_file {
    struct tensor_source source;
    enum tensor_format format;
    struct tensor_list tensors;
};

/* Open `path`, a regular file, and list its tensors. Each is known to be all there. To be closed by the caller. */
int tensor_file_open(struct tensor_file **out, const char *path, struct error *err);
void tensor_file_release(struct tensor_file *f); /* closes the file; what it lists stays */
void tensor_file_close(struct tensor_file *f);   /* NULL is fine */

/* The tensor called `key`, which needs `length` bytes of it; NULL when there is none. */
const struct tensor *tensor_file_find(const struct tensor_file *f, const char *key, size_t length);

/* "pt", "npy": what names of such files end in. */
const char *tensor_format_suffix(enum tensor_format format);

/* The format called "npy", "pt" or "safetensors" that can be written; -1: there is none. */
int tensor_format_parse(const char *name, enum tensor_format *format);

#endif
