/* MPI_Pack and MPI_Unpack, in GB/s of packed data, by the number of bytes.
 *
 * contiguous   doubles in a row
 * vector       every second double
 * blocks       64 bytes out of 128
 * indexed      blocks of 1 to 4 doubles at uneven places
 * struct       { int; double; char[3] } in a row
 */
#include <stddef.h>

#include "bench.h"

#define LARGEST (1 << 20)
#define EXTENT (4 * LARGEST) /* enough room for any of them */

typedef struct {
    int number;
    double value;
    char text[3];
} Record;

typedef struct {
    MPI_Datatype type;
    char *memory, *packed;
    int size;
} Work;

static MPI_Datatype make_vector(int bytes)
{
    MPI_Datatype type;

    MPI_Type_vector(bytes / 8, 1, 2, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype make_contiguous(int bytes)
{
    MPI_Datatype type;

    MPI_Type_contiguous(bytes / 8, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype make_blocks(int bytes)
{
    MPI_Datatype type;

    MPI_Type_vector(bytes / 64, 8, 16, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype make_indexed(int bytes)
{
    MPI_Datatype type;
    int left = bytes / 8, n = 0, at = 0;
    int *lengths = bench_buffer((size_t) left * sizeof(int)),
        *places = bench_buffer((size_t) left * sizeof(int));

    for (; left > 0; n++) {
        lengths[n] = n % 4 + 1 < left ? n % 4 + 1 : left;
        places[n] = at;
        at += lengths[n] + 1 + n % 3;
        left -= lengths[n];
    }
    MPI_Type_indexed(n, lengths, places, MPI_DOUBLE, &type);
    free(lengths);
    free(places);
    return type;
}

static MPI_Datatype make_struct(int bytes)
{
    MPI_Datatype record, sized, type;
    int lengths[] = { 1, 1, 3 };
    MPI_Aint places[] = { offsetof(Record, number), offsetof(Record, value),
                          offsetof(Record, text) };
    MPI_Datatype types[] = { MPI_INT, MPI_DOUBLE, MPI_CHAR };

    MPI_Type_create_struct(3, lengths, places, types, &record);
    MPI_Type_create_resized(record, 0, sizeof(Record), &sized);
    MPI_Type_contiguous(bytes / 15, sized, &type);
    MPI_Type_free(&record);
    MPI_Type_free(&sized);
    return type;
}

static void pack(long n, void *arg)
{
    Work *w = arg;

    for (long i = 0; i < n; i++) {
        int at = 0;
        MPI_Pack(w->memory, 1, w->type, w->packed, LARGEST, &at, MPI_COMM_WORLD);
        bench_need(at == w->size, "MPI_Pack made another number of bytes than MPI_Type_size says");
    }
}

static void unpack(long n, void *arg)
{
    Work *w = arg;

    for (long i = 0; i < n; i++) {
        int at = 0;
        MPI_Unpack(w->packed, w->size, &at, w->memory, 1, w->type, MPI_COMM_WORLD);
    }
}

/* What was packed, unpacked into cleared memory and packed again, is the same, and it is not
 * nothing. */
static void check(Work *w)
{
    char *first = bench_buffer((size_t) w->size);

    bench_fill(w->memory, EXTENT, 0);
    pack(1, w);
    memcpy(first, w->packed, (size_t) w->size);
    bench_check(first, 4, 0);
    memset(w->memory, 0, EXTENT);
    unpack(1, w);
    pack(1, w);
    bench_need(memcmp(first, w->packed, (size_t) w->size) == 0,
               "what was packed and unpacked has changed");
    free(first);
}

/* `bytes` is what was asked for; records of 15 bytes do not fill it quite. */
static void measure(Work *w, const char *name, int bytes)
{
    char series[64];

    MPI_Type_commit(&w->type);
    MPI_Type_size(w->type, &w->size);
    check(w);
    double packing = bench_time(pack, w), unpacking = bench_time(unpack, w);
    snprintf(series, sizeof(series), "pack_%s", name);
    bench_print(series, bytes, w->size / packing / 1e9);
    snprintf(series, sizeof(series), "unpack_%s", name);
    bench_print(series, bytes, w->size / unpacking / 1e9);
    MPI_Type_free(&w->type);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        MPI_Datatype (*make)(int bytes);
    } kinds[] = { { "contiguous", make_contiguous },
                  { "vector", make_vector },
                  { "blocks", make_blocks },
                  { "indexed", make_indexed },
                  { "struct", make_struct } };

    bench_start(&argc, &argv);
    bench_need(bench.size == 1, "run me with 1 rank");
    Work w = { .memory = bench_buffer(EXTENT), .packed = bench_buffer(LARGEST) };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        for (int bytes = 1024; bytes <= LARGEST; bytes *= 32) {
            w.type = kinds[i].make(bytes);
            measure(&w, kinds[i].name, bytes);
        }
    free(w.memory);
    free(w.packed);
    MPI_Finalize();
    return 0;
}
