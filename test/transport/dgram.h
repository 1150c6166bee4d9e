/* How often each function of the example transport was called, for the test that looks. */
#ifndef DGRAM_H_INCLUDED
#define DGRAM_H_INCLUDED

typedef struct Dgram_counts {
    unsigned init, suspend, resume, shutdown, connect;
    unsigned long send, deliver;
} Dgram_counts;

/* Exported by the transport's shared object. Lives with the process. */
extern __attribute__((visibility("default"))) Dgram_counts dgram_counts;

#endif /* DGRAM_H_INCLUDED */
