# Examples are compiled by users with mpicc, not by this build; they only travel with it.
EXTRA_DIST += examples/hello_sessions.c examples/hello_world.c examples/sessions_stress.c
