#include "tests/cli/sshd.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/cli/program.h"

#define SSHD "/usr/sbin/sshd"
#define START_MS 10000
#define PRIVSEP "/run/sshd" /* sshd wants it when root starts it */

static bool made_privsep;

const char *sshd_missing(void)
{
    if (access(SSHD, X_OK) != 0)
        return "sshd is not installed (" SSHD "; Debian: openssh-server)";
    if (access("/usr/bin/ssh", X_OK) != 0 || access("/usr/bin/ssh-keygen", X_OK) != 0)
        return "ssh and ssh-keygen are not installed (Debian: openssh-client)";
    return NULL;
}

static bool put_file(const struct sshd *sshd, const char *name, mode_t mode, const char *fmt, ...) PODSKU_PRINTF(4, 5);
static bool put_file(const struct sshd *sshd, const char *name, mode_t mode, const char *fmt, ...)
{
    char path[256];
    va_list args;
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", sshd->folder, name);
    file = fopen(path, "w");
    if (!file)
        return false;
    va_start(args, fmt);
    (void)vfprintf(file, fmt, args);
    va_end(args);
    (void)fclose(file);
    return chmod(path, mode) == 0;
}

static bool run_and_wait(const char *const *argv)
{
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        (void)execv(argv[0], (char *const *)argv);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool make_key(const struct sshd *sshd, const char *name)
{
    char path[256];

    (void)snprintf(path, sizeof path, "%s/%s", sshd->folder, name);
    return run_and_wait(
        (const char *const[]){"/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path, NULL});
}

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    int port = 0;

    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        port = ntohs(address.sin_port);
    (void)close(fd);
    return port;
}

/* What nvidia-smi prints on each machine. */
struct gpus {
    const char *model, *link;
};
static const struct gpus gpus_of[] = {
    [SSHD_NVLINK] = {"NVIDIA A100-SXM4-80GB", "NV12"}, [SSHD_PCIE] = {"NVIDIA A100-SXM4-80GB", "SYS"},
    [SSHD_H100] = {"NVIDIA H100 80GB HBM3", "NV18"},   [SSHD_HALF] = {"NVIDIA A100-SXM4-80GB", "NV12"},
    [SSHD_NOISY] = {"NVIDIA A100-SXM4-80GB", "NV12"},  [SSHD_NO_TOOL] = {"", ""},
};

static bool put_tool(const struct sshd *sshd, enum sshd_machine machine)
{
    const struct gpus *gpus = &gpus_of[machine];
    const char *on = machine == SSHD_NOISY ? "\033[4m" : "";
    const char *off = machine == SSHD_NOISY ? "\033[0m" : "";
    const char *fails = machine == SSHD_NOISY ? "echo oops; exit 9; " : "";

    if (machine == SSHD_NO_TOOL)
        return true;
    return put_file(
        sshd, "bin/nvidia-smi", 0755,
        "#!/bin/sh\n"
        "case \"$*\" in\n"
        "\"topo -m\")\n"
        "  printf '\\t%sGPU0\\tGPU1\\tCPU Affinity\\tNUMA Affinity\\tGPU NUMA ID%s\\n'\n"
        "  printf 'GPU0\\t X \\t%s\\t0-31\\t0\\t\\tN/A\\n'\n"
        "  %s\n"
        "  printf 'GPU1\\t%s\\t X \\t0-31\\t0\\t\\tN/A\\n\\nLegend:\\n\\n  X    = Self\\n'\n"
        "  printf '  SYS  = Connection traversing PCIe as well as the SMP interconnect between NUMA nodes\\n'\n"
        "  printf '  NV#  = Connection traversing a bonded set of # NVLinks\\n' ;;\n"
        "-L) %sfor i in 0 1; do echo \"GPU $i: %s (UUID: GPU-1111111$i-1111-1111-1111-111111111111)\"; done ;;\n"
        "--query*) echo 'index, name, uuid, driver_version, memory.total [MiB], mig.mode.current'\n"
        "  for i in 0 1; do echo \"$i, %s, GPU-$i, 580.95.05, 81920 MiB, Disabled\"; done ;;\n"
        "\"topo -p2p n\") %sprintf ' \\tGPU0\\tGPU1\\nGPU0\\tX\\tOK\\nGPU1\\tOK\\tX\\n\\nLegend:\\n\\n  X    = Self\\n "
        " OK   = Status Ok\\n' ;;\n"
        "esac\n",
        on, off, gpus->link, machine == SSHD_HALF ? "sleep 600" : "", gpus->link, fails, gpus->model, gpus->model,
        fails);
}

/*
 * Every session runs this instead of what it asked for: a home and a PATH of the test, and the number of
 * the sshd that serves it, so that a command can lose its connection.
 */
static bool put_session(const struct sshd *sshd, enum sshd_machine machine)
{
    const char *noise =
        machine == SSHD_NOISY
            ? "printf '\\033[1;32mWelcome to the machine\\033[0m\\r\\n\\tGPU0\\tGPU1\\n'; echo 'a warning' >&2\n"
            : "";

    return put_file(sshd, "session", 0755,
                    "#!/bin/sh\n"
                    "p=$PPID\n"
                    "while [ -r /proc/$p/comm ] && ! grep -q '^sshd' /proc/$p/comm; do\n"
                    "  p=$(sed 's/^.*) . \\([0-9]*\\) .*$/\\1/' /proc/$p/stat)\n"
                    "done\n"
                    "SSHD_PID=$p HOME='%s/home' PATH='%s/bin':/usr/bin:/bin\n"
                    "export SSHD_PID HOME PATH\n"
                    "cd \"$HOME\" || exit 1\n"
                    "case $SSH_ORIGINAL_COMMAND in *sftp-server*|internal-sftp)\n"
                    "  for s in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server "
                    "/usr/lib/ssh/sftp-server /usr/libexec/sftp-server; do\n"
                    "    [ -x $s ] && exec $s\n"
                    "  done; exit 1;; esac\n"
                    "%s"
                    "exec /bin/sh -c \"$SSH_ORIGINAL_COMMAND\"\n",
                    sshd->folder, sshd->folder, noise);
}

static bool put_config(const struct sshd *sshd, enum sshd_machine machine, bool locked)
{
    return put_file(sshd, "config", 0600,
                    "Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nPidFile none\n"
                    "AuthorizedKeysFile %s/%s\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
                    "KbdInteractiveAuthentication no\nPermitRootLogin yes\nPrintMotd yes\nMaxStartups 100\n"
                    "Subsystem sftp internal-sftp\nForceCommand %s/session\n%s%s%s",
                    sshd->port, sshd->folder, sshd->folder, locked ? "nobody" : "user.pub", sshd->folder,
                    machine == SSHD_NOISY ? "Banner " : "", machine == SSHD_NOISY ? sshd->folder : "",
                    machine == SSHD_NOISY ? "/banner\n" : "");
}

bool sshd_prepare(struct sshd *sshd, enum sshd_machine machine, bool locked)
{
    char path[256];

    memset(sshd, 0, sizeof *sshd);
    (void)snprintf(sshd->folder, sizeof sshd->folder, "/tmp/podsku-sshd-XXXXXX");
    if (!mkdtemp(sshd->folder) || chmod(sshd->folder, 0755) != 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", sshd->folder, i ? "home" : "bin");
        if (mkdir(path, 0755) != 0)
            return false;
    }
    if (geteuid() == 0 && mkdir(PRIVSEP, 0755) == 0)
        made_privsep = true;
    sshd->port = free_port();
    return make_key(sshd, "host") && make_key(sshd, "user") && put_tool(sshd, machine) && put_session(sshd, machine) &&
           put_file(sshd, "nobody", 0644, "# no key\n") &&
           put_file(sshd, "banner", 0644, "*** AUTHORISED USE ONLY ***\nGPU0 X NV12\n") &&
           put_config(sshd, machine, locked);
}

static bool answers(int port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool connected = connect(fd, (struct sockaddr *)&address, sizeof address) == 0;

    (void)close(fd);
    return connected;
}

bool sshd_run(struct sshd *sshd)
{
    char config[256], log[256];
    int64_t end = podsku_clock_mono_ms(podsku_clock_system()) + START_MS;

    (void)snprintf(config, sizeof config, "%s/config", sshd->folder);
    (void)snprintf(log, sizeof log, "%s/log", sshd->folder);
    sshd->pid = fork();
    if (sshd->pid == 0) {
        const char *const argv[] = {SSHD, "-D", "-E", log, "-f", config, NULL};
        (void)setpgid(0, 0);
        (void)execv(SSHD, (char *const *)argv);
        _exit(127);
    }
    while (sshd->pid > 0 && podsku_clock_mono_ms(podsku_clock_system()) < end) {
        if (answers(sshd->port))
            return true;
        podsku_clock_sleep_ms(podsku_clock_system(), 20);
    }
    (void)fprintf(stderr, "sshd does not start: see %s\n", log);
    return false;
}

void sshd_stop(struct sshd *sshd)
{
    if (sshd->pid > 0) {
        (void)kill(-sshd->pid, SIGTERM); /* with what its sessions run */
        (void)waitpid(sshd->pid, NULL, 0);
    }
    sshd->pid = 0;
    if (sshd->folder[0])
        program_remove_tree(sshd->folder);
    if (made_privsep)
        (void)rmdir(PRIVSEP);
    made_privsep = false;
}

const char *sshd_key(const struct sshd *sshd, char *text, unsigned long size)
{
    (void)snprintf(text, size, "%s/user", sshd->folder);
    return text;
}
