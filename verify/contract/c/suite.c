#define _POSIX_C_SOURCE 200809L
#include "suite.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORDS = 64, MAX_LINE = 1024, MAX_FILES = 64 };

static void *grow(void *array, int count, size_t size)
{
    void *grown = realloc(array, (size_t)(count + 1) * size);

    if (grown == NULL)
        abort();
    memset((char *)grown + (size_t)count * size, 0, size);
    return grown;
}

static int split(char *line, char **words)
{
    int count = 0;
    char *word;

    for (word = strtok(line, " \t\r\n"); word != NULL && word[0] != '#' && count < MAX_WORDS; word = strtok(NULL, " \t\r\n"))
        words[count++] = word;
    return count;
}

static void add_step(struct script *script, int line, char **words, int count)
{
    struct step *step;
    int i;

    script->steps = grow(script->steps, script->step_count, sizeof *script->steps);
    step = &script->steps[script->step_count++];
    step->line = line;
    step->expect = "ok";
    step->words = calloc((size_t)count + 1, sizeof *step->words);
    if (step->words == NULL)
        abort();
    for (i = 0; i < count; i++) {
        if (strcmp(words[i], "->") == 0 && i + 2 == count) {
            step->expect = strdup(words[i + 1]);
            break;
        }
        step->words[step->count++] = strdup(words[i]);
    }
}

static int read_file(struct suite *suite, const char *path, char *error, size_t capacity)
{
    char text[MAX_LINE];
    char *words[MAX_WORDS];
    struct script *script = NULL;
    int line = 0;
    FILE *file = fopen(path, "r");

    if (file == NULL) {
        snprintf(error, capacity, "%s: %s", path, strerror(errno));
        return -1;
    }
    while (fgets(text, sizeof text, file) != NULL) {
        int count = split(text, words);

        line++;
        if (count == 0)
            continue;
        if (strcmp(words[0], "const") == 0 && count == 3) {
            suite->constants = grow(suite->constants, suite->constant_count, sizeof *suite->constants);
            suite->constants[suite->constant_count].name = strdup(words[1]);
            suite->constants[suite->constant_count++].value = strtoll(words[2], NULL, 0);
        } else if (strcmp(words[0], "case") == 0 && count == 2) {
            suite->scripts = grow(suite->scripts, suite->script_count, sizeof *suite->scripts);
            script = &suite->scripts[suite->script_count++];
            script->file = strrchr(path, '/') + 1;
            script->file = strdup(script->file);
            script->name = strdup(words[1]);
        } else if (script != NULL && strcmp(words[0], "needs") == 0 && count == 2 && script->need_count < MAX_NEEDS) {
            script->needs[script->need_count++] = strdup(words[1]);
        } else if (script != NULL && strcmp(words[0], "case") != 0 && strcmp(words[0], "needs") != 0) {
            add_step(script, line, words, count);
        } else {
            snprintf(error, capacity, "%s:%d: this line belongs to no case", path, line);
            fclose(file);
            return -1;
        }
    }
    fclose(file);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int suite_load(struct suite *suite, const char *folder, char *error, size_t capacity)
{
    char *paths[MAX_FILES];
    int count = 0, i, code = 0;
    struct dirent *entry;
    DIR *dir = opendir(folder);

    memset(suite, 0, sizeof *suite);
    if (dir == NULL) {
        snprintf(error, capacity, "%s: %s", folder, strerror(errno));
        return -1;
    }
    while ((entry = readdir(dir)) != NULL && count < MAX_FILES) {
        size_t length = strlen(entry->d_name), size = strlen(folder) + length + 2;

        if (length < 5 || strcmp(entry->d_name + length - 4, ".txt") != 0)
            continue;
        paths[count] = malloc(size);
        if (paths[count] == NULL)
            abort();
        snprintf(paths[count++], size, "%s/%s", folder, entry->d_name);
    }
    closedir(dir);
    qsort(paths, (size_t)count, sizeof *paths, by_name);
    for (i = 0; i < count; i++) {
        if (code == 0)
            code = read_file(suite, paths[i], error, capacity);
        free(paths[i]);
    }
    if (code == 0 && suite->script_count == 0) {
        snprintf(error, capacity, "%s: no case found", folder);
        code = -1;
    }
    return code;
}

int suite_number(const struct suite *suite, const char *word, long long *out)
{
    char *end = NULL;
    int i;

    for (i = 0; i < suite->constant_count; i++) {
        if (strcmp(suite->constants[i].name, word) == 0) {
            *out = suite->constants[i].value;
            return 1;
        }
    }
    *out = strtoll(word, &end, 0);
    return end != word && *end == '\0';
}
