/*
 * Runs a fuzz target over the files of a folder, without libFuzzer: the corpus as a test.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv)
{
    struct podsku_buf bytes = {0};
    size_t count = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;

    if (!folder) {
        fprintf(stderr, "usage: %s CORPUS-FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        struct podsku_error err = {0};
        char path[4096];
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (podsku_file_read(path, PODSKU_FILE_MAX, &bytes, &err) != PODSKU_OK) {
            fprintf(stderr, "%s\n", err.message);
            return 2;
        }
        /* A copy of exactly this size lets AddressSanitizer see a read past the end. */
        uint8_t *copy = malloc(bytes.len ? bytes.len : 1);
        if (!copy)
            return 2;
        for (size_t i = 0; i < bytes.len; i++)
            copy[i] = (uint8_t)bytes.data[i];
        (void)LLVMFuzzerTestOneInput(copy, bytes.len);
        free(copy);
        count++;
    }
    (void)closedir(folder);
    podsku_buf_free(&bytes);
    printf("%zu inputs\n", count);
    return count > 0 ? 0 : 2;
}
