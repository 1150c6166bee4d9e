/* How fast MPI_Pack and MPI_Unpack move data of several shapes, beside what a loop or memcpy does.
 * Portable: any MPI. Prints a line for each shape: GB/s of packed data. One rank. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DOUBLES (1 << 17) /* of packed data: 1 MiB, so that caches do not decide alone */
#define SECONDS 0.1

static double *memory; /* four times as large: shapes with holes fit */
static double *packed;
static double sink;

typedef struct Shape {
    const char *name;
    MPI_Datatype type;
    int count;         /* items */
    int block, stride; /* doubles, of the loop that does the same */
} Shape;

/* GB/s of what `run` moves in one call. */
static double rate(void (*run)(const Shape *), const Shape *s)
{
    long calls = 0;
    double start, now;
    run(s);
    start = MPI_Wtime();
    do {
        for (int i = 0; i < 10; i++)
            run(s);
        calls += 10;
        now = MPI_Wtime();
    } while (now - start < SECONDS);
    return (double) calls * DOUBLES * sizeof(double) / (now - start) * 1e-9;
}

static void pack(const Shape *s)
{
    int position = 0;
    MPI_Pack(memory, s->count, s->type, packed, DOUBLES * (int) sizeof(double), &position,
             MPI_COMM_SELF);
}

static void unpack(const Shape *s)
{
    int position = 0;
    MPI_Unpack(packed, DOUBLES * (int) sizeof(double), &position, memory, s->count, s->type,
               MPI_COMM_SELF);
}

static void by_hand(const Shape *s)
{
    int n = DOUBLES / s->block;
    double *to = packed;
    for (int i = 0; i < n; i++) {
        const double *from = memory + (long) i * s->stride;
        for (int k = 0; k < s->block; k++)
            *to++ = from[k];
    }
    sink += packed[n / 2];
}

static Shape vector(const char *name, int block, int stride)
{
    Shape s = { name, MPI_DATATYPE_NULL, 1, block, stride };
    MPI_Type_vector(DOUBLES / block, block, stride, MPI_DOUBLE, &s.type);
    return s;
}

/* struct { double a; int b; } without its padding, as an array. */
static Shape structs(void)
{
    Shape s = { "struct {double, int, int}, one hole", MPI_DATATYPE_NULL, DOUBLES / 2, 2, 3 };
    MPI_Datatype types[3] = { MPI_DOUBLE, MPI_INT, MPI_INT }, t;
    int lengths[3] = { 1, 1, 1 };
    MPI_Aint disps[3] = { 0, 12, 20 };
    MPI_Type_create_struct(3, lengths, disps, types, &t);
    MPI_Type_create_resized(t, 0, 24, &s.type);
    MPI_Type_free(&t);
    return s;
}

static Shape indexed(void)
{
    static int lengths[DOUBLES / 4], disps[DOUBLES / 4];
    Shape s = { "indexed, blocks of 4", MPI_DATATYPE_NULL, 1, 4, 7 };
    for (int i = 0; i < DOUBLES / 4; i++) {
        lengths[i] = 4;
        disps[i] = 7 * i + i % 3;
    }
    MPI_Type_indexed(DOUBLES / 4, lengths, disps, MPI_DOUBLE, &s.type);
    return s;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    memory = calloc(DOUBLES * 4 + 64, sizeof(double));
    packed = calloc(DOUBLES, sizeof(double));
    Shape shapes[] = {
        { "contiguous", MPI_DOUBLE, DOUBLES, DOUBLES, DOUBLES },
        vector("vector, blocks of 1", 1, 2),
        vector("vector, blocks of 4", 4, 8),
        vector("vector, blocks of 64", 64, 100),
        structs(),
        indexed(),
    };
    printf("# pack: GB/s of packed data (1 MiB)\n# %-36s %8s %8s %8s\n", "shape", "pack", "unpack",
           "loop");
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        MPI_Type_commit(&shapes[i].type);
        printf("  %-36s %8.2f %8.2f %8.2f\n", shapes[i].name, rate(pack, &shapes[i]),
               rate(unpack, &shapes[i]), rate(by_hand, &shapes[i]));
    }
    free(memory);
    free(packed);
    MPI_Finalize();
    return sink == 1.5; /* keeps the loop from being optimised away */
}
