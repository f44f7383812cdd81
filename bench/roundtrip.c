/*
 * What jansson needs to load and dump the lines of a file, the yardstick for `podsku evaluate`: each
 * line is parsed, dumped compactly, and freed. Reads standard input, writes standard output.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t len;

    while ((len = getline(&line, &room, stdin)) > 0) {
        json_error_t err;
        json_t *value = json_loadb(line, (size_t)len, JSON_DECODE_ANY, &err);
        if (!value) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        if (json_dumpf(value, stdout, JSON_COMPACT) != 0 || putchar('\n') == EOF)
            return 1;
        json_decref(value);
    }
    free(line);
    return 0;
}
