/* A library that is something else altogether. */
int unrelated(void);
int unrelated(void) {
    return 1;
}
