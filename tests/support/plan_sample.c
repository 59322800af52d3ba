#include "tests/support/plan_sample.h"

#include <stdlib.h>
#include <string.h>

#include "common/plan/plan_stream.h"

const char *const plan_sample[PLAN_SAMPLE] = {
    "{\"plan\":1,\"world_size\":3,\"build\":\"unknown keys are ignored\"}",
    "{\"note\":\"n was taken as 4, \\\"quoted\\\"\"}",
    "{\"storage\":0,\"name\":\"x\",\"kind\":\"param\",\"dtype\":\"fp32\",\"shape\":[4,128],\"direction\":\"In\"}",
    "{\"storage\":1,\"name\":\"tmp\",\"kind\":\"temp\",\"dtype\":\"int64\",\"shape\":[],\"fill\":-7}",
    "{\"storage\":2,\"name\":\"low\",\"kind\":\"temp\",\"dtype\":\"fp16\",\"shape\":[8],\"fill\":\"-inf\"}",
    "{\"domain\":0,\"name\":\"comm\",\"workers\":[2,0],\"window\":512,"
    "\"buffers\":[{\"name\":\"a\",\"offset\":0,\"nbytes\":256},{\"name\":\"b\",\"offset\":256,\"nbytes\":256}]}",
    "{\"copy\":0,\"line\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"fill\":0.10000000000000001}",
    "{\"dispatch\":1,\"program\":\"p\",\"card\":2,\"k\":0,\"line\":9,\"args\":[[\"in\",0,\"fp32\",64,[2,64],[128,1]],"
    "[\"inout\",3,\"fp32\",64,[64]]],\"scalars\":[9007199254740991,\"9007199254740992\",\"18446744073709551615\","
    "[\"ctx\",0,2,0],[\"win\",0,0,\"9223372036854775808\"]]}",
    "{\"dispatch\":2,\"program\":\"q\",\"card\":0,\"group\":0,\"args\":[[\"out\",1,\"int64\",0,[]],"
    "[\"no_dep\",0,\"int8\",2047,[1]]],\"scalars\":[]}",
    "{\"dispatch\":3,\"program\":\"p\",\"card\":1,\"group\":0,\"args\":[[\"out_existing\",0,\"fp32\",128,[128]]],"
    "\"scalars\":[]}",
    "{\"end_domain\":0}",
    "{\"copy\":4,\"dst\":[0,\"fp32\",0,[4,128]],\"src\":[0,\"fp32\",0,[4,128],[0,1]]}",
    "{\"sub\":5,\"name\":\"verify\",\"line\":50,\"args\":[[\"in\",0,\"fp32\",0,[0,128]]],\"scalars\":[1]}",
    "{\"edges\":5,\"preds\":[[4,\"raw\",0]]}",
    "{\"end\":6}",
};

int plan_sample_read(const char *const *lines, size_t count, struct plan *out, struct error *err)
{
    struct plan_stream *s = plan_stream_new("origin", err);
    int rc = 0;

    if (!s) {
        return -1;
    }
    *err = (struct error){.what = ""};
    for (size_t i = 0; i < count && rc == 0; i++) {
        char *line = strdup(lines[i]);

        rc = line ? plan_stream_line(s, line, strlen(line), err) : error_nomem(err, "sample", strlen(lines[i]));
        free(line);
    }
    if (rc == 0) {
        rc = plan_stream_finish(s, out, err);
    }
    plan_stream_free(s);
    return rc;
}
