/* The shapes of charts: escaped texts, and the ticks of a time axis. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/xml_text.h"
#include "orchestrator/report/svg.h"

static char *text;
static size_t size;

static FILE *open_text(void)
{
    FILE *f = open_memstream(&text, &size);

    assert_non_null(f);
    return f;
}

static void expect(FILE *f, const char *expected)
{
    assert_int_equal(fclose(f), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void markup_is_escaped(void **state)
{
    FILE *f = open_text();

    (void)state;
    xml_put_text(f, "a<b>&\"c\"\n\x1f d\xc3\xa9\xff");
    xml_put_text(f, NULL);
    expect(f, "a&lt;b&gt;&amp;&quot;c&quot;   d\xc3\xa9?");
}

static void shapes(void **state)
{
    FILE *f = open_text();

    (void)state;
    svg_begin(f, 100, 20, "<all>");
    svg_box(f, 1, 2, 6, 4, "task", "a & b"); /* corners are round where there is room for it */
    svg_box(f, 1, 2, 6.5, 4, "task", NULL);
    svg_end(f);
    expect(f,
           "<svg viewBox=\"0 0 100 20\" role=\"img\" aria-label=\"&lt;all&gt;\">\n"
           "<rect x=\"1.00\" y=\"2.0\" width=\"6.00\" height=\"4.0\" rx=\"0.0\" class=\"task\">"
           "<title>a &amp; b</title></rect>\n"
           "<rect x=\"1.00\" y=\"2.0\" width=\"6.50\" height=\"4.0\" rx=\"2.0\" class=\"task\"><title></title></rect>\n"
           "</svg>\n");
}

/* Positions of the ticks of an axis from 100 to 1100; returns how many there are. */
static int ticks(uint64_t span_ns, double at[], int most)
{
    FILE *f = open_text();
    int n = 0, labels = 0;

    svg_axis(f, 100, 30, 1000, 70, span_ns);
    assert_int_equal(fclose(f), 0);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        double x1, y1, x2, y2, y;

        if (sscanf(line, "<line x1=\"%lf\" y1=\"%lf\" x2=\"%lf\" y2=\"%lf\"", &x1, &y1, &x2, &y2) == 4) {
            assert_true(n < most);
            assert_true(x1 == x2 && y1 == 30 && y2 == 100);
            at[n++] = x1;
        } else {
            assert_int_equal(sscanf(line, "<text x=\"%*f\" y=\"%lf\"", &y), 1);
            assert_true(n > 0 && y < 30); /* above its line */
            labels++;
        }
    }
    free(text);
    assert_int_equal(labels, n);
    return n;
}

/* Steps are 1, 2 or 5 times a power of ten, the largest that make at least four: the first tick is at 0, the last one not
 * beyond the end. */
static void an_axis_has_round_steps(void **state)
{
    static const struct {
        uint64_t span;
        int nstep;
        double step; /* of the axis' width, 1000 */
    } cases[] = {{4000, 4, 250},
                 {3999, 7, 500000. / 3999},
                 {10000, 5, 200},
                 {8000, 4, 250},
                 {7999, 7, 1000000. / 7999},
                 {20000, 4, 250},
                 {50, 5, 200},
                 {4, 4, 250},
                 {0, 5, 200}};
    double at[16];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ticks(cases[i].span, at, 16), cases[i].nstep + 1);
        for (int k = 0; k <= cases[i].nstep; k++) {
            assert_float_equal(at[k], 100 + k * cases[i].step, 0.01);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(shapes),
        cmocka_unit_test(an_axis_has_round_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
