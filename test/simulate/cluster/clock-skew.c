/*
 * A wall clock that is CLOCK_SKEW_SECONDS ahead (behind where negative), for a process that is started with
 * LD_PRELOAD. The monotonic clock, by which a process measures durations, stays as it is: so does a machine's whose
 * time of day is wrong. A wait until a time of day is one of the machine's own clock: without a hook the threads of a
 * process whose clock is behind would never wait at all, and those of one that is ahead too long.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

typedef int (*read_clock)(clockid_t, struct timespec *);

static long skew(void) {
  static long seconds;
  static bool is_known;
  if (!is_known) {
    const char *wanted = getenv("CLOCK_SKEW_SECONDS");
    seconds = wanted == NULL ? 0 : atol(wanted);
    is_known = true;
  }
  return seconds;
}

int clock_gettime(clockid_t id, struct timespec *at) {
  static read_clock system_clock;
  if (system_clock == NULL) system_clock = (read_clock)dlsym(RTLD_NEXT, "clock_gettime");
  int failed = system_clock(id, at);
  if (failed == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)) at->tv_sec += skew();
  return failed;
}

int gettimeofday(struct timeval *restrict at, void *restrict zone) {
  struct timespec now;
  (void)zone;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  at->tv_sec = now.tv_sec;
  at->tv_usec = now.tv_nsec / 1000;
  return 0;
}

time_t time(time_t *at) {
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (at != NULL) *at = now.tv_sec;
  return now.tv_sec;
}

int pthread_cond_timedwait(pthread_cond_t *restrict cond, pthread_mutex_t *restrict lock,
                           const struct timespec *restrict until) {
  struct timespec by_system = *until;
  by_system.tv_sec -= skew();
  return pthread_cond_clockwait(cond, lock, CLOCK_REALTIME, &by_system);
}
