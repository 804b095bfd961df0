"""Random Spark SQL that arus knows: a grammar of typed expressions and queries over random tables.

A production is a text with holes: `<int>` is filled with an expression of that kind. Every case follows from seed and number alone.
"""
import random
import re

HOLE = re.compile(r"<([a-z_]+)>")  # not the INT of ARRAY<INT>

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
    "small_dec": ["CAST('0.0' AS DECIMAL(3,1))", "CAST('99.9' AS DECIMAL(3,1))", "CAST('-0.5' AS DECIMAL(3,1))", "CAST('2.5' AS DECIMAL(3,1))"],
    "frac": ["CAST('0.000000' AS DECIMAL(6,6))", "CAST('0.999999' AS DECIMAL(6,6))", "CAST('-0.000001' AS DECIMAL(6,6))"],
    "huge": ["CAST('0' AS DECIMAL(38,0))", "CAST('99999999999999999999999999999999999999' AS DECIMAL(38,0))", "CAST('-12345678901234567890' AS DECIMAL(38,0))", "CAST('7' AS DECIMAL(38,0))"],
    "fine": ["CAST('0' AS DECIMAL(38,18))", "CAST('12345678901234567890.123456789012345678' AS DECIMAL(38,18))", "CAST('-0.000000000000000001' AS DECIMAL(38,18))"],
    "json": ["'{\"a\":1,\"b\":[1,2],\"c\":{\"d\":\"x\"}}'", "'{\"a\":\"7\",\"b\":null}'", "'[1,2,3]'", "'{\"a\":1.5}'", "'{bad'", "''", "'{\"a\":2,\"a\":3,\"e\":\"2024-02-29\"}'", "'\"text\"'", "'{\"b\":[{\"d\":1}],\"A\":9}'"],
    "csv": ["'1,a,2.5'", "',,'", "'\"x,y\",z'", "'7'", "''", "'1,2,3,4'"],
    "url": ["'https://user:pw@spark.apache.org:80/a/b?x=1&y=%20z#frag'", "'http://a/'", "'no url'", "'ftp://h?q'"],
    "str": ["''", "'a'", "'B'", "'abc'", "' 12 '", "'-3.5'", "'2024-02-29'", "'2024-02-29 12:34:56.789'", "'äöü€'", "'😀x'", "'a,b,,c'", "'true'", "'%_x'", "'1e3'", "'NaN'", "'Hello World'"],
    "bin": ["X''", "X'00'", "X'FF80'", "X'616263'"],
    "date": ["DATE'1970-01-01'", "DATE'2024-02-29'", "DATE'0001-01-01'", "DATE'9999-12-31'", "DATE'1582-10-15'", "DATE'1582-10-04'", "DATE'1500-02-28'", "DATE'2023-12-31'"],
    "ts": ["TIMESTAMP'1970-01-01 00:00:00Z'", "TIMESTAMP'2024-03-31 01:30:00.123456Z'", "TIMESTAMP'2024-10-27 01:30:00Z'", "TIMESTAMP'0001-01-02 00:00:00Z'", "TIMESTAMP'9999-12-30 23:59:59.999999Z'", "TIMESTAMP'1900-01-01 00:00:00Z'", "TIMESTAMP'1500-03-01 12:34:56.789Z'"],
    "ntz": ["TIMESTAMP_NTZ'1970-01-01 00:00:00'", "TIMESTAMP_NTZ'2024-03-31 02:30:00.5'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'", "TIMESTAMP_NTZ'9999-12-31 23:59:59.999999'"],
    "ym": ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '-0-1' YEAR TO MONTH", "INTERVAL '100-0' YEAR TO MONTH"],
    "dt": ["INTERVAL '1 02:03:04.5' DAY TO SECOND", "INTERVAL '-0 00:00:01' DAY TO SECOND", "INTERVAL '1000 00:00:00' DAY TO SECOND"],
    "ints": ["array(1, 2, 3)", "array(3, NULL, 1, 1)", "array(-2147483648)", "array(5, 4)"],
    "strs": ["array('a', 'b')", "array('', NULL, 'ä')", "array('x')", "split('b,a', ',')"],
    "map": ["map('a', 1, 'b', 2)", "map('k', CAST(NULL AS INT))", "map('', 0)"],
    "row": ["named_struct('p', 1, 'q', 'x')", "named_struct('p', CAST(NULL AS INT), 'q', 'y')"],
    "dates": ["array(DATE'2024-02-29', NULL)", "array(DATE'1970-01-01')"],
    "doubles": ["array(1.5D, double('NaN'), -0D)", "array(0D, NULL, double('Infinity'))", "array(2.5D)"],
    "rows": ["array(named_struct('p', 1, 'q', 'x'), named_struct('p', 2, 'q', NULL))", "array(named_struct('p', 3, 'q', ''))"],
    "grid": ["array(array(1, 2), array(), NULL)", "array(array(3))"],
    "deep": ["map(1, array(named_struct('x', 1.5)))", "map(2, array(named_struct('x', 0.5)), 3, NULL)"],
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
    "path": ["'$.a'", "'$.b[0]'", "'$.b[*]'", "'$.c.d'", "'$'", "'$.b[*].d'", "'bad'", "'$[1]'", "'$.A'"],
    "schema": ["'a INT, b ARRAY<INT>'", "'a STRING, c STRUCT<d: STRING>'", "'a DOUBLE, e DATE'", "'ARRAY<INT>'", "'MAP<STRING, STRING>'", "'b ARRAY<STRUCT<d: INT>>, A INT'", "'a DECIMAL(5,2), _corrupt_record STRING'"],
    "urlpart": "'HOST' 'PATH' 'QUERY' 'REF' 'PROTOCOL' 'AUTHORITY' 'USERINFO' 'FILE' 'x'".split(),
    "share": "0.0 0.25 0.5 0.9 1.0".split(),
    "numfmt": ["'999'", "'9G999D99'", "'S0000.0'", "'$99.9'", "'999PR'", "'MI9,999'"],
    "interval": ["INTERVAL 1 DAY", "INTERVAL '2' MONTH", "INTERVAL '1 12' DAY TO HOUR", "INTERVAL -3 HOURS", "INTERVAL '1-1' YEAR TO MONTH", "INTERVAL 90 SECONDS"],
    "gap": ["'1 hour'", "'1 day'", "'30 minutes'", "'7 days'"],
}

