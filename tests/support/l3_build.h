/* l3_build - a build directory of kind L3 with as little in it as can be. */
#ifndef L3R_TESTS_SUPPORT_L3_BUILD_H
#define L3R_TESTS_SUPPORT_L3_BUILD_H

/* "params" of one parameter, and a distributed_meta.json with it. */
#define L3_BUILD_PARAMS                                                                                                \
    "\"params\": [{\"name\": \"x__ssa_v0\", \"direction\": \"In\", \"shape\": [4, -1], \"dtype\": \"fp32\"}]"
#define L3_BUILD_META "{\"schema\": 2, " L3_BUILD_PARAMS "}"

/* For cmocka: *state is the path of an empty directory. */
int l3_build_setup(void **state);
int l3_build_teardown(void **state);

/* Write the files that make `dir` a build, with this distributed_meta.json; replaces what was there. */
void l3_build_make(const char *dir, const char *meta);

#endif
