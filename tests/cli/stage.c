#include "tests/cli/stage.h"

struct cloud cloud;
struct program program;

int stage_up(void **state)
{
    char url[128];

    (void)state;
    if (!cloud_start(&cloud))
        return -1;
    return program_init(&program, cloud_url(&cloud, url, sizeof url)) ? 0 : -1;
}

int stage_down(void **state)
{
    (void)state;
    program_end(&program);
    cloud_stop(&cloud);
    return 0;
}
