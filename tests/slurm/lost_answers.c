/* Makes the files below /shared behave like a network file system at its worst: there are no locks, and every second link
   that was made is reported as failed. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static const char SHARED[] = "/shared/";

static int is_shared(int fd) {
    char name[64], path[512];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(name, path, sizeof path - 1);
    return length > 0 && strncmp(path, SHARED, sizeof SHARED - 1) == 0;
}

static int lost(int made, const char *path) {
    static int links;
    if (made == 0 && strncmp(path, SHARED, sizeof SHARED - 1) == 0 && ++links % 2) {
        errno = links % 4 == 1 ? EEXIST : EIO;
        return -1;
    }
    return made;
}

int link(const char *from, const char *to) {
    int (*real)(const char *, const char *) = dlsym(RTLD_NEXT, "link");
    return lost(real(from, to), to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags) {
    int (*real)(int, const char *, int, const char *, int) = dlsym(RTLD_NEXT, "linkat");
    return lost(real(from_fd, from, to_fd, to, flags), to);
}

int flock(int fd, int operation) {
    int (*real)(int, int) = dlsym(RTLD_NEXT, "flock");
    if (is_shared(fd)) {
        errno = ENOLCK;
        return -1;
    }
    return real(fd, operation);
}

/* Both names: the 64-bit one is what programs call that were built for large files. */
int fcntl64(int fd, int command, ...) {
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, "fcntl64");
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    int is_lock = command == F_SETLK || command == F_SETLKW || command == F_GETLK || command == F_OFD_SETLK ||
                  command == F_OFD_SETLKW;
    if (is_lock && is_shared(fd)) {
        errno = ENOLCK;
        return -1;
    }
    return real(fd, command, argument);
}

int fcntl(int fd, int command, ...) __attribute__((alias("fcntl64")));