# Kinds that stand for one of several.
UNIONS = {
    "num": ["tiny", "small", "int", "int", "big", "float", "double", "dec", "wide", "small_dec", "frac", "huge", "fine"],
    "whole": ["tiny", "small", "int", "int", "big"],
    "exact": ["tiny", "small", "int", "big", "dec", "small_dec", "frac"],
    "decimal": ["dec", "wide", "small_dec", "frac", "huge", "fine"],
    "nested": ["ints", "strs", "map", "row", "rows", "grid", "deep", "dates", "doubles"],
    "time": ["date", "ts", "ntz"],
    "plain": ["bool", "tiny", "small", "int", "big", "float", "double", "dec", "str", "date", "ts", "ntz"],
    "any": list(COLUMNS),
    "sortable": [kind for kind in COLUMNS if kind not in ("map", "deep")],
}

PRODUCTIONS = {
    "bool": """<num> <cmp> <num> | <str> <cmp> <str> | <time> <cmp> <time> | NOT <bool> | <bool> AND <bool> | <bool> OR <bool> | <any> IS NULL
        | <any> IS NOT NULL | <int> IN (<int>, <int>, NULL) | <str> IN (<str>, 'a') | <str> NOT IN ('a', 'b') | <int> BETWEEN <int> AND <num> | <str> LIKE <like>
        | <str> ILIKE <like> | <str> RLIKE <regex> | <bool> IS TRUE | <bool> IS NOT FALSE | <bool> IS UNKNOWN | <num> IS DISTINCT FROM <num> | isnan(<double>)
        | contains(<str>, <text>) | startswith(<str>, <text>) | endswith(<str>, <str>) | array_contains(<ints>, <int>) | arrays_overlap(<strs>, <strs>)
        | exists(<ints>, e -> e > <n>) | forall(<ints>, e -> e % 2 = 1) | map_contains_key(<map>, <text>) | <row> = <row> | <ints> <cmp> <ints> | <bin> <cmp> <bin>
        | CAST(<plain> AS BOOLEAN) | try_cast(<str> AS BOOLEAN) | <ym> <cmp> <ym> | <dt> <cmp> <dt> | <str> LIKE ANY (<like>, <like>) | <num> <cmp> <str> | <date> <cmp> <str>
        | equal_null(<str>, <str>) | regexp_like(<str>, <regex>) | bool(<str>) | <decimal> <cmp> <decimal> | <double> <cmp> <double> | <rows> = <rows> | <doubles> = <doubles> | <dates> <cmp> <dates> | array_contains(<doubles>, <double>) | exists(<rows>, r -> r.q IS NULL) | forall(<strs>, s -> s LIKE <like>) | <decimal> BETWEEN <int> AND <decimal> | <decimal> IN (<int>, <dec>) | <str> LIKE ALL (<like>, <like>) | <str> NOT LIKE ANY (<like>, <like>) | startswith(<bin>, <bin>) | contains(<bin>, <bin>) | <ts> <cmp> <date> | <ntz> <cmp> <ts> | <str> BETWEEN <text> AND <str> | <bool> <cmp> <bool> | NOT (<bool> <=> <bool>) | <str> IS DISTINCT FROM <text> | <row> <=> <row>""",
    "tiny": "CAST(<num> AS TINYINT) | <tiny> + <tiny> | -<tiny> | abs(<tiny>) | try_cast(<str> AS TINYINT) | bit_get(<big>, <pos>)",
    "small": "CAST(<num> AS SMALLINT) | <small> * <tiny> | <small> & <small> | ~<small> | <small> DIV 2S | positive(<small>)",
    "int": """<int> <arith> <int> | <int> + <small> | -<int> | abs(<int>) | <int> % <n> | pmod(<int>, <n>) | length(<str>) | CAST(<plain> AS INT) | try_cast(<str> AS INT)
        | try_add(<int>, <int>) | try_multiply(<int>, <int>) | try_subtract(<int>, <int>) | try_mod(<int>, <int>) | sign(<int>) | instr(<str>, <text>) | locate(<text>, <str>, <pos>) | position(<text>, <str>)
        | ascii(<str>) | levenshtein(<str>, <str>) | bit_length(<str>) | octet_length(<str>) | year(<time>) | month(<time>) | day(<date>) | quarter(<date>) | dayofyear(<date>)
        | dayofweek(<date>) | weekday(<date>) | weekofyear(<date>) | hour(<ts>) | minute(<ts>) | second(<ntz>) | datediff(<date>, <date>) | size(<ints>) | cardinality(<map>) | array_max(<ints>) | array_min(<ints>)
        | <ints>[<pos>] | element_at(<ints>, <n>) | try_element_at(<ints>, <n>) | get(<ints>, <n>) | <map>['a'] | element_at(<map>, <text>) | <row>.p | aggregate(<ints>, 0, (acc, e) -> acc + coalesce(e, 0)) | <int> & <int> | <int> | <int>
        | <int> ^ <int> | ~<int> | shiftleft(<int>, <n>) | shiftright(<int>, <n>) | shiftrightunsigned(<int>, <n>) | <int> << <n> | bit_count(<whole>) | hash(<plain>, <plain>) | round(<int>, <n>) | bround(<int>, <n>) | extract(<field> FROM <ntz>)
        | date_part(<part>, <ts>) | unix_date(<date>) | array_size(<strs>) | greatest(<int>, <int>, <int>) | least(<int>, <int>) | width_bucket(<double>, 0D, 10D, 5) | regexp_count(<str>, <regex>) | regexp_instr(<str>, <regex>) | find_in_set(<text>, <str>)
        | crc32(<bin>) | getbit(<int>, <pos>) | extract(MONTH FROM <ym>) | extract(HOUR FROM <dt>) | try_divide(<int>, <int>) | cast(<decimal> AS INT) | size(<rows>) | size(<deep>) | <rows>[0].p | aggregate(<ints>, 0, (acc, e) -> acc + coalesce(e, 0), acc -> acc * 2) | reduce(<ints>, <int>, (acc, e) -> greatest(acc, e)) | json_array_length(<json>) | from_json(<json>, 'a INT').a | from_csv(<csv>, 'a INT, b STRING').a | array_max(transform(<strs>, (s, k) -> length(s) + k)) | instr(<str>, <text>, <n>) | char_length(<str>) | try_cast(<decimal> AS INT) | datediff(<ts>, <date>) | extract(<field> FROM <date>) | date_part(<part>, <dt>) | extract(DAY FROM <dt>) | extract(YEAR FROM <ym>) | getbit(<small>, <pos>) | <grid>[0][0] | element_at(<grid>, <n>)[0] | try_element_at(<map>, <text>) | bit_length(<bin>) | map_from_entries(array(struct(<text>, <int>)))[<text>] | sign(<decimal>) | char_length(<bin>) | octet_length(<bin>) | int(<str>) | cardinality(<rows>) | nullifzero(<int>) | zeroifnull(<int>)""",
    "big": """<big> <arith> <int> | <big> <arith> <big> | CAST(<plain> AS BIGINT) | <int> DIV <int> | <big> DIV <big> | floor(<double>) | ceil(<dec>) | xxhash64(<plain>) | factorial(<pos>) | unix_timestamp(<ts>) | unix_micros(<ts>) | unix_millis(<ts>)
        | unix_seconds(<ts>) | array_position(<ints>, <int>) | timestampdiff(<unit>, <ts>, <ts>) | abs(<big>) | try_add(<big>, <big>) | try_multiply(<big>, <int>) | negative(<big>) | round(<big>, <n>) | pmod(<big>, <int>) | to_unix_timestamp(<str>, <fmt>)""",
    "float": "CAST(<num> AS FLOAT) | <float> <arith> <float> | -<float> | abs(<float>) | nanvl(<float>, 0F) | float(<str>) | round(<float>, <n>)",
    "double": """<double> <arith> <num> | CAST(<plain> AS DOUBLE) | try_cast(<str> AS DOUBLE) | sqrt(<num>) | exp(<int>) | ln(<num>) | log10(<num>) | log2(<num>) | log(<pos>, <num>) | pow(<double>, <n>) | sin(<int>) | cos(<double>) | atan(<double>) | atan2(<double>, <double>)
        | tanh(<double>) | cbrt(<double>) | degrees(<double>) | radians(<int>) | hypot(<double>, <int>) | rint(<double>) | signum(<double>) | round(<double>, <n>) | bround(<double>, <n>) | <int> / <int> | months_between(<ts>, <ts>) | nanvl(<double>, <double>)
        | log1p(<double>) | expm1(<double>) | asinh(<double>) | try_divide(<double>, <double>) | greatest(<double>, <float>) | pmod(<double>, <double>) | e() | pi() | positive(<double>) | <decimal> / <double> | float(<str>) | <double> % <double> | <doubles>[0] | array_max(<doubles>) | aggregate(<doubles>, 0D, (acc, e) -> acc + coalesce(e, 0D)) | CAST(<decimal> AS DOUBLE) | acosh(<double>) | atanh(<double>) | cot(<double>) | sec(<int>) | csc(<double>) | sinh(<n>) | cosh(<n>) | asin(<double>) | acos(<double>) | tan(<int>) | nanvl(<float>, <double>) | months_between(<date>, <ntz>, false) | try_add(<double>, <int>) | bround(<double>, <n>) | jaro_winkler_similarity(<str>, <str>)""",
    "dec": """<dec> <arith> <dec> | <dec> + <int> | <dec> * <wide> | <dec> / <n> | <dec> % <dec> | CAST(<num> AS DECIMAL(10,2)) | CAST(<str> AS DECIMAL(12,3)) | try_cast(<str> AS DECIMAL(5,1)) | round(<dec>, <n>) | bround(<dec>, 1) | abs(<dec>) | -<dec>
        | ceil(<dec>, 1) | floor(<dec>, -1) | 1.5 | -0.001 | 12345678901234567890.5 | <dec> DIV <dec> | pmod(<dec>, <dec>) | sign(<dec>) | greatest(<dec>, <int>) | extract(SECOND FROM <ts>) | try_divide(<dec>, <dec>) | <small_dec> * <small_dec> | <small_dec> + <frac> | <dec> + <frac> | round(<fine>, <n>) | CAST(<decimal> AS DECIMAL(10,2)) | try_add(<dec>, <small_dec>) | coalesce(<dec>, <frac>) | to_number(<text>, <numfmt>) | try_to_number(<str>, <numfmt>) | abs(<frac>) | <huge> % <dec> | <dec> % <int> | pmod(<dec>, <int>) | <int> * <frac> | 0.5 * <int> | if(<bool>, <dec>, <int>) | greatest(<dec>, <fine>)""",
    "wide": "<wide> <arith> <dec> | <wide> <arith> <wide> | <wide> * <int> | CAST(<dec> AS DECIMAL(38,10)) | -<wide> | round(<wide>, <n>) | try_add(<wide>, <wide>) | <big> * <dec> | <huge> + <int> | <huge> * <frac> | <fine> / <dec> | <fine> * <fine> | <huge> - <fine> | <huge> DIV <int> | CAST(<str> AS DECIMAL(38,18)) | <wide> + 0.1 | try_multiply(<huge>, <huge>) | try_divide(<fine>, <huge>) | ceil(<fine>) | floor(<wide>) | <big> / 3.0",
    "str": """upper(<str>) | lower(<str>) | <str> || <plain> | concat(<str>, <str>) | concat_ws('-', <str>, <strs>) | substring(<str>, <n>, <pos>) | substr(<str>, <n>) | trim(<str>) | ltrim(<str>) | rtrim(<text>, <str>) | trim(BOTH <text> FROM <str>) | btrim(<str>, 'a')
        | lpad(<str>, <pos>, <text>) | rpad(<str>, <n>) | repeat(<str>, <n>) | replace(<str>, <text>, '_') | reverse(<str>) | translate(<str>, 'abc', 'xy') | initcap(<str>) | left(<str>, <n>) | right(<str>, <n>) | split_part(<str>, ',', <pos>) | substring_index(<str>, ',', <n>)
        | regexp_replace(<str>, <regex>, '<$0>') | regexp_extract(<str>, '(\\\\w)(\\\\w*)', 1) | regexp_substr(<str>, <regex>) | CAST(<any> AS STRING) | string(<num>) | hex(<big>) | hex(<str>) | md5(<bin>) | sha2(<bin>, 256) | sha1(<bin>) | base64(<bin>) | bin(<big>) | conv(<str>, <base>, 16) | chr(<int>)
        | date_format(<time>, <fmt>) | from_unixtime(<big>, <fmt>) | array_join(<strs>, '-') | array_join(<strs>, ',', 'N') | <strs>[0] | element_at(<strs>, <n>) | <row>.q | overlay(<str> PLACING '#' FROM <pos>) | soundex(<str>) | format_string('%s|%5d', <str>, <int>) | format_number(<num>, 2)
        | decode(<bin>, 'UTF-8') | url_encode(<str>) | typeof(<any>) | elt(<pos>, <str>, <str>) | mask(<str>) | to_json(<row>) | to_json(<map>) | get_json_object('{"a":[1,{"b":"x"}]}', '$.a[1].b') | space(<pos>) | nullif(<str>, <text>) | lcase(<str>) | unbase64(<str>) | dayname(<date>) | monthname(<date>)
        | printf('%08.2f', <double>) | quote(<str>) | luhn_check(<str>) | ucase(<str>) | CAST(<nested> AS STRING) | to_json(<rows>) | to_json(<deep>) | to_json(<grid>) | to_json(<doubles>) | to_json(named_struct('t', <ts>, 'd', <date>, 'n', <decimal>)) | to_json(from_json(<json>, <schema>)) | CAST(from_json(<json>, <schema>) AS STRING) | get_json_object(<json>, <path>) | schema_of_json('{"a":[1,2.5]}') | to_csv(struct(<int>, <str>, <double>, <date>)) | to_csv(from_csv(<csv>, 'a INT, b STRING, c DOUBLE'))
        | CAST(from_csv(<csv>, 'a INT, b DATE') AS STRING) | parse_url(<url>, <urlpart>) | try_parse_url(<url>, 'QUERY', 'x') | url_decode(url_encode(<str>)) | to_char(<dec>, <numfmt>) | to_varchar(<int>, <numfmt>) | <rows>[0].q | array_join(transform(<rows>, r -> r.q), '|', '-') | array_join(transform(<ints>, (e, i) -> concat(e, ':', i)), ',') | aggregate(<strs>, '', (acc, s) -> acc || coalesce(s, '?'))
        | string(<decimal>) | CAST(<ts> AS STRING) | CAST(<dt> AS STRING) | CAST(<ym> AS STRING) | format_string('%s %s %.3f', <decimal>, <any>, <double>) | printf('%x|%o|%e|%+d|%,d', <int>, <int>, <double>, <int>, <big>) | concat_ws(<text>, <str>, <plain>, NULL) | lpad(<str>, 8, <text>) | initcap(<text>) | regexp_replace(<str>, <regex>, '$0$0', <pos>) | split(<str>, <regex>, <n>)[0]
        | substr(<str> FROM <n> FOR <pos>) | ltrim(<text>, <str>) | trim(TRAILING <text> FROM <str>) | overlay(<str> PLACING <text> FROM <pos> FOR <n>) | replace(<str>, <text>) | decode(<int>, 1, 'one', 2, 'two', 'many') | decode(encode(<str>, 'UTF-16LE'), 'UTF-16LE') | string(<bin>) | hex(encode(<str>, 'UTF-32')) | str_to_map('a:1,b:2', ',', ':')[<text>] | date_format(<ts>, <fmt>) | to_json(named_struct('x', <any>)) | CAST(named_struct('x', <any>, 'y', <any>) AS STRING)
        | CAST(array(<plain>, NULL) AS STRING) | CAST(map(<text>, <any>) AS STRING) | hex(<int>) | base64(<str>) | translate(<str>, 'a', '') | mask(<str>, '*', NULL, '#', '-') | to_base32(<bin>) | nullif(<str>, '') | make_valid_utf8(<str>) | chr(<big>) | elt(<n>, <str>, <text>) | format_number(<decimal>, <pos>) | format_number(<num>, '#,###.##') | from_unixtime(<int>) | bin(<int>) | conv(<int>, 10, <base>) | substring_index(<str>, <text>, <n>)""",
    "bin": "CAST(<str> AS BINARY) | unhex(<str>) | encode(<str>, 'UTF-16') | <bin> || <bin> | substring(<bin>, <n>, <pos>) | reverse(<bin>) | to_binary(<str>, 'utf-8') | encode(<str>, 'UTF-8') | lpad(<bin>, <pos>, X'00')",
    "date": """<date> + <n> | <date> - <pos> | date_add(<date>, <int>) | date_sub(<date>, <n>) | add_months(<date>, <n>) | last_day(<date>) | next_day(<date>, <day>) | trunc(<date>, <part>) | CAST(<str> AS DATE) | CAST(<time> AS DATE) | to_date(<str>) | to_date(<str>, <fmt>) | try_cast(<str> AS DATE)
        | make_date(<int>, <pos>, <pos>) | <date> + <ym> | <date> - <ym> | date(<ts>) | greatest(<date>, <date>) | date_from_unix_date(<n>) | <date> + <interval> | <date> - <int> | <int> + <date> | next_day(<ts>, <day>) | last_day(<ts>) | trunc(<ts>, <part>) | try_add(<date>, <n>) | <dates>[0] | array_max(<dates>) | date_sub(<ts>, <tiny>) | greatest(<date>, CAST(<ts> AS DATE)) | dateadd(<date>, <n>) | coalesce(<date>, DATE'2020-01-01')""",
    "ts": """<ts> + <dt> | <ts> - <dt> | <ts> + <ym> | date_trunc(<part>, <ts>) | CAST(<str> AS TIMESTAMP) | CAST(<time> AS TIMESTAMP) | to_timestamp(<str>) | to_timestamp(<str>, <fmt>) | try_to_timestamp(<str>) | try_cast(<str> AS TIMESTAMP) | timestamp_seconds(<int>) | timestamp_millis(<int>) | timestamp_micros(<big>)
        | from_utc_timestamp(<ts>, <zone>) | to_utc_timestamp(<ts>, <zone>) | make_timestamp(2024, <pos>, <pos>, <pos>, 0, 1.5) | timestampadd(<unit>, <n>, <ts>) | <date> + <dt> | CAST(<int> AS TIMESTAMP) | greatest(<ts>, <ts>) | <ts> + <interval> | <date> + INTERVAL 1 HOUR | try_add(<ts>, <interval>) | try_make_timestamp(<int>, <pos>, <pos>, <n>, <n>, 1.5) | timestampadd(<unit>, <n>, <date>) | coalesce(<ts>, <date>) | make_timestamp(2024, <pos>, <pos>, <n>, 59, 60, <zone>) | to_timestamp(<int>) | timestamp(<str>) | date_trunc(<part>, <date>)""",
    "ntz": "<ntz> + <dt> | <ntz> - <dt> | <ntz> + <ym> | CAST(<str> AS TIMESTAMP_NTZ) | CAST(<time> AS TIMESTAMP_NTZ) | timestampadd(<unit>, <n>, <ntz>) | to_timestamp_ntz(<str>) | convert_timezone('UTC', <zone>, <ntz>) | date_trunc(<part>, <ntz>) | make_timestamp_ntz(2024, <pos>, <pos>, <pos>, 0, 1.5) | <ntz> + <interval> | try_cast(<str> AS TIMESTAMP_NTZ) | to_timestamp_ntz(<str>, <fmt>) | convert_timezone(<zone>, <ntz>)",
    "ym": "<ym> + <ym> | <ym> - <ym> | -<ym> | <ym> * <n> | <ym> / <n> | <ym> * <double> | make_ym_interval(<n>, <n>) | abs(<ym>) | INTERVAL '3' MONTH | CAST('1-2' AS INTERVAL YEAR TO MONTH) | <ym> * <dec> | <ym> / <double> | try_divide(<ym>, <n>) | CAST(<int> AS INTERVAL YEAR) | CAST(<str> AS INTERVAL YEAR TO MONTH) | negative(<ym>) | greatest(<ym>, INTERVAL '5' MONTH)",
    "dt": "<dt> + <dt> | <dt> - <dt> | -<dt> | <dt> * <n> | <dt> / <n> | <ts> - <ts> | <ntz> - <ntz> | <date> - <date> | make_dt_interval(<n>, <n>, <n>, 1.5) | INTERVAL '10' MINUTE | <dt> * <dec> | abs(<dt>) | <dt> * <double> | <dt> / <dec> | try_divide(<dt>, <n>) | <ts> - <date> | <date> - <ts> | CAST(<int> AS INTERVAL HOUR) | CAST(<str> AS INTERVAL DAY TO SECOND) | try_subtract(<ts>, <ts>) | INTERVAL '1 02' DAY TO HOUR | negative(<dt>) | least(<dt>, INTERVAL '5' HOUR)",
    "ints": """array(<int>, <int>) | array(<int>) | sequence(<pos>, <pos>) | array_distinct(<ints>) | array_sort(<ints>) | sort_array(<ints>, false) | array_union(<ints>, <ints>) | array_intersect(<ints>, <ints>) | array_except(<ints>, <ints>) | array_remove(<ints>, <n>) | array_append(<ints>, <int>) | array_prepend(<ints>, <int>)
        | slice(<ints>, <n>, <pos>) | transform(<ints>, e -> e + <n>) | transform(<ints>, (e, k) -> k) | filter(<ints>, e -> e > <n>) | array_compact(<ints>) | array_repeat(<int>, <pos>) | reverse(<ints>) | flatten(array(<ints>, <ints>)) | concat(<ints>, <ints>) | map_values(<map>) | zip_with(<ints>, <ints>, (x, y) -> x + y) | array_insert(<ints>, <n>, <int>) | array_sort(<ints>, (a, b) -> b - a) | transform(<rows>, r -> r.p) | flatten(<grid>) | <rows>.p | array_compact(transform(<ints>, e -> nullif(e, 1))) | filter(<ints>, (e, i) -> i % 2 = 0) | sequence(<pos>, <n>, -1) | array_repeat(<n>, <n>) | from_json(<json>, 'b ARRAY<INT>').b | CAST(<strs> AS ARRAY<INT>) | try_cast(<strs> AS ARRAY<INT>) | array_insert(<ints>, <n>, <int>) | slice(<ints>, <pos>, <n>) | map_values(map_zip_with(<map>, <map>, (k, a, b) -> coalesce(a, 0) + coalesce(b, 0)))""",
    "strs": "array(<str>, <str>) | split(<str>, <regex>) | split(<str>, ',', <n>) | map_keys(<map>) | transform(<ints>, e -> CAST(e AS STRING)) | array_sort(<strs>) | regexp_extract_all(<str>, <regex>, 0) | array_distinct(<strs>) | sort_array(<strs>) | sentences_less(<str>) | json_object_keys(<json>) | CAST(<ints> AS ARRAY<STRING>) | array_except(<strs>, array(<str>)) | array_union(<strs>, <strs>) | transform(<doubles>, d -> CAST(d AS STRING)) | regexp_extract_all(<str>, <regex>) | array_remove(<strs>, <text>)".replace(" | sentences_less(<str>)", ""),
    "map": "map(<text>, <int>) | map_from_arrays(array('a', 'b'), array(<int>, <int>)) | str_to_map_int(<n>) | map_filter(<map>, (k, v) -> v > 0) | transform_values(<map>, (k, v) -> v + 1) | map_concat(<map>, map('zz', <int>)) | transform_keys(<map>, (k, v) -> upper(k)) | map_from_entries(array(struct(<text>, <int>))) | map_zip_with(<map>, <map>, (k, a, b) -> coalesce(a, b)) | CAST(map(<text>, <text>) AS MAP<STRING, INT>) | transform_keys(<map>, (k, v) -> concat(k, <text>))".replace("str_to_map_int(<n>) | ", ""),
    "small_dec": "<small_dec> % <small_dec> | -<small_dec> | CAST(<num> AS DECIMAL(3,1)) | round(<small_dec>) | <small_dec> | try_cast(<str> AS DECIMAL(3,1))",
    "frac": "<frac> | -<frac> | abs(<frac>) | CAST(<double> AS DECIMAL(6,6)) | try_cast(<dec> AS DECIMAL(6,6))",
    "huge": "<huge> + <huge> | <huge> - <int> | <huge> * <tiny> | CAST(<num> AS DECIMAL(38,0)) | -<huge> | abs(<huge>) | <huge> % <huge> | round(<huge>, <n>)",
    "fine": "<fine> + <fine> | <fine> - <wide> | <fine> * <int> | <fine> / <int> | CAST(<num> AS DECIMAL(38,18)) | -<fine> | round(<fine>, <pos>) | <fine> % <dec>",
    "json": "to_json(<row>) | to_json(<map>) | to_json(<ints>) | <json>",
    "csv": "to_csv(<row>) | <csv> | concat_ws(',', <int>, <str>)",
    "url": "<url> | concat(<url>, '?q=', <text>)",
    "dates": "array(<date>, <date>) | sequence(DATE'2024-02-28', DATE'2024-03-01', INTERVAL <pos> DAY) | sort_array(<dates>) | array_distinct(<dates>) | transform(<dates>, d -> d + <n>)",
    "doubles": "array(<double>, <double>) | array_sort(<doubles>) | array_distinct(<doubles>) | sort_array(<doubles>, false) | transform(<ints>, e -> e / 2) | array_union(<doubles>, <doubles>) | CAST(<ints> AS ARRAY<DOUBLE>)",
    "rows": "array(<row>, <row>) | transform(<ints>, (e, i) -> named_struct('p', e, 'q', CAST(i AS STRING))) | filter(<rows>, r -> r.p > <n>) | array_sort(<rows>) | from_json(to_json(<rows>), 'ARRAY<STRUCT<p: INT, q: STRING>>') | array_distinct(<rows>) | slice(<rows>, 1, <pos>)",
    "grid": "array(<ints>, <ints>) | transform(<ints>, e -> array(e, e)) | transform(<grid>, g -> filter(g, e -> e > <n>)) | array_append(<grid>, <ints>)",
    "deep": "map(<n>, array(named_struct('x', CAST(<dec> AS DECIMAL(2,1))))) | <deep> | map_filter(<deep>, (k, v) -> v IS NOT NULL)",
    "row": "named_struct('p', <int>, 'q', <str>) | struct(<int> AS p, <str> AS q) | CAST(named_struct('a', <int>, 'b', <plain>) AS STRUCT<p: INT, q: STRING>) | <rows>[0] | array_max(<rows>) | element_at(<rows>, <n>)",
}

