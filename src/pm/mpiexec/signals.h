/* Signals that mpiexec receives, as bytes in a pipe; and how its children get back what mpiexec was
 * started with. */
#ifndef PM_SIGNALS_H_INCLUDED
#define PM_SIGNALS_H_INCLUDED

#include <signal.h>

/* Catch what is to be forwarded, ignore what would stop or kill us for reading or writing. What was
 * ignored when mpiexec was started (nohup) stays so. Returns the end of the pipe that gives one
 * byte a signal, or -errno. */
int PM_signals_init(void);

/* All signals off around a fork: a child must not run our handlers. Returns the mask to go back to.
 */
sigset_t PM_signals_hold(void);
void PM_signals_release(const sigset_t *mask);

/* In a child: dispositions and mask as mpiexec found them. */
void PM_signals_restore(void);

/* "SIGSEGV", or "signal 77". */
const char *PM_signal_name(int signo);

#endif /* PM_SIGNALS_H_INCLUDED */
