/* Not a test of podsku: it ends the process on one input, so that a harness which hides failures is seen. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 6 && memcmp(data, "canary", 6) == 0)
        exit(1);
    return 0;
}
