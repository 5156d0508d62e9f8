/* Runs the cases of cases.txt against the header's ferronet_abi_verify: abi_cases FILE.
 * Prints each case that differs; the exit status is 0 when all agree. */
#include <stdlib.h>
#include <string.h>

#include "ferronet.h"

/* The text after " KEY=" (or "KEY=" at the beginning) of the line; ends the program when there is none. */
static const char *text(const char *line, const char *key) {
    size_t length = strlen(key);
    const char *at = line;

    while (at != NULL) {
        if (strncmp(at, key, length) == 0 && at[length] == '=')
            return at + length + 1;
        at = strchr(at, ' ');
        if (at != NULL)
            at++;
    }
    fprintf(stderr, "no %s in: %s", key, line);
    exit(2);
}

static uint64_t number(const char *line, const char *key) {
    return strtoull(text(line, key), NULL, 0);
}

static int32_t status(const char *line) {
    const char *name = text(line, "outcome");

    if (strncmp(name, "FERRONET_OK ", 12) == 0)
        return FERRONET_OK;
    if (strncmp(name, "FERRONET_ERR_ABI ", 17) == 0)
        return FERRONET_ERR_ABI;
    if (strncmp(name, "FERRONET_ERR_FEATURE ", 21) == 0)
        return FERRONET_ERR_FEATURE;
    fprintf(stderr, "unknown outcome in: %s", line);
    exit(2);
}

int main(int argc, char **argv) {
    char line[2048], message[512], cut[8];
    int cases = 0, wrong = 0;
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;

    if (file == NULL) {
        fprintf(stderr, "usage: abi_cases FILE\n");
        return 2;
    }
    while (fgets(line, sizeof line, file) != NULL) {
        ferronet_abi_info info;
        const char *expected;
        uint32_t built_for, minimum;
        uint64_t required, fingerprint;
        int32_t outcome;

        if (line[0] == '#' || line[0] == '\n')
            continue;
        line[strcspn(line, "\n")] = 0;
        memset(&info, 0, sizeof info);
        info.magic = (uint32_t)number(line, "magic");
        info.struct_size = (uint32_t)number(line, "size");
        info.abi_revision = (uint32_t)number(line, "revision");
        info.abi_floor = (uint32_t)number(line, "floor");
        info.features_built = number(line, "features");
        info.layout_fingerprint = number(line, "fingerprint");
        built_for = (uint32_t)number(line, "built_for");
        minimum = (uint32_t)number(line, "minimum");
        required = number(line, "required");
        fingerprint = number(line, "expected");
        expected = text(line, "message");
        outcome = ferronet_abi_verify(&info, "FILE", built_for, minimum, required, fingerprint, message, sizeof message);
        cases++;
        if (outcome != status(line) || strcmp(message, expected) != 0) {
            printf("%.60s...: %d %s\n", line, (int)outcome, message);
            wrong++;
        }
        /* Too little room cuts the text, and no room is no text. */
        if (ferronet_abi_verify(&info, "FILE", built_for, minimum, required, fingerprint, cut, sizeof cut) != outcome ||
            strncmp(cut, expected, sizeof cut - 1) != 0 || strlen(cut) >= sizeof cut ||
            ferronet_abi_verify(&info, "FILE", built_for, minimum, required, fingerprint, NULL, 0) != outcome) {
            printf("%.60s...: differs with a short message\n", line);
            wrong++;
        }
    }
    fclose(file);
    printf("%d cases, %d wrong\n", cases, wrong);
    return cases > 0 && wrong == 0 ? 0 : 1;
}
