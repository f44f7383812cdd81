/* What a terminal gets, seen through a pseudo-terminal as standard output. */
#include "tests/support/test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tests/cli/program.h"

#define CATALOGUE                                                                                                     \
    "{\"gpus\":[{\"id\":\"NVIDIA\\u001b[2JA\\u009bB\",\"name\":\"C\\u001b[31m\\u202e\\u200b\\u2028\\udb40\\udc41D\"," \
    "\"manufacturer\":\"NVIDIA\","                                                                                    \
    "\"memory\":24,\"secure\":true,\"price\":{\"secure\":1.0}}]}"

/* In the child: the other end of the pseudo-terminal becomes its standard output. */
static void take_terminal(void *ctx)
{
    int fd = open(ctx, O_RDWR | O_NOCTTY);
    struct termios modes;

    if (fd < 0 || tcgetattr(fd, &modes) != 0)
        _exit(99);
    modes.c_oflag &= ~(tcflag_t)OPOST; /* line ends as they are written */
    if (tcsetattr(fd, TCSANOW, &modes) != 0 || dup2(fd, STDOUT_FILENO) < 0)
        _exit(99);
    (void)close(fd);
}

/* Runs the program on a terminal; what it shows is copied to `shown`. */
static void on_terminal(const char *const *words, char *shown, size_t size)
{
    struct program program = {0};
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    char name[64];
    size_t len = 0;

    assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    assert_int_equal(ptsname_r(master, name, sizeof name), 0);
    int held = open(name, O_RDWR | O_NOCTTY); /* while it is open the output stays to be read */
    assert_true(held >= 0);
    assert_true(program_init(&program, ""));
    program.no_key = true;
    program.input = CATALOGUE;
    program.surround = take_terminal;
    program.surround_ctx = name;
    assert_int_equal(program_run(&program, words), 0);
    while (len + 1 < size && poll(&(struct pollfd){.fd = master, .events = POLLIN}, 1, 100) > 0) {
        ssize_t got = read(master, shown + len, size - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    shown[len] = '\0';
    program_end(&program);
    (void)close(held);
    (void)close(master);
}
#define ON_TERMINAL(shown, ...) on_terminal((const char *const[]){__VA_ARGS__, NULL}, shown, sizeof shown)

static void control_bytes_never_reach_a_terminal(void **state)
{
    char shown[4096];

    (void)state;
    ON_TERMINAL(shown, "pick", "--catalog", "-", "-o", "ids");
    assert_string_equal(shown, "NVIDIA?[2JA?B\n");
    ON_TERMINAL(shown, "catalog", "list", "--catalog", "-", "-o", "ids");
    assert_string_equal(shown, "NVIDIA?[2JA?B\n");
    for (int verb = 0; verb < 2; verb++) {
        static const char *const commands[] = {"pick", "catalog"};
        static const char *const formats[] = {"csv", "wide", "table", "json"};
        for (size_t i = 0; i < COUNT_OF(formats); i++) {
            ON_TERMINAL(shown, commands[verb], "--catalog", "-", "-o", formats[i]);
            assert_non_null(strstr(shown, "D"));
            assert_null(strchr(shown, '\033'));
            assert_null(strstr(shown, "\xc2\x9b"));
            assert_null(strstr(shown, "\xe2\x80\xae"));
            assert_null(strstr(shown, "\xe2\x80\x8b"));
            assert_null(strstr(shown, "\xe2\x80\xa8"));
            assert_null(strstr(shown, "\xf3\xa0\x81\x81"));
            assert_non_null(strstr(shown, i == 3 ? "\\u202e\\u200b\\u2028\\udb40\\udc41D" : "????D"));
        }
    }
}

static void a_pipe_gets_the_bytes(void **state)
{
    struct program program = {0};

    (void)state;
    assert_true(program_init(&program, ""));
    program.no_key = true;
    program.input = CATALOGUE;
    EXPECT_RUN(&program, 0, "pick", "--catalog", "-", "-o", "ids");
    assert_string_equal(program_out(&program), "NVIDIA\033[2JA\xc2\x9b"
                                               "B\n");
    program.input = CATALOGUE;
    EXPECT_RUN(&program, 0, "catalog", "list", "--catalog", "-", "-o", "csv");
    assert_non_null(strstr(program_out(&program), "C\033[31m\xe2\x80\xae\xe2\x80\x8b\xe2\x80\xa8\xf3\xa0\x81\x81"
                                                  "D"));
    program_end(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(control_bytes_never_reach_a_terminal),
        cmocka_unit_test(a_pipe_gets_the_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
