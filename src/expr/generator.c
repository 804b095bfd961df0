/** Functions that plans treat as what they are, for help and lists only: generators and what tells
 * grouping sets apart. */
#include "expr/families.h"

#define GENERATOR(name_, min_, max_, signature_, help_, example_, result_)                         \
    {                                                                                              \
        .name = name_, .kind = ARUS_GENERATOR, .arg_min = min_, .arg_max = max_, .takes = ".",     \
        .gives = ".", .signature = signature_, .help = help_, .example = example_,                 \
        .result = result_                                                                          \
    }

const struct arus_function ARUS_GENERATORS[] = {
    GENERATOR("explode", 1, 1, "explode(array) or explode(map)", "a row for each element or entry",
              "explode(array(10, 20))", "10; 20"),
    GENERATOR("explode_outer", 1, 1, "explode_outer(array) or explode_outer(map)",
              "as explode; a NULL row for nothing", "explode_outer(array())", "NULL"),
    GENERATOR("posexplode", 1, 1, "posexplode(array) or posexplode(map)",
              "as explode, with positions from 0", "posexplode(array(10, 20))", "0, 10; 1, 20"),
    GENERATOR("posexplode_outer", 1, 1, "posexplode_outer(array) or posexplode_outer(map)",
              "as posexplode; a NULL row for nothing", "posexplode_outer(array())", "NULL, NULL"),
    GENERATOR("inline", 1, 1, "inline(array of structs)", "a row for each struct",
              "inline(array(struct(1, 'a'), struct(2, 'b')))", "1, a; 2, b"),
    GENERATOR("inline_outer", 1, 1, "inline_outer(array of structs)",
              "as inline; a NULL row for nothing",
              "inline_outer(array(struct(1, 'a'), struct(2, 'b')))", "1, a; 2, b"),
    GENERATOR("stack", 2, 255, "stack(n, a, b, ..)", "the values in n rows",
              "stack(2, 1, 'a', 2, 'b')", "1, a; 2, b"),
    GENERATOR("json_tuple", 2, 255, "json_tuple(json, name, ..)", "a row of the fields' texts",
              "json_tuple('{\"a\":1,\"b\":2}', 'a', 'b')", "1, 2"),
    {0},
};
