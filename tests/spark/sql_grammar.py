"""Random Spark SQL that arus knows: a grammar of typed expressions and queries over random tables.

A production is a text with holes: `<int>` is filled with an expression of that kind. Every case follows from seed and number alone.
"""
import random
import re

HOLE = re.compile(r"<(\w+)>")

# Column kinds: the types of the tables' columns, and texts of values. Every value is its type's whatever the session says.
COLUMNS = {
    "bool": ["true", "false"],
    "tiny": ["0Y", "1Y", "-1Y", "127Y", "-128Y", "7Y"],
    "small": ["0S", "32767S", "-32768S", "3S", "100S"],
    "int": ["0", "1", "-1", "2", "3", "10", "42", "2147483647", "-2147483648"],
    "big": ["0L", "5L", "-7L", "86400L", "9223372036854775807L", "-9223372036854775808L"],
    "float": ["0F", "1.5F", "-2.25F", "float('NaN')", "float('Infinity')", "float('-0.0')", "3.4E38F"],
    "double": ["0D", "0.1D", "-2.5D", "1e10D", "1.7976931348623157E308D", "4.9E-324D", "double('NaN')", "double('-Infinity')", "-0D"],
    "dec": ["CAST('0.00' AS DECIMAL(10,2))", "CAST('1.25' AS DECIMAL(10,2))", "CAST('-7.50' AS DECIMAL(10,2))", "CAST('99999999.99' AS DECIMAL(10,2))", "CAST('2.50' AS DECIMAL(10,2))"],
    "wide": ["CAST('0' AS DECIMAL(38,6))", "CAST('99999999999999999999999999999999.999999' AS DECIMAL(38,6))", "CAST('-12.345678' AS DECIMAL(38,6))"],
    "str": ["''", "'a'", "'B'", "'abc'", "' 12 '", "'-3.5'", "'2024-02-29'", "'2024-02-29 12:34:56.789'", "'äöü€'", "'😀x'", "'a,b,,c'", "'true'", "'%_x'", "'1e3'", "'NaN'", "'Hello World'"],
    "bin": ["X''", "X'00'", "X'FF80'", "X'616263'"],
    "date": ["DATE'1970-01-01'", "DATE'2024-02-29'", "DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'1582-10-15'", "DATE'2023-12-31'"],
    "ts": ["TIMESTAMP'1970-01-01 00:00:00Z'", "TIMESTAMP'2024-03-31 01:30:00.123456Z'", "TIMESTAMP'2024-10-27 01:30:00Z'", "TIMESTAMP'0001-01-02 00:00:00Z'", "TIMESTAMP'9999-12-30 23:59:59.999999Z'", "TIMESTAMP'1900-01-01 00:00:00Z'"],
    "ntz": ["TIMESTAMP_NTZ'1970-01-01 00:00:00'", "TIMESTAMP_NTZ'2024-03-31 02:30:00.5'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'"],
    "ym": ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-0-1' YEAR TO MONTH", "INTERVAL '100-0' YEAR TO MONTH"],
    "dt": ["INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-0 00:00:01' DAY TO SECOND", "INTERVAL '1000 00:00:00' DAY TO SECOND"],
    "ints": ["array(1, 2, 3)", "array(3, NULL, 1, 1)", "array(-2147483648)", "array(5, 4)"],
    "strs": ["array('a', 'b')", "array('', NULL, 'ä')", "array('x')", "split('b,a', ',')"],
    "map": ["map('a', 1, 'b', 2)", "map('k', CAST(NULL AS INT))", "map('', 0)"],
    "row": ["named_struct('p', 1, 'q', 'x')", "named_struct('p', CAST(NULL AS INT), 'q', 'y')"],
}