# For every kind K: forms that any kind has.
GENERAL = ["coalesce(<K>, <K>)", "if(<bool>, <K>, <K>)", "CASE WHEN <bool> THEN <K> WHEN <bool> THEN <K> ELSE <K> END", "CASE WHEN <bool> THEN <K> END", "nvl(<K>, <K>)", "nullif(<K>, <K>)", "nvl2(<any>, <K>, <K>)"]
CASES_OF_VALUES = ["CASE <int> WHEN <n> THEN <K> ELSE <K> END"]

AGGREGATES = """count(*) | count(<any>) | count(DISTINCT <plain>) | count(<plain>, <plain>) | sum(<exact>) | avg(<exact>) | min(<sortable>) | max(<sortable>) | count_if(<bool>) | bool_and(<bool>) | bool_or(<bool>) | array_sort(collect_list(<int>)) | size(collect_set(<plain>)) | sum(DISTINCT <int>)
    | bit_and(<int>) | bit_or(<big>) | bit_xor(<int>) | min_by(<int>, <big>) IS NULL | try_sum(<big>) | try_avg(<int>) | stddev(<small>) | variance(<tiny>) | corr(<small>, <tiny>) | covar_pop(<tiny>, <small>) | skewness(<tiny>) | kurtosis(<small>) | median(<small>) | percentile(<small>, 0.25) | sum(<ym>) | avg(<dt>)
    | approx_count_distinct(<int>) | sum(<int>) FILTER (WHERE <bool>) | count(*) FILTER (WHERE <bool>) | max(<exact>) - min(<exact>) | coalesce(sum(<big>), 0) | array_sort(collect_set(<str>)) | sum(<wide>) | avg(<wide>) | percentile_approx(<small>, 0.5) | mode(<bool>) IS NULL | regr_count(<small>, <tiny>) | regr_avgx(<exact>, <small>) | regr_avgy(<dec>, <small>) | regr_slope(<small>, <tiny>) | regr_r2(<small>, <tiny>) | regr_sxx(<tiny>, <small>) | regr_intercept(<tiny>, <small>) | covar_samp(<tiny>, <small>) | var_pop(<dec>) | stddev_pop(<small_dec>) | avg(<decimal>) | sum(<decimal>) | sum(<double>) IS NULL | max(<double>) | min(<float>)
    | max(<rows>) | min(<row>) | max(<dates>) | array_sort(collect_list(<str>)) | array_sort(collect_set(<double>)) | listagg(<text>, '-') WITHIN GROUP (ORDER BY <text>) IS NULL | percentile_cont(<share>) WITHIN GROUP (ORDER BY <small>) | percentile_disc(<share>) WITHIN GROUP (ORDER BY <int> DESC) | percentile(<exact>, array(0.1, <share>)) | median(<dec>) | mode(<int>) IS NULL | approx_count_distinct(<str>) | count(DISTINCT <plain>, <plain>)
    | sum(DISTINCT <dec>) FILTER (WHERE <bool>) | any_value(<int>) IS NULL | first(<int>, true) IS NULL | bit_count(bit_xor(<int>)) | max_by(<str>, <int>) IS NULL | sum(<dt>) | avg(<ym>) | max(<ym>) | min(<dt>) | try_avg(<dec>) | try_sum(<huge>) | bool_or(<bool>) | count_if(<bool>) | percentile_approx(<double>, array(0.25, 0.75), 100) | sum(<int>) + count(*) | round(avg(<dec>), 2) | stddev(<double>) IS NULL | kurtosis(<dec>) | skewness(<small_dec>)
    | bitmap_count(bitmap_construct_agg(bitmap_bit_position(<tiny>))) | hex(bit_and(<small>)) | size(collect_list(<any>)) | string_agg(<text>) IS NULL | CAST(max(named_struct('a', <int>, 'b', <str>)) AS STRING) | min(<bin>) | max(<str>) | every(<bool>) | approx_percentile(<int>, <share>) | grouping_free()""".replace(" | grouping_free()", "")

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
        for _ in range(self.random.randint(1, 5)):
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
        kinds = [self.projection] * 8 + [self.grouped] * 4 + [self.joined] * 2 + [self.set_operation, self.ordered, self.nested, self.with_cte, self.distinct, self.exploded, self.correlated,
                                                                                     self.grouping_sets, self.using, self.piped, self.windowed, self.wide_set_operation]
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

    def exploded(self):
        source, columns = self.random.choice([("explode(<ints>)", "x"), ("posexplode(<strs>)", "n, x"), ("explode(<map>)", "x, y"), ("inline(<rows>)", "x, y"), ("explode(<grid>)", "x"), ("stack(2, <int>, <str>, <int>, <str>)", "x, y"),
                                              ("json_tuple(<json>, 'a', 'b')", "x, y"), ("posexplode(<map>)", "n, x, y"), ("explode(sequence(<pos>, <n>))", "x")])
        call = self.within(["t."], lambda: self.fill(source, 1))
        outer = self.random.choice(["", "OUTER "])
        if self.random.random() < 0.3:
            join = self.random.choice([", LATERAL", "LEFT JOIN LATERAL", "CROSS JOIN LATERAL"])
            return f"SELECT t.int, l.* FROM t{join if join[0] == ',' else ' ' + join} {call} AS l({columns})" + (" ON true" if join.startswith("LEFT") else "")
        if self.random.random() < 0.3:
            return f"SELECT {call.replace('t.', '')} FROM t"
        return f"SELECT int, e.* FROM t LATERAL VIEW {outer}{call.replace('t.', '')} e AS {columns}{self.within(['t.'], lambda: self.where(0.3))}"

    def correlated(self):
        kind = self.random.choice(UNIONS["plain"])
        item = self.random.choice([f"(SELECT count(*) FROM u WHERE u.{kind} = t.{kind})", f"(SELECT max(u.int) FROM u WHERE u.{kind} <=> t.{kind})", f"(SELECT sum(u.small) + t.tiny FROM u WHERE u.{kind} = t.{kind})",
                                   f"EXISTS (SELECT 1 FROM u WHERE u.{kind} = t.{kind} AND u.int > t.int)", f"t.{kind} IN (SELECT u.{kind} FROM u WHERE u.bool = t.bool)",
                                   f"(SELECT array_sort(collect_list(u.int)) FROM u WHERE u.{kind} = t.{kind})", f"t.{kind} NOT IN (SELECT u.{kind} FROM u WHERE u.bool <=> t.bool)"])
        return self.within(["t."], lambda: f"SELECT {self.items(1, 1)}, {item} AS s FROM t{self.where(0.3)}")

    def grouping_sets(self):
        a, b = self.random.sample(["bool", "tiny", "small", "int", "str", "date", "dec"], 2)
        group = self.random.choice([f"GROUPING SETS (({a}, {b}), ({a}), ())", f"ROLLUP ({a}, {b})", f"CUBE ({a}, {b})", f"{a}, ROLLUP ({b})", f"{a}, {b} WITH ROLLUP", f"{a}, {b} WITH CUBE", f"GROUPING SETS ({a}, {b})", f"{a}, GROUPING SETS (({b}), ())"])
        wanted = self.within([""], lambda: ", ".join(self.fill(self.random.choice(AGGREGATE_FORMS), 0) + self.alias(i) for i in range(2)))
        more = self.random.choice(["", f", grouping({a})", ", grouping_id()", f", grouping_id({a}, {b})"]) if "," in group else ""
        having = self.random.choice(["", "", " HAVING count(*) > 1", f" HAVING grouping({a}) = 0"])
        return f"SELECT {a}, {b}, {wanted}{more} FROM t GROUP BY {group}{having}"

    def using(self):
        kind = self.random.choice(UNIONS["plain"])
        join = self.random.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "LEFT ANTI JOIN"])
        if self.random.random() < 0.4:
            natural = self.random.choice(["NATURAL JOIN", "NATURAL LEFT JOIN", "NATURAL FULL OUTER JOIN"])
            return f"SELECT * FROM (SELECT {kind}, int AS a FROM t) x {natural} (SELECT {kind}, int AS b FROM u) y"
        star = self.random.choice([kind, f"{kind}, a", "*"]) if "SEMI" in join or "ANTI" in join else self.random.choice(["*", f"{kind}, a, b", f"x.{kind}, y.{kind}", f"x.*, {kind}"])
        return f"SELECT {star} FROM (SELECT {kind}, int AS a FROM t) x {join} (SELECT {kind}, int AS b FROM u) y USING ({kind})"

    def piped(self):
        def step():
            kind = self.random.choice(UNIONS["plain"])
            return self.random.choice([f"WHERE {self.expression('bool', 1)}", f"EXTEND {self.expression('plain', 1)} AS x{self.random.randint(0, 9)}", f"SET int = {self.expression('int', 1)}", f"DROP {self.random.choice(['bin', 'map', 'json'])}",
                                       "ORDER BY int, big, str, double, ts |> LIMIT 3", f"AS t |> JOIN (SELECT {kind} AS k FROM u) v ON t.{kind} = v.k", "UNION ALL TABLE t", "LIMIT 100"])

        def make():
            steps = [step() for _ in range(self.random.randint(1, 2))]
            last = self.random.choice([f"SELECT {self.items(2, 1)}", f"AGGREGATE {self.fill(self.random.choice(AGGREGATE_FORMS), 0)} AS a GROUP BY bool", f"AGGREGATE {self.fill(self.random.choice(AGGREGATE_FORMS), 0)} AS a, count(*) AS n", "SELECT int, str |> EXTEND int + 1 AS y |> DROP str"])
            return f"FROM t |> {' |> '.join(steps)} |> {last}"

        return self.within([""], make)

    def windowed(self):
        size, time = self.random.choice(["'1 day'", "'12 hours', '6 hours'", "'7 days', '7 days', '1 day'"]), self.random.choice(["ts", "ntz"])
        wanted = self.within([""], lambda: self.fill(self.random.choice(AGGREGATE_FORMS), 0))
        window = self.random.choice([f"window({time}, {size})", f"window({time}, '10 minutes')", f"session_window({time}, '1 hour')"])
        return f"SELECT {window} AS w, {wanted} AS a FROM t WHERE year({time}) BETWEEN 1900 AND 2100 GROUP BY {window}"

    def wide_set_operation(self):
        kinds = [self.random.choice(UNIONS["sortable"]) for _ in range(2)]
        other = [kind if self.random.random() < 0.8 else self.random.choice(UNIONS["plain"]) for kind in kinds]
        sides = [self.within([""], lambda side=side: ", ".join(self.expression(kind, 1) + f" AS c{i}" for i, kind in enumerate(side))) for side in (kinds, other)]
        third = f" {self.random.choice(['UNION', 'INTERSECT', 'EXCEPT'])} SELECT {self.within([''], lambda: ', '.join(self.leaf(kind) for kind in kinds))} FROM u" if self.random.random() < 0.4 else ""
        return f"SELECT {sides[0]} FROM t {self.random.choice(['UNION ALL', 'UNION', 'EXCEPT', 'INTERSECT', 'EXCEPT ALL', 'INTERSECT ALL', 'MINUS'])} SELECT {sides[1]} FROM u{third}"
