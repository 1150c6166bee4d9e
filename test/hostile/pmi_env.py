#!/usr/bin/env python3
"""Wrong variables of a launcher: the program says which one, what came and what was expected, and does not run as one of many
singletons."""
import socket

from hostile import Server, build, check, check_refused, clean_environment, done, finish, run

VICTIM = build("victim")

# Variables beside a good PMI_FD, and words that the message must have.
WRONG = [
    ({"PMI_RANK": "abc"}, ["PMI_RANK", '"abc"', "0 to PMI_SIZE - 1"]),
    ({"PMI_RANK": ""}, ["PMI_RANK", '""']),
    ({"PMI_RANK": "-1"}, ["PMI_RANK", '"-1"']),
    ({"PMI_RANK": "1"}, ["PMI_RANK", '"1"', "0 to PMI_SIZE - 1"]),
    ({"PMI_RANK": "7", "PMI_SIZE": "7"}, ["PMI_RANK", '"7"']),
    ({"PMI_RANK": "99999999999999999999"}, ["PMI_RANK", '"99999999999999999999"']),
    ({"PMI_RANK": "0x0"}, ["PMI_RANK", '"0x0"']),
    ({"PMI_RANK": " 0"}, ["PMI_RANK", '" 0"']),
    ({"PMI_RANK": "0\n"}, ["PMI_RANK"]),
    ({"PMI_RANK": None}, ["PMI_RANK", "not set"]),
    ({"PMI_SIZE": "0"}, ["PMI_SIZE", '"0"', "at least 1"]),
    ({"PMI_SIZE": "-4"}, ["PMI_SIZE", '"-4"']),
    ({"PMI_SIZE": "many"}, ["PMI_SIZE", '"many"']),
    ({"PMI_SIZE": "2147483648"}, ["PMI_SIZE", '"2147483648"']),
    ({"PMI_SIZE": None}, ["PMI_SIZE", "not set"]),
    ({"PMI_SIZE": "x" * 5000}, ["PMI_SIZE", "xxx"]),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": "3"}, ["MPI_LOCALNRANKS", '"3"', "1 to PMI_SIZE"]),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": "two"}, ["MPI_LOCALNRANKS", '"two"']),
    ({"PMI_SIZE": "2", "MPI_LOCALRANKID": "2", "MPI_LOCALNRANKS": "2"}, ["MPI_LOCALRANKID", '"2"', "MPI_LOCALNRANKS - 1"]),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": None}, ["MPI_LOCALNRANKS", "not set"]),
    ({"PMI_FD": "three"}, ["PMI_FD", '"three"', "number of a socket"]),
    ({"PMI_FD": ""}, ["PMI_FD", '""']),
    ({"PMI_FD": "-1"}, ["PMI_FD", '"-1"']),
    ({"PMI_FD": "987"}, ["PMI_FD", '"987"', "open in this process"]),
    ({"PMI_FD": "0"}, ["PMI_FD", '"0"', "socket"]),  # /dev/null
    ({"PMI_FD": None}, ["PMI_RANK", '"0"', "PMI_FD"]),
    ({"PMI_FD": None, "PMI_PORT": "no-colon"}, ["PMI_PORT", '"no-colon"', "host:port"]),
    ({"PMI_FD": None, "PMI_PORT": ":80"}, ["PMI_PORT", '":80"', "host:port"]),
    ({"PMI_FD": None, "PMI_PORT": "localhost:"}, ["PMI_PORT", '"localhost:"', "host:port"]),
    ({"PMI_FD": None, "PMI_PORT": "localhost:0"}, ["PMI_PORT", "host:port"]),
    ({"PMI_FD": None, "PMI_PORT": "localhost:65536"}, ["PMI_PORT", "host:port"]),
    ({"PMI_FD": None, "PMI_PORT": "no-such-host.invalid:1"}, ["PMI_PORT", "no-such-host.invalid"]),
    ({"PMI_FD": None, "PMI_PORT": "127.0.0.1:1"}, ["PMI_PORT", "127.0.0.1", "refused"]),
    ({"PERENNIAL_PSETS": "ocean"}, ["PERENNIAL_PSETS", '"ocean"']),
    ({"PERENNIAL_PSETS": "ocean=0-1"}, ["PERENNIAL_PSETS", "ocean=0-1"]),
    ({"PMI_VERSION": "3"}, ["PMI_VERSION", '"3"']),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2", "PERENNIAL_NODEDIR_FD": "x"}, ["PERENNIAL_NODEDIR_FD", '"x"']),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2", "PERENNIAL_NODEDIR_FD": "987"}, ["PERENNIAL_NODEDIR_FD", "987", "not open"]),
    ({"PMI_SIZE": "2", "MPI_LOCALNRANKS": "2", "PERENNIAL_NODEDIR_FD": "0"}, ["PERENNIAL_NODEDIR_FD", "no shared memory"]),
]


def wrong_variables():
    for variables, words in WRONG:
        label = " ".join(f"{k}={v}"[:60] for k, v in variables.items())
        more = {"PMI_ID": "0"} if "PMI_PORT" in variables else {}
        result = finish(Server().start([VICTIM], 0, **variables, **more), 15, label)
        check_refused(result, label, *words)
        check("No Errors" not in result.out, f"{label}: ran: {result}")
        check("perennial" in result.err and result.err.count("\n") <= 4, f"{label}: too many words: {result}")


def half_a_launcher():
    """Variables that say "one of several" without a way to the launcher; none of them may become a singleton."""
    for variables in {"PMI_RANK": "1"}, {"PMI_SIZE": "2"}, {"PMI_ID": "0"}, {"PMIX_RANK": "0"}, {"PMIX_NAMESPACE": "x"}:
        name, value = next(iter(variables.items()))
        result = run(VICTIM, env=clean_environment(**variables), label=name)
        check_refused(result, name, name, value)
    result = run(VICTIM, env=clean_environment(PMI_PORT="localhost:1"), label="no PMI_ID")
    check_refused(result, "no PMI_ID", "PMI_ID", "not set")


def port_that_never_answers():
    """Connects, and nobody speaks."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        env = clean_environment(PMI_PORT=f"127.0.0.1:{server.getsockname()[1]}", PMI_ID="0", MPIR_CVAR_PMI_TIMEOUT="1")
        result = run(VICTIM, env=env, label="silent port")
        check_refused(result, "silent port", "launcher", "MPIR_CVAR_PMI_TIMEOUT")


def closed_socket():
    """A descriptor that is a socket, but the launcher has gone."""
    here, there = socket.socketpair()
    here.close()
    env = clean_environment(PMI_FD=str(there.fileno()), PMI_RANK="0", PMI_SIZE="1")
    result = run(VICTIM, env=env, label="closed socket", pass_fds=[there.fileno()])
    check_refused(result, "closed socket", "launcher", "closed")


def singleton_still_works():
    result = run(VICTIM)
    check(result.code == 0 and " No Errors" in result.out and not result.err, f"singleton: {result}")


wrong_variables()
half_a_launcher()
port_that_never_answers()
closed_socket()
singleton_still_works()
done()