# Words of the grammar that are no expressions.
WORDS = {
    "n": "-3 -2 -1 0 1 2 3 4 5 10".split(),
    "pos": "1 2 3 4 7".split(),
    "cmp": "= <> < <= > >= <=>".split(),
    "arith": "+ - * / %".split(),
    "like": ["'a%'", "'%b_'", "'_'", "'%'", "'\\\\%\\\\_x'", "''", "'Hello%'"],
    "regex": ["'[a-c]+'", "'(\\\\w)(\\\\w*)'", "'^\\\\s*'", "'\\\\d+'", "','", "'.'", "'b|c'", "'ö'"],
    "fmt": ["'yyyy-MM-dd'", "'yyyy-MM-dd HH:mm:ss.SSS'", "'dd/MM/yy'", "'EEE MMM d'", "'D'", "'hh:mm a'", "'Q'", "'yyyyMMdd'", "'MMMM yyyy'"],
    "part": "'YEAR' 'quarter' 'MONTH' 'week' 'DAY' 'hour' 'minute' 'second'".split(),
    "field": "YEAR QUARTER MONTH WEEK DAY DOW DOY HOUR MINUTE SECOND YEAROFWEEK DAYOFWEEK_ISO".split(),
    "unit": "YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND MILLISECOND".split(),
    "zone": ["'UTC'", "'America/New_York'", "'+05:30'", "'Asia/Tokyo'"],
    "day": ["'Mon'", "'SUNDAY'", "'xx'"],
    "text": ["'a'", "''", "','", "'xyz'", "'ä'", "' '", "'1'"],
    "cast": "BOOLEAN TINYINT SMALLINT INT BIGINT FLOAT DOUBLE DECIMAL(10,2) DECIMAL(20,5) DECIMAL(38,18) STRING BINARY DATE TIMESTAMP TIMESTAMP_NTZ".split(),
    "base": "2 8 10 16 36 -10".split(),
}

# Kinds that stand for one of several.
UNIONS = {
    "num": ["tiny", "small", "int", "int", "big", "float", "double", "dec", "wide"],
    "whole": ["tiny", "small", "int", "int", "big"],
    "exact": ["tiny", "small", "int", "big", "dec"],
    "time": ["date", "ts", "ntz"],
    "plain": ["bool", "tiny", "small", "int", "big", "float", "double", "dec", "str", "date", "ts", "ntz"],
    "any": list(COLUMNS),
    "sortable": [kind for kind in COLUMNS if kind not in ("map",)],
}

