/* The case files: names, needs and steps, as verify/contract/README.md describes them. */
#ifndef CONTRACT_SUITE_H
#define CONTRACT_SUITE_H

#include <stddef.h>

enum { MAX_NEEDS = 4 };

struct step {
    int line;
    int count;
    char **words;       /* without the expectation */
    const char *expect; /* what follows "->"; "ok" when nothing does */
};

struct script {
    const char *file;
    char *name;
    int need_count;
    const char *needs[MAX_NEEDS];
    int step_count;
    struct step *steps;
};

struct constant {
    const char *name;
    long long value;
};

struct suite {
    int script_count;
    struct script *scripts;
    int constant_count;
    struct constant *constants;
};

/* Reads every *.txt file of a folder, in the order of their names. Returns 0, or -1 with the reason in `error`. */
int suite_load(struct suite *suite, const char *folder, char *error, size_t capacity);

/* The value of a constant or a number (decimal, 0x, negative). Returns 0 when it is neither. */
int suite_number(const struct suite *suite, const char *word, long long *out);

#endif
