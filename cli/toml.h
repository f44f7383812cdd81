/*
 * As much TOML as runpodctl's config.toml needs: one string of the top level or of [default].
 */
#ifndef PODSKU_CLI_TOML_H
#define PODSKU_CLI_TOML_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Appends the string of this key to out; nothing when the key is absent. Other lines are skipped
 * unread. PODSKU_INPUT when the key's value is no string on one line.
 */
enum podsku_code cli_toml_string(const char *text, const char *path, const char *key, struct podsku_buf *out,
                                 struct podsku_error *err) PODSKU_CHECKED;

#endif