PRODUCTIONS = {
    "bool": """<num> <cmp> <num> | <str> <cmp> <str> | <time> <cmp> <time> | NOT <bool> | <bool> AND <bool> | <bool> OR <bool> | <any> IS NULL
        | <any> IS NOT NULL | <int> IN (<int>, <int>, NULL) | <str> IN (<str>, 'a') | <str> NOT IN ('a', 'b') | <int> BETWEEN <int> AND <num> | <str> LIKE <like>
        | <str> ILIKE <like> | <str> RLIKE <regex> | <bool> IS TRUE | <bool> IS NOT FALSE | <bool> IS UNKNOWN | <num> IS DISTINCT FROM <num> | isnan(<double>)
        | contains(<str>, <text>) | startswith(<str>, <text>) | endswith(<str>, <str>) | array_contains(<ints>, <int>) | arrays_overlap(<strs>, <strs>)
        | exists(<ints>, e -> e > <n>) | forall(<ints>, e -> e % 2 = 1) | map_contains_key(<map>, <text>) | <row> = <row> | <ints> <cmp> <ints> | <bin> <cmp> <bin>
        | CAST(<plain> AS BOOLEAN) | try_cast(<str> AS BOOLEAN) | <ym> <cmp> <ym> | <dt> <cmp> <dt> | <str> LIKE ANY (<like>, <like>) | <num> <cmp> <str> | <date> <cmp> <str>
        | equal_null(<str>, <str>) | regexp_like(<str>, <regex>) | bool(<str>)""",
    "tiny": "CAST(<num> AS TINYINT) | <tiny> + <tiny> | -<tiny> | abs(<tiny>) | try_cast(<str> AS TINYINT) | bit_get(<big>, <pos>)",
    "small": "CAST(<num> AS SMALLINT) | <small> * <tiny> | <small> & <small> | ~<small> | <small> DIV 2S | positive(<small>)",
    "int": """<int> <arith> <int> | <int> + <small> | -<int> | abs(<int>) | <int> % <n> | pmod(<int>, <n>) | length(<str>) | CAST(<plain> AS INT) | try_cast(<str> AS INT)
        | try_add(<int>, <int>) | try_multiply(<int>, <int>) | try_subtract(<int>, <int>) | try_mod(<int>, <int>) | sign(<int>) | instr(<str>, <text>) | locate(<text>, <str>, <pos>) | position(<text>, <str>)
        | ascii(<str>) | levenshtein(<str>, <str>) | bit_length(<str>) | octet_length(<str>) | year(<time>) | month(<time>) | day(<date>) | quarter(<date>) | dayofyear(<date>)
        | dayofweek(<date>) | weekday(<date>) | weekofyear(<date>) | hour(<ts>) | minute(<ts>) | second(<ntz>) | datediff(<date>, <date>) | size(<ints>) | cardinality(<map>) | array_max(<ints>) | array_min(<ints>)
        | <ints>[<pos>] | element_at(<ints>, <n>) | try_element_at(<ints>, <n>) | get(<ints>, <n>) | <map>['a'] | element_at(<map>, <text>) | <row>.p | aggregate(<ints>, 0, (acc, e) -> acc + coalesce(e, 0)) | <int> & <int> | <int> | <int>
        | <int> ^ <int> | ~<int> | shiftleft(<int>, <n>) | shiftright(<int>, <n>) | shiftrightunsigned(<int>, <n>) | <int> << <n> | bit_count(<whole>) | hash(<plain>, <plain>) | round(<int>, <n>) | bround(<int>, <n>) | extract(<field> FROM <ntz>)
        | date_part(<part>, <ts>) | unix_date(<date>) | array_size(<strs>) | greatest(<int>, <int>, <int>) | least(<int>, <int>) | width_bucket(<double>, 0D, 10D, 5) | regexp_count(<str>, <regex>) | regexp_instr(<str>, <regex>) | find_in_set(<text>, <str>)
        | crc32(<bin>) | getbit(<int>, <pos>) | extract(MONTH FROM <ym>) | extract(HOUR FROM <dt>) | try_divide(<int>, <int>)""",
    "big": """<big> <arith> <int> | <big> <arith> <big> | CAST(<plain> AS BIGINT) | <int> DIV <int> | <big> DIV <big> | floor(<double>) | ceil(<dec>) | xxhash64(<plain>) | factorial(<pos>) | unix_timestamp(<ts>) | unix_micros(<ts>) | unix_millis(<ts>)
        | unix_seconds(<ts>) | array_position(<ints>, <int>) | timestampdiff(<unit>, <ts>, <ts>) | abs(<big>) | try_add(<big>, <big>) | try_multiply(<big>, <int>) | negative(<big>) | round(<big>, <n>) | pmod(<big>, <int>) | to_unix_timestamp(<str>, <fmt>)""",
    "float": "CAST(<num> AS FLOAT) | <float> <arith> <float> | -<float> | abs(<float>) | nanvl(<float>, 0F) | float(<str>) | round(<float>, <n>)",
    "double": """<double> <arith> <num> | CAST(<plain> AS DOUBLE) | try_cast(<str> AS DOUBLE) | sqrt(<num>) | exp(<int>) | ln(<num>) | log10(<num>) | log2(<num>) | log(<pos>, <num>) | pow(<double>, <n>) | sin(<int>) | cos(<double>) | atan(<double>) | atan2(<double>, <double>)
        | tanh(<double>) | cbrt(<double>) | degrees(<double>) | radians(<int>) | hypot(<double>, <int>) | rint(<double>) | signum(<double>) | round(<double>, <n>) | bround(<double>, <n>) | <int> / <int> | months_between(<ts>, <ts>) | nanvl(<double>, <double>)
        | log1p(<double>) | expm1(<double>) | asinh(<double>) | try_divide(<double>, <double>) | greatest(<double>, <float>) | pmod(<double>, <double>) | e() | pi() | positive(<double>)""",
    "dec": """<dec> <arith> <dec> | <dec> + <int> | <dec> * <wide> | <dec> / <n> | <dec> % <dec> | CAST(<num> AS DECIMAL(10,2)) | CAST(<str> AS DECIMAL(12,3)) | try_cast(<str> AS DECIMAL(5,1)) | round(<dec>, <n>) | bround(<dec>, 1) | abs(<dec>) | -<dec>
        | ceil(<dec>, 1) | floor(<dec>, -1) | 1.5 | -0.001 | 12345678901234567890.5 | <dec> DIV <dec> | pmod(<dec>, <dec>) | sign(<dec>) | greatest(<dec>, <int>) | extract(SECOND FROM <ts>) | try_divide(<dec>, <dec>)""",
    "wide": "<wide> <arith> <dec> | <wide> <arith> <wide> | <wide> * <int> | CAST(<dec> AS DECIMAL(38,10)) | -<wide> | round(<wide>, <n>) | try_add(<wide>, <wide>) | <big> * <dec>",
    "str": """upper(<str>) | lower(<str>) | <str> || <plain> | concat(<str>, <str>) | concat_ws('-', <str>, <strs>) | substring(<str>, <n>, <pos>) | substr(<str>, <n>) | trim(<str>) | ltrim(<str>) | rtrim(<text>, <str>) | trim(BOTH <text> FROM <str>) | btrim(<str>, 'a')
        | lpad(<str>, <pos>, <text>) | rpad(<str>, <n>) | repeat(<str>, <n>) | replace(<str>, <text>, '_') | reverse(<str>) | translate(<str>, 'abc', 'xy') | initcap(<str>) | left(<str>, <n>) | right(<str>, <n>) | split_part(<str>, ',', <pos>) | substring_index(<str>, ',', <n>)
        | regexp_replace(<str>, <regex>, '<$0>') | regexp_extract(<str>, '(\\\\w)(\\\\w*)', 1) | regexp_substr(<str>, <regex>) | CAST(<any> AS STRING) | string(<num>) | hex(<big>) | hex(<str>) | md5(<bin>) | sha2(<bin>, 256) | sha1(<bin>) | base64(<bin>) | bin(<big>) | conv(<str>, <base>, 16) | chr(<int>)
        | date_format(<time>, <fmt>) | from_unixtime(<big>, <fmt>) | array_join(<strs>, '-') | array_join(<strs>, ',', 'N') | <strs>[0] | element_at(<strs>, <n>) | <row>.q | overlay(<str> PLACING '#' FROM <pos>) | soundex(<str>) | format_string('%s|%5d', <str>, <int>) | format_number(<num>, 2)
        | decode(<bin>, 'UTF-8') | url_encode(<str>) | typeof(<any>) | elt(<pos>, <str>, <str>) | mask(<str>) | to_json(<row>) | to_json(<map>) | get_json_object('{"a":[1,{"b":"x"}]}', '$.a[1].b') | space(<pos>) | nullif(<str>, <text>) | lcase(<str>) | unbase64(<str>) | dayname(<date>) | monthname(<date>)
        | printf('%08.2f', <double>) | quote(<str>) | luhn_check(<str>) | ucase(<str>)""",
    "bin": "CAST(<str> AS BINARY) | unhex(<str>) | encode(<str>, 'UTF-16') | <bin> || <bin> | substring(<bin>, <n>, <pos>) | reverse(<bin>) | to_binary(<str>, 'utf-8') | encode(<str>, 'UTF-8') | lpad(<bin>, <pos>, X'00')",
    "date": """<date> + <n> | <date> - <pos> | date_add(<date>, <int>) | date_sub(<date>, <n>) | add_months(<date>, <n>) | last_day(<date>) | next_day(<date>, <day>) | trunc(<date>, <part>) | CAST(<str> AS DATE) | CAST(<time> AS DATE) | to_date(<str>) | to_date(<str>, <fmt>) | try_cast(<str> AS DATE)
        | make_date(<int>, <pos>, <pos>) | <date> + <ym> | <date> - <ym> | date(<ts>) | greatest(<date>, <date>) | date_from_unix_date(<n>)""",
    "ts": """<ts> + <dt> | <ts> - <dt> | <ts> + <ym> | date_trunc(<part>, <ts>) | CAST(<str> AS TIMESTAMP) | CAST(<time> AS TIMESTAMP) | to_timestamp(<str>) | to_timestamp(<str>, <fmt>) | try_to_timestamp(<str>) | try_cast(<str> AS TIMESTAMP) | timestamp_seconds(<int>) | timestamp_millis(<int>) | timestamp_micros(<big>)
        | from_utc_timestamp(<ts>, <zone>) | to_utc_timestamp(<ts>, <zone>) | make_timestamp(2024, <pos>, <pos>, <pos>, 0, 1.5) | timestampadd(<unit>, <n>, <ts>) | <date> + <dt> | CAST(<int> AS TIMESTAMP) | greatest(<ts>, <ts>)""",
    "ntz": "<ntz> + <dt> | <ntz> - <dt> | <ntz> + <ym> | CAST(<str> AS TIMESTAMP_NTZ) | CAST(<time> AS TIMESTAMP_NTZ) | timestampadd(<unit>, <n>, <ntz>) | to_timestamp_ntz(<str>) | convert_timezone('UTC', <zone>, <ntz>) | date_trunc(<part>, <ntz>) | make_timestamp_ntz(2024, <pos>, <pos>, <pos>, 0, 1.5)",
    "ym": "<ym> + <ym> | <ym> - <ym> | -<ym> | <ym> * <n> | <ym> / <n> | <ym> * <double> | make_ym_interval(<n>, <n>) | abs(<ym>) | INTERVAL '3' MONTH | CAST('1-2' AS INTERVAL YEAR TO MONTH)",
    "dt": "<dt> + <dt> | <dt> - <dt> | -<dt> | <dt> * <n> | <dt> / <n> | <ts> - <ts> | <ntz> - <ntz> | <date> - <date> | make_dt_interval(<n>, <n>, <n>, 1.5) | INTERVAL '10' MINUTE | <dt> * <dec> | abs(<dt>)",
    "ints": """array(<int>, <int>) | array(<int>) | sequence(<pos>, <pos>) | array_distinct(<ints>) | array_sort(<ints>) | sort_array(<ints>, false) | array_union(<ints>, <ints>) | array_intersect(<ints>, <ints>) | array_except(<ints>, <ints>) | array_remove(<ints>, <n>) | array_append(<ints>, <int>) | array_prepend(<ints>, <int>)
        | slice(<ints>, <n>, <pos>) | transform(<ints>, e -> e + <n>) | transform(<ints>, (e, k) -> k) | filter(<ints>, e -> e > <n>) | array_compact(<ints>) | array_repeat(<int>, <pos>) | reverse(<ints>) | flatten(array(<ints>, <ints>)) | concat(<ints>, <ints>) | map_values(<map>) | zip_with(<ints>, <ints>, (x, y) -> x + y) | array_insert(<ints>, <n>, <int>)""",
    "strs": "array(<str>, <str>) | split(<str>, <regex>) | split(<str>, ',', <n>) | map_keys(<map>) | transform(<ints>, e -> CAST(e AS STRING)) | array_sort(<strs>) | regexp_extract_all(<str>, <regex>, 0) | array_distinct(<strs>) | sort_array(<strs>) | sentences_less(<str>)".replace(" | sentences_less(<str>)", ""),
    "map": "map(<text>, <int>) | map_from_arrays(array('a', 'b'), array(<int>, <int>)) | str_to_map_int(<n>) | map_filter(<map>, (k, v) -> v > 0) | transform_values(<map>, (k, v) -> v + 1) | map_concat(<map>, map('zz', <int>)) | transform_keys(<map>, (k, v) -> upper(k))".replace("str_to_map_int(<n>) | ", ""),
    "row": "named_struct('p', <int>, 'q', <str>)",
}

