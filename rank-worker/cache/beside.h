/* beside - where the binary of a source lies beside it (docs/formats.md, "Binaries in a build"). */
#ifndef L3R_RANK_WORKER_CACHE_BESIDE_H
#define L3R_RANK_WORKER_CACHE_BESIDE_H

/* The source's path with .so for its suffix, to be freed; NULL: no memory. */
char *beside_source(const char *source);

#endif
