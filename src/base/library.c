/** dlopen and dlsym, and what they say in our words. */
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static enum arus_status fail(const struct arus_library *library, const char *reason,
                             struct arus_error *err)
{
    arus_ignore(arus_fail(err, ARUS_BAD_CONFIG, "ARUS_LIBRARY_MISSING",
                          "%s needs %s, which cannot be loaded: %s", library->purpose,
                          library->file, reason));
    return arus_error_help(err, "apt install %s", library->package);
}

static enum arus_status fill(const struct arus_library *library, void *handle,
                             struct arus_error *err)
{
    for (const struct arus_library_symbol *symbol = library->symbols; symbol->name != NULL;
         symbol++) {
        void *address = dlsym(handle, symbol->name);

        if (address == NULL) {
            return fail(library, dlerror(), err);
        }
        memcpy((char *)library->table + symbol->offset, &address, sizeof address);
    }
    return ARUS_OK;
}

enum arus_status arus_library_load(struct arus_library *library, struct arus_error *err)
{
    enum arus_status status = ARUS_OK;

    if (__atomic_load_n(&library->is_loaded, __ATOMIC_ACQUIRE)) {
        return ARUS_OK;
    }
    (void)pthread_mutex_lock(&mutex);
    if (!library->is_loaded) {
        void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);

        status = handle == NULL ? fail(library, dlerror(), err) : fill(library, handle, err);
        if (status == ARUS_OK) {
            __atomic_store_n(&library->is_loaded, 1, __ATOMIC_RELEASE);
        } else if (handle != NULL) {
            (void)dlclose(handle);
        }
    }
    (void)pthread_mutex_unlock(&mutex);
    return status;
}
