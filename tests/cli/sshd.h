/*
 * A real sshd on loopback with keys of its own, whose sessions see a home and an nvidia-smi of the
 * test. Several may run, each playing one kind of machine.
 */
#ifndef TESTS_CLI_SSHD_H
#define TESTS_CLI_SSHD_H

#include <stdbool.h>
#include <sys/types.h>

enum sshd_machine {
    SSHD_NVLINK,  /* two A100 SXM on NV12 */
    SSHD_PCIE,    /* two A100 SXM on SYS */
    SSHD_H100,    /* two H100 SXM on NV18 */
    SSHD_HALF,    /* half of a matrix, then nothing for ever */
    SSHD_NOISY,   /* as NVLINK, with a banner, a motd, colours, and failing -L and topo -p2p */
    SSHD_NO_TOOL, /* no nvidia-smi */
};

struct sshd {
    char folder[64]; /* keys, home/, bin/ */
    int port;
    pid_t pid; /* 0: not running */
};

/* Why no sshd can be started here; NULL: one can. */
const char *sshd_missing(void);

/* Prepares keys and scripts and picks a port; locked: no key is let in. False: said on stderr. */
bool sshd_prepare(struct sshd *sshd, enum sshd_machine machine, bool locked);
bool sshd_run(struct sshd *sshd);
void sshd_stop(struct sshd *sshd);

/* The private key that is let in. Returns text. */
const char *sshd_key(const struct sshd *sshd, char *text, unsigned long size);

#endif
