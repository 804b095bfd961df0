/**
 * The syntax tree: plain data in one arena, no pointer into a catalog, every node with its place in
 * the text. A zeroed pointer or count means "not written". Texts live in the arena or in the SQL
 * text.
 */
#ifndef ARUS_SQL_AST_H
#define ARUS_SQL_AST_H

#include "sql/ast_query.h"

struct arus_ast_statement;

struct arus_ast_column_def {
    struct arus_ast_name name;
    struct arus_ast_type type; /* text.data NULL: none (view columns) */
    bool is_not_null;
    struct arus_ast_string comment;
    const struct arus_ast_expr *default_value;
    const struct arus_ast_expr *generated;
};

/** All CREATE statements but functions and flows; what a kind cannot have stays zeroed. */
struct arus_ast_create {
    struct arus_ast_names name;
    bool if_not_exists;
    bool or_replace;
    bool is_temporary;
    const struct arus_ast_column_def *columns;
    uint32_t column_count;
    struct arus_ast_names format;    /* USING fmt */
    struct arus_settings options;    /* OPTIONS (..); keys joined by dots */
    struct arus_settings properties; /* TBLPROPERTIES (..) */
    struct arus_place options_place;
    struct arus_place properties_place;
    struct arus_ast_string location;
    struct arus_ast_string comment;
    struct arus_ast_names partition_by;
    struct arus_place cluster_by;       /* the word CLUSTER; size 0: none. The plan refuses it */
    const struct arus_ast_query *query; /* AS query */
};

/** INSERT INTO x [BY NAME] query, also of a CREATE FLOW. */
struct arus_ast_insert {
    struct arus_ast_names flow; /* CREATE FLOW f AS */
    struct arus_ast_string comment;
    struct arus_ast_names target;
    bool is_by_name;
    const struct arus_ast_query *query;
};

/** SET .., RESET ... Key NULL: all settings. */
struct arus_ast_setting {
    struct arus_ast_string key;
    struct arus_ast_string
        value;       /* as written up to `;`, trimmed; text.data NULL: ask for the value */
    bool is_verbose; /* SET -v */
};

struct arus_ast_time_zone {
    struct arus_ast_string zone;          /* 'Area/City' */
    bool is_local;                        /* LOCAL */
    const struct arus_ast_expr *interval; /* INTERVAL '05:30' HOUR TO MINUTE */
};

enum arus_ast_explain_mode {
    ARUS_AST_EXPLAIN_SIMPLE,
    ARUS_AST_EXPLAIN_EXTENDED,
    ARUS_AST_EXPLAIN_FORMATTED
};

struct arus_ast_explain {
    enum arus_ast_explain_mode mode;
    const struct arus_ast_statement *statement;
};

enum arus_ast_describe_what {
    ARUS_AST_DESCRIBE_TABLE,
    ARUS_AST_DESCRIBE_QUERY,
    ARUS_AST_DESCRIBE_FUNCTION
};

struct arus_ast_describe {
    enum arus_ast_describe_what what;
    bool is_extended;
    struct arus_ast_names name;
    const struct arus_ast_query *query;
};

enum arus_ast_show_what {
    ARUS_AST_SHOW_TABLES,
    ARUS_AST_SHOW_VIEWS,
    ARUS_AST_SHOW_FUNCTIONS,
    ARUS_AST_SHOW_COLUMNS,
    ARUS_AST_SHOW_CREATE_TABLE,
    ARUS_AST_SHOW_TBLPROPERTIES
};

struct arus_ast_show {
    enum arus_ast_show_what what;
    struct arus_ast_string pattern; /* LIKE 'p*', or a property's key */
    struct arus_ast_names name;
};

enum arus_ast_statement_kind {
    ARUS_AST_CREATE_TABLE, /* create */
    ARUS_AST_CREATE_VIEW,  /* create; is_temporary; with query, or with format: a source table */
    ARUS_AST_CREATE_STREAMING_TABLE,   /* create; query NULL: filled by flows */
    ARUS_AST_CREATE_MATERIALIZED_VIEW, /* create */
    ARUS_AST_INSERT,                   /* insert */
    ARUS_AST_SET,                      /* setting */
    ARUS_AST_RESET,                    /* setting */
    ARUS_AST_SET_TIME_ZONE,            /* time_zone */
    ARUS_AST_QUERY,                    /* query */
    ARUS_AST_EXPLAIN,                  /* explain */
    ARUS_AST_DESCRIBE,                 /* describe */
    ARUS_AST_SHOW                      /* show */
};

struct arus_ast_statement {
    enum arus_ast_statement_kind kind;
    struct arus_place place; /* from its first to its last word */
    union {
        struct arus_ast_create create;
        struct arus_ast_insert insert;
        struct arus_ast_setting setting;
        struct arus_ast_time_zone time_zone;
        const struct arus_ast_query *query;
        struct arus_ast_explain explain;
        struct arus_ast_describe describe;
        struct arus_ast_show show;
    };
};

/** A place and a text that the user should see though all is well, e.g. an ignored hint. */
struct arus_ast_warning {
    struct arus_place place;
    const char *condition;
    struct arus_text message;
};

struct arus_script {
    const struct arus_ast_statement *const *statements;
    uint32_t statement_count;
    const struct arus_ast_warning *warnings;
    uint32_t warning_count;
};

/** Appends a readable dump, statements and queries as indented lines, expressions on one line,
 * fully parenthesised. */
ARUS_MUST_USE enum arus_status arus_ast_print(const struct arus_script *script,
                                              struct arus_buffer *out, struct arus_error *err);

#endif