# For every kind K: forms that any kind has.
GENERAL = ["coalesce(<K>, <K>)", "if(<bool>, <K>, <K>)", "CASE WHEN <bool> THEN <K> WHEN <bool> THEN <K> ELSE <K> END", "CASE WHEN <bool> THEN <K> END", "nvl(<K>, <K>)", "nullif(<K>, <K>)", "nvl2(<any>, <K>, <K>)"]
CASES_OF_VALUES = ["CASE <int> WHEN <n> THEN <K> ELSE <K> END"]

AGGREGATES = """count(*) | count(<any>) | count(DISTINCT <plain>) | count(<plain>, <plain>) | sum(<exact>) | avg(<exact>) | min(<sortable>) | max(<sortable>) | count_if(<bool>) | bool_and(<bool>) | bool_or(<bool>) | array_sort(collect_list(<int>)) | size(collect_set(<plain>)) | sum(DISTINCT <int>)
    | bit_and(<int>) | bit_or(<big>) | bit_xor(<int>) | min_by(<int>, <big>) IS NULL | try_sum(<big>) | try_avg(<int>) | stddev(<small>) | variance(<tiny>) | corr(<small>, <tiny>) | covar_pop(<tiny>, <small>) | skewness(<tiny>) | kurtosis(<small>) | median(<small>) | percentile(<small>, 0.25) | sum(<ym>) | avg(<dt>)
    | approx_count_distinct(<int>) | sum(<int>) FILTER (WHERE <bool>) | count(*) FILTER (WHERE <bool>) | max(<exact>) - min(<exact>) | coalesce(sum(<big>), 0) | array_sort(collect_set(<str>)) | sum(<wide>) | avg(<wide>) | percentile_approx(<small>, 0.5) | mode(<bool>) IS NULL | grouping_free()""".replace(" | grouping_free()", "")

