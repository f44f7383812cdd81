/*
 * What the tests of faults from below share: the real program (tests/cli/program.h) with a library
 * preloaded that lets calls fail, and a pod's machine played by scripts.
 */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "tests/cli/fake_cloud.h"
#include "tests/cli/program.h"
#include "tests/support/test.h"

/* A sanitizer's report ends the program with this. */
#define FAULTS_SANITIZER 99

/* Before and after everything else: sanitizers' options for the children, and the file of counts. */
void faults_begin(void);
void faults_end(void);

/* Preloads a library into every program started from now on; NULL: none. */
void faults_preload(const char *library);
/* True if the program is built with a sanitizer, as this is. */
bool faults_sanitized(void);
/* What the preloaded library counted in the latest run; 0: nothing. Forgotten afterwards. */
long faults_logged(void);
void faults_set_number(const char *variable, long number);
/* Why nothing can be preloaded into this build's program; NULL: it can. */
const char *faults_no_preload(void);

/*
 * Writes a folder of scripts to stand first in PATH: an ssh (and scp) that runs its last word here, and
 * an nvidia-smi of two A100 SXM on NVLink. Children's command lines and environments are appended to
 * FOLDER/children.
 */
bool faults_machine(struct program *program);

/* Shows both streams of the latest run, and what is wrong with it. */
void faults_show(struct program *program, const char *what, long n, const char *why);

/* False, and shown, if a sanitizer or a signal ended the program. */
bool faults_sane(struct program *program, const char *what, long n);

/*
 * No pod is lost: after a run that failed, `reconcile --terminate` on the program's own journal ends
 * whatever of ours still lives, and then says that nothing is open. False, and shown, if not.
 */
bool faults_nothing_lost(struct program *program, struct cloud *cloud, const char *what, long n);

#endif
