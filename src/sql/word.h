/** The words that mean something to the parser. All of them may also be names; the flags say where
 * not. */
#ifndef ARUS_SQL_WORD_H
#define ARUS_SQL_WORD_H

#include "base/text.h"

enum arus_word_flags {
    ARUS_WORD_NOT_ALIAS = 1, /* no alias without AS: it begins a clause or is an operator */
    ARUS_WORD_NOT_VALUE =
        2, /* in an expression a name only if an operator, comma or clause follows */
    ARUS_WORD_NOT_TABLE = 4, /* Spark refuses it as the bare alias of a table */
    ARUS_WORD_RESERVED = ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_VALUE | ARUS_WORD_NOT_TABLE
};

/* Sorted by name: found by binary search. */
#define ARUS_WORDS(X)                                                                              \
    X(ADD, 0)                                                                                      \
    X(AGGREGATE, 0)                                                                                \
    X(ALL, 0)                                                                                      \
    X(ALTER, 0)                                                                                    \
    X(ALWAYS, 0)                                                                                   \
    X(ANALYZE, 0)                                                                                  \
    X(AND, ARUS_WORD_RESERVED)                                                                     \
    X(ANTI, ARUS_WORD_NOT_TABLE)                                                                   \
    X(ANY, 0)                                                                                      \
    X(AS, ARUS_WORD_RESERVED)                                                                      \
    X(ASC, ARUS_WORD_NOT_ALIAS)                                                                    \
    X(AUTO, 0)                                                                                     \
    X(BEGIN, 0)                                                                                    \
    X(BETWEEN, ARUS_WORD_RESERVED)                                                                 \
    X(BOTH, 0)                                                                                     \
    X(BY, ARUS_WORD_NOT_VALUE)                                                                     \
    X(CACHE, 0)                                                                                    \
    X(CALL, 0)                                                                                     \
    X(CASE, 0)                                                                                     \
    X(CAST, 0)                                                                                     \
    X(CATALOG, 0)                                                                                  \
    X(CLEAR, 0)                                                                                    \
    X(CLUSTER, 0)                                                                                  \
    X(CODEGEN, 0)                                                                                  \
    X(COLLATE, ARUS_WORD_NOT_ALIAS)                                                                \
    X(COLUMNS, 0)                                                                                  \
    X(COMMENT, 0)                                                                                  \
    X(COMMIT, 0)                                                                                   \
    X(COST, 0)                                                                                     \
    X(CREATE, 0)                                                                                   \
    X(CROSS, ARUS_WORD_NOT_TABLE)                                                                  \
    X(CUBE, 0)                                                                                     \
    X(CURRENT_DATE, 0)                                                                             \
    X(CURRENT_TIMESTAMP, 0)                                                                        \
    X(CURRENT_USER, 0)                                                                             \
    X(DATABASE, 0)                                                                                 \
    X(DATE, 0)                                                                                     \
    X(DATEADD, 0)                                                                                  \
    X(DATEDIFF, 0)                                                                                 \
    X(DATE_ADD, 0)                                                                                 \
    X(DATE_DIFF, 0)                                                                                \
    X(DAY, 0)                                                                                      \
    X(DAYS, 0)                                                                                     \
    X(DECLARE, 0)                                                                                  \
    X(DEFAULT, 0)                                                                                  \
    X(DELAY, 0)                                                                                    \
    X(DELETE, 0)                                                                                   \
    X(DESC, ARUS_WORD_NOT_ALIAS)                                                                   \
    X(DESCRIBE, 0)                                                                                 \
    X(DISTINCT, 0)                                                                                 \
    X(DISTRIBUTE, 0)                                                                               \
    X(DIV, ARUS_WORD_RESERVED)                                                                     \
    X(DROP, 0)                                                                                     \
    X(ELSE, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_VALUE)                                             \
    X(END, 0)                                                                                      \
    X(ESCAPE, 0)                                                                                   \
    X(EXCEPT, ARUS_WORD_RESERVED)                                                                  \
    X(EXCLUDE, 0)                                                                                  \
    X(EXECUTE, 0)                                                                                  \
    X(EXISTS, 0)                                                                                   \
    X(EXPLAIN, 0)                                                                                  \
    X(EXPORT, 0)                                                                                   \
    X(EXTEND, 0)                                                                                   \
    X(EXTENDED, 0)                                                                                 \
    X(EXTERNAL, 0)                                                                                 \
    X(EXTRACT, 0)                                                                                  \
    X(FALSE, 0)                                                                                    \
    X(FETCH, 0)                                                                                    \
    X(FILTER, 0)                                                                                   \
    X(FIRST, 0)                                                                                    \
    X(FLOW, 0)                                                                                     \
    X(FOR, 0)                                                                                      \
    X(FORMATTED, 0)                                                                                \
    X(FROM, ARUS_WORD_RESERVED)                                                                    \
    X(FULL, ARUS_WORD_NOT_TABLE)                                                                   \
    X(FUNCTION, 0)                                                                                 \
    X(FUNCTIONS, 0)                                                                                \
    X(GENERATED, 0)                                                                                \
    X(GLOBAL, 0)                                                                                   \
    X(GRANT, 0)                                                                                    \
    X(GROUP, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                            \
    X(GROUPING, 0)                                                                                 \
    X(HAVING, ARUS_WORD_RESERVED)                                                                  \
    X(HOUR, 0)                                                                                     \
    X(HOURS, 0)                                                                                    \
    X(IF, 0)                                                                                       \
    X(IGNORE, 0)                                                                                   \
    X(ILIKE, ARUS_WORD_RESERVED)                                                                   \
    X(IMPORT, 0)                                                                                   \
    X(IN, ARUS_WORD_RESERVED)                                                                      \
    X(INDEX, 0)                                                                                    \
    X(INNER, ARUS_WORD_NOT_TABLE)                                                                  \
    X(INSERT, 0)                                                                                   \
    X(INTERSECT, ARUS_WORD_RESERVED)                                                               \
    X(INTERVAL, 0)                                                                                 \
    X(INTO, 0)                                                                                     \
    X(IS, ARUS_WORD_RESERVED)                                                                      \
    X(JOIN, ARUS_WORD_RESERVED)                                                                    \
    X(LAST, 0)                                                                                     \
    X(LATERAL, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                          \
    X(LEADING, 0)                                                                                  \
    X(LEFT, ARUS_WORD_NOT_TABLE)                                                                   \
    X(LIKE, ARUS_WORD_RESERVED)                                                                    \
    X(LIMIT, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                            \
    X(LOAD, 0)                                                                                     \
    X(LOCAL, 0)                                                                                    \
    X(LOCALTIMESTAMP, 0)                                                                           \
    X(LOCATION, 0)                                                                                 \
    X(LOCK, 0)                                                                                     \
    X(LOGICAL, 0)                                                                                  \
    X(MATERIALIZED, 0)                                                                             \
    X(MERGE, 0)                                                                                    \
    X(MICROSECOND, 0)                                                                              \
    X(MICROSECONDS, 0)                                                                             \
    X(MILLISECOND, 0)                                                                              \
    X(MILLISECONDS, 0)                                                                             \
    X(MINUS, ARUS_WORD_RESERVED)                                                                   \
    X(MINUTE, 0)                                                                                   \
    X(MINUTES, 0)                                                                                  \
    X(MONTH, 0)                                                                                    \
    X(MONTHS, 0)                                                                                   \
    X(MSCK, 0)                                                                                     \
    X(NAME, 0)                                                                                     \
    X(NANOSECOND, 0)                                                                               \
    X(NANOSECONDS, 0)                                                                              \
    X(NATURAL, ARUS_WORD_NOT_TABLE)                                                                \
    X(NOT, ARUS_WORD_RESERVED)                                                                     \
    X(NULL, 0)                                                                                     \
    X(NULLS, ARUS_WORD_NOT_ALIAS)                                                                  \
    X(OF, 0)                                                                                       \
    X(OFFSET, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                           \
    X(ON, ARUS_WORD_RESERVED)                                                                      \
    X(OPTIMIZE, 0)                                                                                 \
    X(OPTIONS, 0)                                                                                  \
    X(OR, ARUS_WORD_RESERVED)                                                                      \
    X(ORDER, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                            \
    X(OUTER, ARUS_WORD_NOT_TABLE)                                                                  \
    X(OVER, 0)                                                                                     \
    X(OVERLAY, 0)                                                                                  \
    X(PARTITION, 0)                                                                                \
    X(PARTITIONED, 0)                                                                              \
    X(PIVOT, ARUS_WORD_NOT_TABLE)                                                                  \
    X(PLACING, 0)                                                                                  \
    X(POSITION, 0)                                                                                 \
    X(QUALIFY, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_TABLE)                                          \
    X(QUERY, 0)                                                                                    \
    X(RECURSIVE, 0)                                                                                \
    X(REFRESH, 0)                                                                                  \
    X(REGEXP, ARUS_WORD_RESERVED)                                                                  \
    X(REPAIR, 0)                                                                                   \
    X(REPLACE, 0)                                                                                  \
    X(RESET, 0)                                                                                    \
    X(RESPECT, 0)                                                                                  \
    X(REVOKE, 0)                                                                                   \
    X(RIGHT, ARUS_WORD_NOT_TABLE)                                                                  \
    X(RLIKE, ARUS_WORD_RESERVED)                                                                   \
    X(ROLLBACK, 0)                                                                                 \
    X(ROLLUP, 0)                                                                                   \
    X(ROW, 0)                                                                                      \
    X(ROWS, 0)                                                                                     \
    X(SCHEMA, 0)                                                                                   \
    X(SECOND, 0)                                                                                   \
    X(SECONDS, 0)                                                                                  \
    X(SELECT, ARUS_WORD_RESERVED)                                                                  \
    X(SEMI, ARUS_WORD_NOT_TABLE)                                                                   \
    X(SET, 0)                                                                                      \
    X(SETS, 0)                                                                                     \
    X(SHOW, 0)                                                                                     \
    X(SOME, 0)                                                                                     \
    X(SORT, 0)                                                                                     \
    X(START, 0)                                                                                    \
    X(STREAM, 0)                                                                                   \
    X(STREAMING, 0)                                                                                \
    X(STRUCT, 0)                                                                                   \
    X(SUBSTR, 0)                                                                                   \
    X(SUBSTRING, 0)                                                                                \
    X(SYSTEM_TIME, 0)                                                                              \
    X(SYSTEM_VERSION, 0)                                                                           \
    X(TABLE, 0)                                                                                    \
    X(TABLES, 0)                                                                                   \
    X(TABLESAMPLE, ARUS_WORD_NOT_TABLE)                                                            \
    X(TBLPROPERTIES, 0)                                                                            \
    X(TEMP, 0)                                                                                     \
    X(TEMPORARY, 0)                                                                                \
    X(THEN, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_VALUE)                                             \
    X(TIME, 0)                                                                                     \
    X(TIMESTAMP, 0)                                                                                \
    X(TIMESTAMPADD, 0)                                                                             \
    X(TIMESTAMPDIFF, 0)                                                                            \
    X(TIMESTAMP_LTZ, 0)                                                                            \
    X(TIMESTAMP_NTZ, 0)                                                                            \
    X(TO, 0)                                                                                       \
    X(TRAILING, 0)                                                                                 \
    X(TRIM, 0)                                                                                     \
    X(TRUE, 0)                                                                                     \
    X(TRUNCATE, 0)                                                                                 \
    X(TRY_CAST, 0)                                                                                 \
    X(UNBOUNDED, 0)                                                                                \
    X(UNCACHE, 0)                                                                                  \
    X(UNION, ARUS_WORD_RESERVED)                                                                   \
    X(UNKNOWN, 0)                                                                                  \
    X(UNLOCK, 0)                                                                                   \
    X(UNPIVOT, ARUS_WORD_NOT_TABLE)                                                                \
    X(UNSET, 0)                                                                                    \
    X(UPDATE, 0)                                                                                   \
    X(USE, 0)                                                                                      \
    X(USING, ARUS_WORD_RESERVED)                                                                   \
    X(VALUES, 0)                                                                                   \
    X(VERSION, 0)                                                                                  \
    X(VIEW, 0)                                                                                     \
    X(VIEWS, 0)                                                                                    \
    X(WATERMARK, 0)                                                                                \
    X(WEEK, 0)                                                                                     \
    X(WEEKS, 0)                                                                                    \
    X(WHEN, ARUS_WORD_NOT_ALIAS | ARUS_WORD_NOT_VALUE)                                             \
    X(WHERE, ARUS_WORD_RESERVED)                                                                   \
    X(WINDOW, 0)                                                                                   \
    X(WITH, 0)                                                                                     \
    X(WITHIN, ARUS_WORD_NOT_TABLE)                                                                 \
    X(X, 0)                                                                                        \
    X(YEAR, 0)                                                                                     \
    X(YEARS, 0)                                                                                    \
    X(ZONE, 0)

enum arus_word {
    ARUS_WORD_NONE,
#define X(name, flags) ARUS_WORD_##name,
    ARUS_WORDS(X)
#undef X
        ARUS_WORD_COUNT
};

/** The word of this spelling, any case; ARUS_WORD_NONE for any other name. */
enum arus_word arus_word_find(struct arus_text text);
/** In capitals; "" for NONE. */
struct arus_text arus_word_text(enum arus_word word);
/** Sum of arus_word_flags. */
unsigned arus_word_flags(enum arus_word word);

#endif
