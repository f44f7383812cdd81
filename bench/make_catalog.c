/* A REST v2 catalogue of COUNT types: known ids among made-up ones, with prices and counts that vary. */
#include <stdio.h>
#include <stdlib.h>

static const char *const known[] = {"NVIDIA A100-SXM4-80GB", "NVIDIA H100 80GB HBM3", "NVIDIA H200", "NVIDIA B200",
                                    "NVIDIA H100 NVL",       "NVIDIA L40S",           "NVIDIA A40"};

int main(int argc, char **argv)
{
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    long known_count = (long)(sizeof known / sizeof *known);

    printf("{\"gpus\":[");
    for (long i = 0; i < count; i++) {
        printf("%s\n{\"id\":\"", i ? "," : "");
        if (i < known_count)
            printf("%s", known[i]);
        else
            printf("NVIDIA Model %ld", i);
        printf("\",\"name\":\"Model %ld\",\"manufacturer\":\"NVIDIA\",\"memory\":%ld,\"pool\":null,\"secure\":true,"
               "\"community\":%s,\"maxCount\":{\"secure\":%ld,\"community\":%ld},"
               "\"price\":{\"secure\":%ld.%02ld,\"community\":%ld.%02ld}}",
               i, 8 + (i * 7) % 280, i % 3 ? "true" : "false", 1 + i % 10, i % 3 ? 1 + i % 8 : 0, 1 + i % 9, i % 100,
               i % 7, 1 + i % 99);
    }
    printf("\n]}\n");
    return count > 0 && fflush(stdout) == 0 ? 0 : 1;
}
