# Sources of src/mpl; paths are from the top of the tree.
libmpl_la_SOURCES += \
    src/mpl/cma.c \
    src/mpl/copy.c \
    src/mpl/cores.c \
    src/mpl/fence.c \
    src/mpl/flush.c \
    src/mpl/hash.c \
    src/mpl/include/mpl.h \
    src/mpl/mpl_os.h \
    src/mpl/proc.c \
    src/mpl/shm.c \
    src/mpl/sleep.c \
    src/mpl/str.c \
    src/mpl/time.c
