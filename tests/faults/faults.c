#include "tests/faults/faults.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char log_path[64];

static void add_option(const char *name, const char *option)
{
    char text[1024];
    const char *old = getenv(name);

    (void)snprintf(text, sizeof text, "%s%s%s", old ? old : "", old && *old ? ":" : "", option);
    (void)setenv(name, text, 1);
}

void faults_begin(void)
{
    char exit_code[32];

    (void)snprintf(exit_code, sizeof exit_code, "exitcode=%d", FAULTS_SANITIZER);
    add_option("ASAN_OPTIONS", exit_code);
    add_option("LSAN_OPTIONS", exit_code);
    add_option("UBSAN_OPTIONS", exit_code);
    add_option("TSAN_OPTIONS", exit_code);
    /* Ours comes before the sanitizer's library, and calls it. */
    add_option("ASAN_OPTIONS", "verify_asan_link_order=0");
    (void)snprintf(log_path, sizeof log_path, "/tmp/podsku-faults-%ld", (long)getpid());
    (void)setenv("PODSKU_FAULT_LOG", log_path, 1);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
}

void faults_end(void)
{
    (void)unlink(log_path);
}

long faults_logged(void)
{
    char text[32];
    long count = 0;
    FILE *file = fopen(log_path, "r");

    if (!file)
        return 0;
    if (fgets(text, sizeof text, file))
        count = strtol(text, NULL, 10);
    (void)fclose(file);
    (void)unlink(log_path);
    return count;
}

void faults_set_number(const char *variable, long number)
{
    char text[32];

    (void)snprintf(text, sizeof text, "%ld", number);
    (void)setenv(variable, text, 1);
}

void faults_preload(const char *library)
{
    if (library)
        (void)setenv("LD_PRELOAD", library, 1);
    else
        (void)unsetenv("LD_PRELOAD");
}

#if defined(__SANITIZE_THREAD__)
#define THREAD_SANITIZER 1
#elif defined(__SANITIZE_ADDRESS__)
#define ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define THREAD_SANITIZER 1
#elif __has_feature(address_sanitizer)
#define ADDRESS_SANITIZER 1
#endif
#endif
#ifndef THREAD_SANITIZER
#define THREAD_SANITIZER 0
#endif
#ifndef ADDRESS_SANITIZER
#define ADDRESS_SANITIZER 0
#endif
#ifdef __clang__
#define BY_CLANG 1
#else
#define BY_CLANG 0
#endif

bool faults_sanitized(void)
{
    return THREAD_SANITIZER || ADDRESS_SANITIZER;
}

const char *faults_no_preload(void)
{
    if (THREAD_SANITIZER)
        return "ThreadSanitizer's allocator cannot be stood in for";
    if (ADDRESS_SANITIZER && BY_CLANG)
        return "clang's sanitizers are linked into the program and come first";
    return NULL;
}

static bool put_script(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (!file)
        return false;
    (void)fputs(text, file);
    return fclose(file) == 0 && chmod(path, 0755) == 0;
}

bool faults_machine(struct program *program)
{
    static const char tool[] =
        "#!/bin/sh\n"
        "case \"$*\" in\n"
        "'topo -m')\n"
        "    printf '\\tGPU0\\tGPU1\\tCPU Affinity\\tNUMA Affinity\\tGPU NUMA ID\\n'\n"
        "    printf 'GPU0\\t X \\tNV12\\t0-31\\t0\\t\\tN/A\\nGPU1\\tNV12\\t X \\t0-31\\t0\\t\\tN/A\\n' ;;\n"
        "-L) for i in 0 1; do echo \"GPU $i: NVIDIA A100-SXM4-80GB (UUID: "
        "GPU-1111111$i-1111-1111-1111-111111111111)\"; "
        "done ;;\n"
        "--query*) echo 'index, name, uuid, driver_version, memory.total [MiB], mig.mode.current'\n"
        "    for i in 0 1; do echo \"$i, NVIDIA A100-SXM4-80GB, GPU-$i, 580.95.05, 81920 MiB, Disabled\"; done ;;\n"
        "'topo -p2p n') printf ' \\tGPU0\\tGPU1\\nGPU0\\tX\\tOK\\nGPU1\\tOK\\tX\\n' ;;\n"
        "esac\n";
    char ssh[1024];

    (void)snprintf(ssh, sizeof ssh,
                   "#!/bin/sh\n"
                   "{ tr '\\0' ' ' </proc/$$/cmdline; echo; tr '\\0' '\\n' </proc/$$/environ; } >>'%s/children'\n"
                   "unset LD_PRELOAD\n"
                   "[ \"$*\" != -V ] || { echo 'OpenSSH_9.2p1, for tests' >&2; exit 0; }\n"
                   "HOME='%s' && export HOME\n"
                   "for word; do command=$word; done\n"
                   "exec sh -c \"$command\"\n",
                   program->folder, program->folder);
    (void)snprintf(program->path_first, sizeof program->path_first, "%s/bin", program->folder);
    if (mkdir(program->path_first, 0755) != 0)
        return false;
    return put_script(program->path_first, "ssh", ssh) && put_script(program->path_first, "nvidia-smi", tool);
}

void faults_show(struct program *program, const char *what, long n, const char *why)
{
    (void)fprintf(stderr, "%s, fault %ld: %s (exit status %d)\n--- stdout\n%s\n--- stderr\n%s\n---\n", what, n, why,
                  program->status, program_out(program), program_err(program));
}

bool faults_sane(struct program *program, const char *what, long n)
{
    bool report = strstr(program_err(program), "Sanitizer") || strstr(program_err(program), "runtime error:");

    if (program->status != FAULTS_SANITIZER && program->status >= 0 && program->status <= 130 &&
        program->status != 128 + 6 && !report)
        return true;
    faults_show(program, what, n, "crashed");
    return false;
}

bool faults_nothing_lost(struct program *program, struct cloud *cloud, const char *what, long n)
{
    char *said = strdup(program_err(program));
    int status = PROGRAM(program, "reconcile", "--terminate", "--settle-timeout", "1s");
    bool lost = status != 0 || cloud_alive(cloud, true) != 0;

    if (lost) {
        faults_show(program, what, n, "a pod is lost, says reconcile");
        (void)fprintf(stderr, "--- the run before\n%s\n---\n", said ? said : "");
    }
    free(said);
    return !lost;
}
