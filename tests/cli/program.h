/*
 * The real program as a child: its own home and state folder, the fake service's URL, a key in the
 * environment; its streams are kept. Nothing here asserts but program_ok().
 */
#ifndef TESTS_CLI_PROGRAM_H
#define TESTS_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"

#define PROGRAM_KEY "rpa_SECRETSECRETSECRET42"
#define PROGRAM_ARGS_MAX 64

struct program {
    char folder[64];      /* HOME; XDG_STATE_HOME is folder/state */
    char url[128];        /* PODSKU_API_URL; empty: not set */
    bool no_key;          /* RUNPOD_API_KEY is not set */
    char path_first[256]; /* stands first in PATH; empty: nothing */
    const char *input;    /* standard input; NULL: empty */
    size_t input_len;     /* 0: strlen(input) */
    bool close_stdout;    /* standard output is a pipe that nobody reads any more */
    const char *cwd;      /* NULL: as it is */
    /* Called in the child right before it becomes the program, its streams in place; NULL: nothing. */
    void (*surround)(void *ctx);
    void *surround_ctx;
    /* Of the latest run. */
    pid_t pid;
    struct podsku_buf out, err;
    int status; /* exit status, 128 + signal, or -1: killed after the time limit */
    int fds[3]; /* our ends: in, out, err; -1: closed */
    size_t fed;
};

/* Makes the folder. False: it could not be made. */
bool program_init(struct program *program, const char *url);
/* Removes the folder and everything in it. */
void program_end(struct program *program);

/* Runs `podsku` with these words (NULL-terminated) to its end; at most a minute. Returns the status. */
int program_run(struct program *program, const char *const *words);
#define PROGRAM(program, ...) program_run(program, (const char *const[]){__VA_ARGS__, NULL})

/* The same in two steps, for signals between them. */
bool program_start(struct program *program, const char *const *words);
int program_wait(struct program *program);
/* Reads what the program says until `text` stands on its standard error (or output); false after ms. */
bool program_until(struct program *program, const char *text, int ms);

/* Texts of the latest run. */
const char *program_out(const struct program *program);
const char *program_err(const struct program *program);

/* Fails the test, showing both streams, unless this is the status. */
void program_expect(struct program *program, int status, int expected, const char *file, int line);
#define EXPECT_RUN(program, expected, ...) \
    program_expect(program, PROGRAM(program, __VA_ARGS__), expected, __FILE__, __LINE__)
/* Fails the test unless text holds part (or does not). */
void program_holds(const char *text, const char *part, bool wanted, const char *file, int line);
#define HOLDS(text, part) program_holds(text, part, true, __FILE__, __LINE__)
#define LACKS(text, part) program_holds(text, part, false, __FILE__, __LINE__)

/* Removes a folder with everything in it. */
void program_remove_tree(const char *path);
/* Writes a file of the program's folder; returns its path (kept until the next call). */
const char *program_file(struct program *program, const char *name, const char *text);

#endif
