#include "http_request.h"

#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

/* Whether the `length` bytes at `text` are `word` (in lower case), whatever their own case. */
static int same(const char *text, size_t length, const char *word)
{
    size_t i;

    if (strlen(word) != length)
        return 0;
    for (i = 0; i < length; i++)
        if (lower(text[i]) != word[i])
            return 0;
    return 1;
}

/* Whether a comma-separated list holds `word`. */
static int list_has(const char *text, size_t length, const char *word)
{
    size_t start = 0, end;

    while (start < length) {
        size_t first = start, last;

        for (end = start; end < length && text[end] != ','; end++)
            ;
        for (last = end; first < last && (text[first] == ' ' || text[first] == '\t'); first++)
            ;
        while (last > first && (text[last - 1] == ' ' || text[last - 1] == '\t'))
            last--;
        if (same(text + first, last - first, word))
            return 1;
        start = end + 1;
    }
    return 0;
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int is_token(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* A line ends with CR LF. Returns its length without them, or -1 when it is incomplete, -2 when it holds a bare CR, LF
 * or another control character. */
static long line_length(const char *text, size_t length)
{
    size_t i;

    for (i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];

        if (c == '\r') {
            if (i + 1 == length)
                return -1;
            return text[i + 1] == '\n' ? (long)i : -2;
        }
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return -2;
    }
    return -1;
}

static int parse_request_line(const char *line, size_t length, struct request *out)
{
    size_t method = 0, target, version;

    while (method < length && is_token(line[method]))
        method++;
    if (method == 0 || method == length || line[method] != ' ')
        return 400;
    target = method + 1;
    version = target;
    while (version < length && line[version] > ' ')
        version++;
    if (version == target || version == length || line[version] != ' ')
        return 400;
    out->target = line + target;
    out->target_length = version - target;
    version++;
    if (length - version != 8 || memcmp(line + version, "HTTP/", 5) != 0 || !is_digit(line[version + 5]) ||
        line[version + 6] != '.' || !is_digit(line[version + 7]))
        return 400;
    if (line[version + 5] != '1')
        return 505;
    out->keep_alive = line[version + 7] != '0';
    out->head = method == 4 && memcmp(line, "HEAD", 4) == 0;
    if (!out->head && !(method == 3 && memcmp(line, "GET", 3) == 0))
        return 405;
    return 200;
}

int request_parse(const char *text, size_t length, struct request *out)
{
    size_t at = 0;
    int code = 0, hosts = 0, host_needed = 0;

    memset(out, 0, sizeof *out);
    for (;;) {
        const char *line = text + at;
        long size = line_length(line, length - at);
        size_t name = 0, value, end;

        if (size == -1)
            return 0;
        if (size < 0)
            return 400;
        at += (size_t)size + 2;
        if (size == 0 && code == 0)
            continue; /* empty lines before a request are ignored */
        if (size == 0)
            break;
        if (code == 0) {
            code = parse_request_line(line, (size_t)size, out);
            if (code == 400 || code == 505)
                return code;
            host_needed = out->keep_alive;
            continue;
        }
        end = (size_t)size;
        while (name < end && is_token(line[name]))
            name++;
        if (name == 0 || name == end || line[name] != ':')
            return 400;
        for (value = name + 1; value < end && (line[value] == ' ' || line[value] == '\t'); value++)
            ;
        while (end > value && (line[end - 1] == ' ' || line[end - 1] == '\t'))
            end--;
        if (same(line, name, "host"))
            hosts++;
        else if (same(line, name, "connection") && list_has(line + value, end - value, "close"))
            out->keep_alive = 0;
        else if (same(line, name, "transfer-encoding"))
            return 501;
        else if (same(line, name, "content-length") && !same(line + value, end - value, "0"))
            return 413;
    }
    out->length = at;
    return hosts > 1 || hosts < host_needed ? 400 : code;
}