JOINS = ["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL OUTER JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN", "CROSS JOIN"]
ZONES = ["UTC", "UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata"]


def split(text):
    return [form.strip() for form in re.split(r"\s\|\s", " ".join(text.split()))]


FORMS = {kind: split(text) for kind, text in PRODUCTIONS.items()}
FORMS["int"] = [form for form in FORMS["int"] if form != "<int>"] + ["<int> | <int>"]
AGGREGATE_FORMS = split(AGGREGATES)


class Case:
    def __init__(self, seed, number):
        self.name = f"{seed}-{number}"
        self.random = random.Random(f"tables {seed} {number // 25}")  # 25 queries share their tables
        self.views = [f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM {self.table()}" for name in ("t", "u")]
        self.random = random.Random(f"query {seed} {number}")
        self.scope = []
        self.ansi = self.random.random() < 0.6
        self.zone = self.random.choice(ZONES)
        self.named = self.random.random() < 0.5
        self.query = self.any_query()

    # ---- tables ----

    def table(self):
        rows = []
        for _ in range(self.random.randint(1, 8)):
            rows.append([self.random.choice(values) if self.random.random() > 0.2 else "NULL" for values in COLUMNS.values()])
        rows.append([values[0] for values in COLUMNS.values()])  # gives every column its type
        return "VALUES " + ", ".join(f"({', '.join(row)})" for row in rows) + f" AS v({', '.join(COLUMNS)})"

    # ---- expressions ----

    def fill(self, form, depth):
        return HOLE.sub(lambda hole: self.hole(hole.group(1), depth), form)

    def hole(self, kind, depth):
        return self.random.choice(WORDS[kind]) if kind in WORDS else self.expression(kind, depth)

    def expression(self, kind, depth):
        if kind in UNIONS:
            kind = self.random.choice(UNIONS[kind])
        if depth <= 0 or self.random.random() < 0.15:
            return self.leaf(kind)
        general = kind != "map" and self.random.random() < 0.15
        form = self.random.choice(GENERAL + CASES_OF_VALUES).replace("<K>", f"<{kind}>") if general else self.random.choice(FORMS[kind])
        text = self.fill(form, depth - 1)
        return text if re.fullmatch(r"\w+\([^()]*\)", text) else f"({text})"

    def leaf(self, kind):
        if self.scope and self.random.random() < 0.8:
            return f"{self.random.choice(self.scope)}{kind}"
        value = self.random.choice(COLUMNS[kind])
        return f"({value})" if value.startswith("-") else value

    # ---- queries ----

    def within(self, scope, make):
        before, self.scope = self.scope, scope
        made = make()
        self.scope = before
        return made

    def alias(self, index):
        return f" AS c{index}" if self.named else ""

    def any_query(self):
        kinds = [self.projection] * 6 + [self.grouped] * 3 + [self.joined] * 3 + [self.set_operation, self.ordered, self.nested, self.with_cte, self.distinct]
        return self.random.choice(kinds)()

    def items(self, count, depth):
        return ", ".join(self.expression("any", depth) + self.alias(i) for i in range(count))

    def where(self, chance=0.4):
        return f" WHERE {self.expression('bool', 2)}" if self.random.random() < chance else ""

    def projection(self):
        return self.within([""], lambda: f"SELECT {self.items(self.random.randint(1, 3), 2)} FROM t{self.where()}")

    def distinct(self):
        return self.within([""], lambda: f"SELECT DISTINCT {self.expression('sortable', 2)} AS c FROM t{self.where()}")

    def grouped(self):
        def make():
            keys = [self.expression("plain", 1) for _ in range(self.random.randint(0, 2))]
            wanted = [self.fill(self.random.choice(AGGREGATE_FORMS), 1) for _ in range(self.random.randint(1, 3))]
            items = ", ".join(item + self.alias(i) for i, item in enumerate(keys + wanted))
            group = " GROUP BY " + self.random.choice(["{}", "{}", "{}", "ROLLUP ({})", "CUBE ({})"]).format(", ".join(keys)) if keys else ""
            having = f" HAVING {self.fill(self.random.choice(AGGREGATE_FORMS[:4]), 1)} > 0" if keys and self.random.random() < 0.3 else ""
            return f"SELECT {items} FROM t{self.where(0.3)}{group}{having}"

        return self.within([""], make)

    def condition(self):
        kind = self.random.choice(UNIONS["plain"])
        more = f" AND {self.expression('bool', 1)}" if self.random.random() < 0.3 else ""
        return f"a.{kind} {self.random.choice(['=', '=', '=', '<=>', '<'])} b.{kind}{more}"

    def joined(self):
        kind = self.random.choice(JOINS)
        on = "" if kind == "CROSS JOIN" else " ON " + self.within(["a.", "b."], self.condition)
        scope = ["a."] if "SEMI" in kind or "ANTI" in kind else ["a.", "b."]
        return self.within(scope, lambda: f"SELECT {self.items(2, 1)} FROM t AS a {kind} u AS b{on}{self.where(0.3)}")

    def set_operation(self):
        kind = self.random.choice(["UNION", "UNION ALL", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL"])
        left, right = self.random.choice(UNIONS["plain"]), self.random.choice(UNIONS["plain"])
        right = left if self.random.random() < 0.6 else right
        sides = [self.within([""], lambda side=side, table=table: f"SELECT {self.expression(side, 1)} AS c FROM {table}") for side, table in ((left, "t"), (right, "u"))]
        return f" {kind} ".join(sides)

    def ordered(self):
        by = self.random.choice(["1 ASC, 2 ASC", "1 DESC NULLS LAST, 2", "1 NULLS LAST, 2 DESC", "1 DESC, 2 DESC NULLS FIRST"])
        first, second = self.within([""], lambda: (self.expression("sortable", 1), self.expression("sortable", 1)))
        offset = " OFFSET 1" if self.random.random() < 0.3 else ""
        return f"SELECT {first} AS c, {second} AS d FROM t ORDER BY {by} LIMIT {self.random.randint(0, 6)}{offset}"

    def nested(self):
        kind = self.random.choice(UNIONS["plain"])
        test = self.random.choice([f"{kind} IN (SELECT {kind} FROM u)", f"{kind} NOT IN (SELECT {kind} FROM u WHERE {kind} IS NOT NULL)", f"EXISTS (SELECT 1 FROM u WHERE u.{kind} = t.{kind})",
                                   f"NOT EXISTS (SELECT 1 FROM u WHERE u.{kind} <=> t.{kind})", f"{kind} >= (SELECT min({kind}) FROM u)", f"{kind} NOT IN (SELECT {kind} FROM u)"])
        return self.within(["t."], lambda: f"SELECT {self.items(2, 1)}, (SELECT max({kind}) FROM u) AS m FROM t WHERE {test}")

    def with_cte(self):
        inner = self.within([""], lambda: f"SELECT {self.expression('plain', 2)} AS k, {self.expression('exact', 1)} AS v FROM t{self.where(0.3)}")
        return f"WITH w AS ({inner}) SELECT k, count(*) AS n, sum(v) AS s, max(v) AS m FROM w GROUP BY k"
