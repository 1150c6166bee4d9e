/* -configfile: the words of a file as an argument list. See options.h. */
#include "options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Words {
    char **argv;
    int argc, max;
    bool failed; /* out of memory */
} Words;

static void add_word(Words *w, const char *text, size_t len)
{
    if (w->argc + 1 >= w->max) {
        int max = w->max ? w->max * 2 : 32;
        char **grown = realloc(w->argv, (size_t) max * sizeof(*grown));
        if (!grown) {
            w->failed = true;
            return;
        }
        w->argv = grown;
        w->max = max;
    }
    char *word = strndup(text, len);
    w->failed |= word == NULL;
    w->argv[w->argc] = word;
    w->argc += word != NULL;
    w->argv[w->argc] = NULL;
}

/* Take the word at p out of its quotes into buf; returns what follows it, NULL: a quote does not
 * end. */
static const char *take_word(const char *p, char *buf, size_t *len)
{
    bool quoted = false;

    *len = 0;
    for (; *p && (quoted || !strchr(" \t\r\n", *p)); p++) {
        if (*p == '"')
            quoted = !quoted;
        else if (*p == '\\' && (p[1] == '"' || p[1] == '\\'))
            buf[(*len)++] = *++p;
        else
            buf[(*len)++] = *p;
    }
    return quoted ? NULL : p;
}

/* A line with words starts another program. */
static bool add_line(Words *w, const char *line, char *buf)
{
    bool first = true;

    for (const char *p = line + strspn(line, " \t\r\n"); *p && *p != '#';
         p += strspn(p, " \t\r\n")) {
        size_t len;
        p = take_word(p, buf, &len);
        if (!p)
            return false;
        if (first && w->argc > 0)
            add_word(w, ":", 1);
        first = false;
        add_word(w, buf, len);
    }
    return true;
}

char **PM_config_read(const char *path, int *argc, char *error, size_t size)
{
    Words w = { 0 };
    char *line = NULL;
    size_t max = 0;
    bool good = true;
    FILE *file = fopen(path, "re");

    if (!file) {
        snprintf(error, size, "-configfile: expected a file that can be read, came \"%s\": %s",
                 path, strerror(errno));
        return NULL;
    }
    snprintf(error, size, "-configfile: expected a program, came an empty file \"%s\"", path);
    for (int n = 1; good && getline(&line, &max, file) >= 0; n++) {
        char *buf = malloc(strlen(line) + 1);
        good = buf && add_line(&w, line, buf);
        free(buf);
        if (!good)
            snprintf(error, size,
                     "-configfile: expected a closing quote in line %d of \"%s\", came none", n,
                     path);
    }
    if (w.failed)
        snprintf(error, size, "-configfile: out of memory");
    free(line);
    fclose(file);
    *argc = w.argc;
    if (good && !w.failed && w.argc > 0)
        return w.argv;
    PM_config_free(w.argv);
    return NULL;
}

void PM_config_free(char **argv)
{
    for (char **p = argv; p && *p; p++)
        free(*p);
    free(argv);
}
