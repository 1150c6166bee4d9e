#!/usr/bin/env python3
"""mpi.h compiles by itself as C and C++ without a warning, and its values are those of the ABI (abi.txt).

header.py [folder of mpi.h]        default: $BUILD/src/include
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-O2"]

USE = """
#include <mpi.h>
int use(int n, MPI_Request *r, const char *s);
int use(int n, MPI_Request *r, const char *s)
{
    int err = MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    err |= MPI_Recv(r, n, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    err |= MPI_Bcast_c(r, (MPI_Count) n, MPI_FLOAT_INT, 0, MPI_COMM_SELF);
    err |= MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &n, MPI_BOTTOM);
    return err | MPI_Info_set(MPI_INFO_NULL, s, s) | PMPI_Comm_rank(MPI_COMM_WORLD, &n);
}
"""

VALUES = """
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
static int bad;
static void check(const char *name, long long value, long long expected)
{
    if (value != expected) {
        printf("%s is %lld (0x%llx), expected %lld\\n", name, value, (unsigned long long) value, expected);
        bad = 1;
    }
}
int main(void)
{
"""

LAYOUT = """
    check("sizeof(MPI_Status)", sizeof(MPI_Status), 20);
    check("offset of count_lo", offsetof(MPI_Status, count_lo), 0);
    check("offset of count_hi_and_cancelled", offsetof(MPI_Status, count_hi_and_cancelled), 4);
    check("offset of MPI_SOURCE", offsetof(MPI_Status, MPI_SOURCE), 8);
    check("offset of MPI_TAG", offsetof(MPI_Status, MPI_TAG), 12);
    check("offset of MPI_ERROR", offsetof(MPI_Status, MPI_ERROR), 16);
    check("sizeof(MPI_Comm)", sizeof(MPI_Comm), 4);
    check("sizeof(MPI_Aint)", sizeof(MPI_Aint), sizeof(void *));
    check("sizeof(MPI_Count)", sizeof(MPI_Count), 8);
    check("sizeof(MPI_Offset)", sizeof(MPI_Offset), 8);
    check("sizeof(MPI_Fint)", sizeof(MPI_Fint), 4);
    check("MPI_VERSION", MPI_VERSION, 5);
    return bad;
}
"""


def compile_strictly(include, folder):
    for compilers, name, standards in ((["gcc", "clang"], "use.c", ["c99", "c11", "c17"]),
                                       (["g++", "clang++"], "use.cpp", ["c++98", "c++11", "c++17"])):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(USE)
        for compiler in filter(shutil.which, compilers):
            for standard in standards:
                command = [compiler, f"-std={standard}", *STRICT, "-I", include, "-c", name, "-o", "use.o"]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
                if done.returncode:
                    sys.exit(f"{' '.join(command)}\n{done.stderr}")


def compare_values(include, folder):
    lines = []
    with open(os.path.join(HERE, "abi.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, value = line.split()
                value = f"(int) {value}" if value.startswith("0x") else value
                lines.append(f'    check("{name}", (long long) {name}, {value});\n')
    with open(os.path.join(folder, "values.c"), "w", encoding="utf-8") as file:
        file.write(VALUES + "".join(lines) + LAYOUT)
    compiler = shutil.which("gcc") or shutil.which("cc")
    subprocess.run([compiler, "-w", "-I", include, "values.c", "-o", "values"], cwd=folder, check=True)
    done = subprocess.run([os.path.join(folder, "values")], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stdout)


def main():
    include = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.environ["BUILD"], "src", "include")
    include = os.path.abspath(include)
    with tempfile.TemporaryDirectory() as folder:
        compile_strictly(include, folder)
        compare_values(include, folder)
    print(" No Errors")


main()
