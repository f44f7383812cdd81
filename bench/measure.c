/*
 * Whole processes side by side: measure ROUNDS [-i INPUT] COMMAND... [-- COMMAND...]... runs every
 * command once a round, in turn, so that a noisy machine hits all alike, and prints for each the median
 * and least wall time, the median processor time (which other work on the machine disturbs less), and
 * the most memory; "x" is against the first command. Output of the commands goes to /dev/null.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 8, ROUNDS_MAX = 1000 };

struct command {
    char **argv;
    const char *input;
    double ms[ROUNDS_MAX], cpu_ms[ROUNDS_MAX];
    long peak_kib;
};

static double now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double to_ms(struct timeval time)
{
    return (double)time.tv_sec * 1e3 + (double)time.tv_usec / 1e3;
}

static void redirect(const char *path, int flags, int fd)
{
    int opened = open(path, flags);

    if (opened < 0 || dup2(opened, fd) < 0)
        _exit(126);
    (void)close(opened);
}

static int run(struct command *command, int round)
{
    struct rusage usage;
    int status;
    double start = now_ms();
    pid_t child = fork();

    if (child == 0) {
        redirect(command->input ? command->input : "/dev/null", O_RDONLY, STDIN_FILENO);
        redirect("/dev/null", O_WRONLY, STDOUT_FILENO);
        redirect("/dev/null", O_WRONLY, STDERR_FILENO);
        execv(command->argv[0], command->argv);
        _exit(127);
    }
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return 1;
    command->ms[round] = now_ms() - start;
    command->cpu_ms[round] = to_ms(usage.ru_utime) + to_ms(usage.ru_stime);
    if (usage.ru_maxrss > command->peak_kib)
        command->peak_kib = usage.ru_maxrss;
    return !WIFEXITED(status) || WEXITSTATUS(status) >= 126 ? 1 : 0;
}

static int by_time(const void *a, const void *b)
{
    double left = *(const double *)a;
    double right = *(const double *)b;

    return (left > right) - (left < right);
}

static size_t split(int argc, char **argv, struct command *commands)
{
    size_t count = 0;
    int start = 2;

    for (int i = 2; i <= argc; i++) {
        if (i < argc && strcmp(argv[i], "--") != 0)
            continue;
        if (i > start && count < COMMANDS_MAX) {
            struct command *command = &commands[count++];
            argv[i] = NULL;
            command->argv = argv + start;
            if (strcmp(argv[start], "-i") == 0) {
                command->input = argv[start + 1];
                command->argv += 2;
            }
        }
        start = i + 1;
    }
    return count;
}

int main(int argc, char **argv)
{
    static struct command commands[COMMANDS_MAX];
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
    double first = 0;
    double first_cpu = 0;

    if (rounds < 1 || rounds > ROUNDS_MAX) {
        (void)fprintf(stderr, "usage: measure ROUNDS [-i INPUT] COMMAND... [-- COMMAND...]...\n");
        return 2;
    }
    size_t count = split(argc, argv, commands);
    for (int round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++)
            if (run(&commands[i], round) != 0) {
                (void)fprintf(stderr, "%s failed\n", commands[i].argv[0]);
                return 1;
            }
    for (size_t i = 0; i < count; i++) {
        qsort(commands[i].ms, (size_t)rounds, sizeof *commands[i].ms, by_time);
        qsort(commands[i].cpu_ms, (size_t)rounds, sizeof *commands[i].cpu_ms, by_time);
        double median = commands[i].ms[rounds / 2];
        double cpu = commands[i].cpu_ms[rounds / 2];
        if (i == 0) {
            first = median;
            first_cpu = cpu;
        }
        const char *name = strrchr(commands[i].argv[0], '/');
        printf("  %-10s median %9.2f ms x %.2f  least %9.2f ms  cpu %9.2f ms x %.2f  peak %7ld KiB\n",
               name ? name + 1 : commands[i].argv[0], median, median / first, commands[i].ms[0], cpu, cpu / first_cpu,
               commands[i].peak_kib);
    }
    return 0;
}
