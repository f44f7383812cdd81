/*
 * Answers every request with the same file, over TLS on a free local port: live_server BODY CA_FILE
 * writes the certificate to trust to CA_FILE, prints the port, and serves until standard input ends.
 */
#include "tests/support/https_server.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    (void)fclose(file);
    return text;
}

int main(int argc, char **argv)
{
    struct https_options options = {0};
    struct https_answer answer = {.times = -1};
    struct https_server *server = NULL;
    char *body = argc == 3 ? read_file(argv[1]) : NULL;
    int status = 1;

    if (!body) {
        (void)fprintf(stderr, "usage: live_server BODY CA_FILE\n");
        return 2;
    }
    server = https_server_start(&options);
    if (!server || !https_server_ca_file(server, argv[2]))
        goto out;
    answer.body = body;
    https_server_script(server, &answer, 1);
    printf("%d\n", https_server_port(server));
    if (fflush(stdout) != 0)
        goto out;
    while (getchar() != EOF)
        continue;
    status = 0;
out:
    https_server_stop(server);
    free(body);
    return status;
}
