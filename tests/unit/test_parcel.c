/* Parcels: what is packed comes out, and bytes that are no parcel are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "orchestrator/gather/parcel.h"

static void put(struct parcel *p, const char *path, const char *text, enum parcel_end end, uint64_t checksum)
{
    size_t room;
    void *at = parcel_room(p, path, &room);

    assert_non_null(at);
    assert_true(room >= strlen(text));
    memcpy(at, text, strlen(text));
    parcel_add(p, path, 7, (uint32_t)strlen(text), end, checksum);
}

static void pieces_come_out_as_they_went_in(void **state)
{
    static const char *const texts[] = {"", "x", "eight888", "some longer text of no even length"};
    struct parcel_piece piece;
    struct parcel p;
    size_t at = 0;

    (void)state;
    assert_int_equal(parcel_open(&p, NULL), 0);
    for (uint64_t i = 0; i < 4; i++) {
        put(&p, i % 2 ? "rank1/d0/deps.json" : "a", texts[i], (enum parcel_end)(i % 3),
            i * UINT64_C(0x1122334455667788));
    }
    for (uint64_t i = 0; i < 4; i++) {
        assert_int_equal(parcel_next(p.bytes, p.used, &at, &piece, NULL), 1);
        assert_string_equal(piece.path, i % 2 ? "rank1/d0/deps.json" : "a");
        assert_int_equal(piece.offset, 7);
        assert_int_equal(piece.end, i % 3);
        assert_true(piece.checksum == i * UINT64_C(0x1122334455667788));
        assert_int_equal(piece.nbytes, strlen(texts[i]));
        assert_memory_equal(piece.data, texts[i], piece.nbytes);
    }
    assert_int_equal(parcel_next(p.bytes, p.used, &at, &piece, NULL), 0);
    parcel_close(&p);
}

/* Every piece that the room allows fits, and no byte more than the parcel has. */
static void a_parcel_is_filled_to_its_end_and_not_beyond(void **state)
{
    struct parcel_piece piece;
    struct parcel p;
    size_t at = 0, room;
    unsigned npiece = 0, seen = 0;
    char path[PARCEL_PATH_MAX];

    (void)state;
    assert_int_equal(parcel_open(&p, NULL), 0);
    for (;; npiece++) {
        void *data;

        memset(path, 'p', sizeof path);
        path[1 + npiece * 7 % (PARCEL_PATH_MAX - 1)] = '\0';
        path[PARCEL_PATH_MAX - 1] = '\0';
        data = parcel_room(&p, path, &room);
        if (!data) {
            break;
        }
        room = room < 1 + npiece * 131 % 5000 ? room : 1 + npiece * 131 % 5000;
        memset(data, (int)npiece, room);
        parcel_add(&p, path, 0, (uint32_t)room, PARCEL_LAST, 0);
        assert_true(p.used <= PARCEL_NBYTES);
    }
    assert_true(npiece > 100);
    assert_true(PARCEL_NBYTES - p.used < PARCEL_PATH_MAX + 128);
    while (parcel_next(p.bytes, p.used, &at, &piece, NULL) == 1) {
        for (uint32_t i = 0; i < piece.nbytes; i++) {
            assert_int_equal(((const unsigned char *)piece.data)[i], (unsigned char)seen);
        }
        seen++;
    }
    assert_int_equal(seen, npiece);
    parcel_close(&p);
}

static void a_path_leads_below_the_directory(void **state)
{
    static const char *const bad[] = {"", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a/.", "../a"};
    static const char *const good[] = {"a", "a/b/c", "..a", "a/...", "a..b/.c"};
    char path[PARCEL_PATH_MAX + 1];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(parcel_path_check(bad[i], NULL), -1);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_int_equal(parcel_path_check(good[i], NULL), 0);
    }
    memset(path, 'p', sizeof path);
    path[PARCEL_PATH_MAX] = '\0';
    assert_int_equal(parcel_path_check(path, NULL), -1);
    path[PARCEL_PATH_MAX - 1] = '\0';
    assert_int_equal(parcel_path_check(path, NULL), 0);
}

static void a_path_fits_or_has_no_room(void **state)
{
    struct parcel p;
    struct error err;
    char path[PARCEL_PATH_MAX + 1];
    struct parcel_piece piece;
    size_t room, at = 0;

    (void)state;
    assert_int_equal(parcel_open(&p, &err), 0);
    memset(path, 'p', sizeof path);
    path[PARCEL_PATH_MAX] = '\0';
    assert_null(parcel_room(&p, path, &room));
    path[PARCEL_PATH_MAX - 1] = '\0';
    assert_non_null(parcel_room(&p, path, &room));
    put(&p, path, "", PARCEL_LAST, 1);
    assert_int_equal(parcel_next(p.bytes, p.used, &at, &piece, &err), 1);
    assert_string_equal(piece.path, path);
    /* The same with a path of one byte more; its length stands behind the magic number. */
    memcpy(p.bytes + 4, &(uint16_t){PARCEL_PATH_MAX}, sizeof(uint16_t));
    *(char *)memchr(p.bytes + 32, '\0', PARCEL_PATH_MAX) = 'p';
    at = 0;
    assert_int_equal(parcel_next(p.bytes, p.used, &at, &piece, &err), -1);
    parcel_close(&p);
}

/* Cut off anywhere, or with any one bit wrong in its heads, a parcel is refused or gives pieces that lie inside it. */
static void broken_parcels_are_found(void **state)
{
    struct parcel_piece piece;
    struct error err;
    struct parcel p;
    size_t at;

    (void)state;
    assert_int_equal(parcel_open(&p, &err), 0);
    put(&p, "rank0/d0/a", "text", PARCEL_LAST, 1);
    for (size_t cut = 1; cut < p.used; cut++) {
        at = 0;
        assert_int_equal(parcel_next(p.bytes, cut, &at, &piece, &err), -1);
        assert_true(err.what[0] != '\0');
    }
    for (size_t bit = 0; bit < 8 * p.used; bit++) {
        p.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        at = 0;
        if (parcel_next(p.bytes, p.used, &at, &piece, &err) == 1) {
            assert_true(at <= p.used);
            assert_true((const unsigned char *)piece.data + piece.nbytes <= p.bytes + p.used);
            assert_int_equal(parcel_path_check(piece.path, NULL), 0);
        }
        p.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    p.bytes[0] ^= 1;
    at = 0;
    assert_int_equal(parcel_next(p.bytes, p.used, &at, &piece, &err), -1);
    parcel_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_out_as_they_went_in),
        cmocka_unit_test(a_parcel_is_filled_to_its_end_and_not_beyond),
        cmocka_unit_test(a_path_leads_below_the_directory),
        cmocka_unit_test(a_path_fits_or_has_no_room),
        cmocka_unit_test(broken_parcels_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
