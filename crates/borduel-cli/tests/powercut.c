/* A disk that loses what was not synced. Loaded before the server (LD_PRELOAD), it copies every file below BORDUEL_DISK to
   BORDUEL_SHADOW when it is synced, before the sync returns, and forgets there what was deleted when the directory is synced: the
   shadow is what a power cut at any moment leaves in the worst case.

   With BORDUEL_SYNC_MS every sync takes so many milliseconds longer; while there is a file BORDUEL_SYNC_BROKEN, none succeeds; while
   there is a file BORDUEL_READ_ONLY, nothing below BORDUEL_DISK is written, as on a disk that the system has mounted anew to be read. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* What is no longer on the disk goes from the shadow. */
static void forget(const char *disk, const char *shadow) {
    char path[4200];
    DIR *all = opendir(shadow);
    for (struct dirent *one; all && (one = readdir(all));) {
        snprintf(path, sizeof path, "%s/%s", disk, one->d_name);
        if (one->d_name[0] == '.' || access(path, F_OK) == 0) continue;
        snprintf(path, sizeof path, "%s/%s", shadow, one->d_name);
        unlink(path);
    }
    if (all) closedir(all);
}

static void keep(int fd) {
    const char *disk = getenv("BORDUEL_DISK"), *shadow = getenv("BORDUEL_SHADOW");
    char link[64], path[4096], draft[8400], kept[8300], block[65536];
    if (!disk || !shadow) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0) return;
    path[length] = 0;
    size_t below = strlen(disk);
    if (strcmp(path, disk) == 0) {
        pthread_mutex_lock(&lock);
        forget(disk, shadow);
        pthread_mutex_unlock(&lock);
        return;
    }
    if (strncmp(path, disk, below) != 0 || path[below] != '/' || strchr(path + below + 1, '/')) return;
    snprintf(kept, sizeof kept, "%s%s", shadow, path + below);
    snprintf(draft, sizeof draft, "%s.draft", kept);
    pthread_mutex_lock(&lock);
    int from = open(path, O_RDONLY), to = open(draft, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ssize_t got = -1;
    while (from >= 0 && to >= 0 && (got = read(from, block, sizeof block)) > 0)
        if (write(to, block, got) != got) abort();
    close(from);
    close(to);
    if (got == 0) rename(draft, kept);
    pthread_mutex_unlock(&lock);
}

static int synced(const char *name, int fd) {
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
    const char *longer = getenv("BORDUEL_SYNC_MS"), *broken = getenv("BORDUEL_SYNC_BROKEN");
    if (longer) usleep(1000 * atoi(longer));
    if (broken && access(broken, F_OK) == 0) {
        errno = EIO;
        return -1;
    }
    int code = real(fd);
    if (code == 0) keep(fd);
    return code;
}

int fsync(int fd) { return synced("fsync", fd); }
int fdatasync(int fd) { return synced("fdatasync", fd); }

/* Whether nothing may be written to this file just now. */
static int refused(int fd) {
    const char *disk = getenv("BORDUEL_DISK"), *only = getenv("BORDUEL_READ_ONLY");
    char link[64], path[4096];
    if (!disk || !only || access(only, F_OK) != 0) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || strncmp(path, disk, strlen(disk)) != 0) return 0;
    errno = EROFS;
    return 1;
}

ssize_t write(int fd, const void *bytes, size_t count) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    return refused(fd) ? -1 : real(fd, bytes, count);
}

static ssize_t written(const char *name, int fd, const void *bytes, size_t count, off_t at) {
    ssize_t (*real)(int, const void *, size_t, off_t) = (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, name);
    return refused(fd) ? -1 : real(fd, bytes, count, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t count, off_t at) { return written("pwrite", fd, bytes, count, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t count, off_t at) { return written("pwrite64", fd, bytes, count, at); }
