/** What the files behind plan/analyse.h share. */
#ifndef ARUS_PLAN_ANALYSE_INTERNAL_H
#define ARUS_PLAN_ANALYSE_INTERNAL_H

#include "plan/analyse.h"
#include "sql/ast.h"

/** One statement while it is read. */
struct arus_analysis {
    struct arus_catalog *catalog;
    struct arus_arena *arena;
    struct arus_warnings *warnings; /* may be NULL */
    struct arus_action *out;
};

/* create.c */
ARUS_MUST_USE enum arus_status arus_analyse_create_table(struct arus_analysis *analysis,
                                                         const struct arus_ast_create *create,
                                                         struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_analyse_create_view(struct arus_analysis *analysis,
                                                        const struct arus_ast_create *create,
                                                        struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_analyse_create_stream(struct arus_analysis *analysis,
                                                          const struct arus_ast_create *create,
                                                          struct arus_error *err);

/* show.c: the result is a query over constant rows */
ARUS_MUST_USE enum arus_status arus_analyse_setting(struct arus_analysis *analysis,
                                                    const struct arus_ast_statement *statement,
                                                    struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_analyse_describe(struct arus_analysis *analysis,
                                                     const struct arus_ast_describe *describe,
                                                     struct arus_error *err);
ARUS_MUST_USE enum arus_status arus_analyse_show(struct arus_analysis *analysis,
                                                 const struct arus_ast_show *show,
                                                 struct arus_error *err);

/** Optimises a resolved plan and makes it runnable. */
ARUS_MUST_USE enum arus_status arus_analyse_batch(struct arus_catalog *catalog,
                                                  struct arus_plan *plan,
                                                  const struct arus_batch_query **out,
                                                  struct arus_error *err);
/** Adds a warning; `err` is filled like an error's and copied. */
ARUS_MUST_USE enum arus_status arus_analyse_warn(struct arus_analysis *analysis,
                                                 const struct arus_error *warning,
                                                 struct arus_error *err);

#endif
