#include "tests/client/deploy_check.h"

#include <stdio.h>
#include <string.h>

void start(struct deploy_rig *rig)
{
    if (!deploy_rig_start(rig))
        fail();
}

void check(struct deploy_rig *rig, enum podsku_code code, const char *outcomes, size_t alive, const char *file,
           int line)
{
    char got[256] = "";

    for (size_t i = 0; i < rig->result.attempt_count; i++) {
        size_t len = strlen(got);
        (void)snprintf(got + len, sizeof got - len, "%s%s", i ? " " : "",
                       podsku_attempt_outcome_name(rig->result.attempts[i].outcome));
    }
    if (rig->result.code == code && strcmp(got, outcomes) == 0 && fake_alive(rig->fake, NULL) == alive)
        return;
    print_error("%s:%d: %s (%s), \"%s\", %zu alive; not %s, \"%s\", %zu\n%s\n", file, line,
                podsku_code_name(rig->result.code), rig->err.message, got, fake_alive(rig->fake, NULL),
                podsku_code_name(code), outcomes, alive, rig->said.data ? rig->said.data : "");
    _fail(file, line);
}

void forget(struct deploy_rig *rig, size_t keep)
{
    char path[128], text[65536];
    const char *end = text;

    (void)snprintf(path, sizeof path, "%s/journal.jsonl", rig->folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t len = fread(text, 1, sizeof text, file);
    (void)fclose(file);
    for (; keep > 0; keep--)
        end = (const char *)memchr(end, '\n', len - (size_t)(end - text)) + 1;
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, (size_t)(end - text), file), (size_t)(end - text));
    (void)fclose(file);
}
