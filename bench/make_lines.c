/* Scenarios for `podsku evaluate`: COUNT JSON Lines without expectations, of twelve kinds, no two alike. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    static const char *const kinds[] = {
        "\"gpus\":8,\"nvlink\":\"required\",\"max_total\":%ld.%02ld",
        "\"gpus\":2,\"nvlink\":\"possible\",\"min_vram\":%ld.%02ld",
        "\"min_vram\":%ld.%02ld,\"limit\":4",
        "\"memory_fraction\":0.25,\"max_total\":%ld.%02ld",
        "\"gpus\":4,\"min_link_gbs\":%ld.%02ld,\"cloud\":\"any\"",
        "\"gpus\":[1,2,4,8],\"min_total_vram\":%ld.%02ld",
        "\"gpus\":8,\"nodes\":4,\"inter_node_gbps\":3200,\"max_total\":%ld.%02ld",
        "\"gpu\":[\"*H100*\",\"*H200*\"],\"max_price\":%ld.%02ld",
        "\"arch\":\"ada\",\"max_price\":%ld.%02ld,\"sort\":\"vram\"",
        "\"parallelism\":\"tensor\",\"gpus\":4,\"max_total\":%ld.%02ld",
        "\"exclude\":[\"*PCIe*\"],\"min_vram\":%ld.%02ld,\"nvlink\":\"preferred\"",
        "\"min_compute_capability\":\"8.9\",\"cloud\":\"community\",\"max_price\":%ld.%02ld",
    };
    long count = argc > 1 ? strtol(argv[1], NULL, 10) : 0;

    for (long i = 0; i < count; i++) {
        printf("{\"name\":\"case-%ld\",\"requirement\":{", i);
        printf(kinds[i % 12], 1 + (i / 12) % 97, (i / 1164) % 100);
        puts("}}");
    }
    return count > 0 && fflush(stdout) == 0 ? 0 : 1;
}
