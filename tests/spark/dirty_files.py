"""Dirty CSV and JSON files with a schema and options, from a seed: what readers_differential.py reads twice."""
import json
import random

CORRUPT = "_corrupt_record"

# ---- texts that sit on the edges of the types ----

TEXTS = {
    "INT": ["0", "1", "-1", "+7", "007", "2147483647", "2147483648", "-2147483649", "1.0", "1e3", " 5", "5 ", "0x1F", "1_000", "٣"],
    "BIGINT": ["9223372036854775807", "9223372036854775808", "-9223372036854775808", "12345678901", "1L", "--1", "+", "-"],
    "SMALLINT": ["32767", "32768", "-32768", "-32769", "12"],
    "TINYINT": ["127", "128", "255", "256", "-128", "-129", "3"],
    "DOUBLE": ["1.5", "-2", "1e5", "1E-5", ".5", "5.", "1d", "1f", "NaN", "nan", "Inf", "-Inf", "Infinity", "inf", "0x1p3", "1e400", "-0.0",
               "1,5", "1e", "4.9e-324", "1.7976931348623157e308", "123456789012345678901234567890", "+1.5", " 2.5 "],
    "FLOAT": ["1.1", "3.4028235e38", "1e39", "16777217", "1e-46", "-0"],
    "BOOLEAN": ["true", "false", "TRUE", "False", "t", "1", "0", "yes", " true"],
    "DECIMAL(10,2)": ["1.235", "1.245", "-1.235", "99999999.995", "100000000", "1e2", "1,234.5", "1E+3", "0.005", "1e-400", "12345678.9", "-"],
    "DECIMAL(38,10)": ["12345678901234567890123456789", "1.00000000005", "9" * 40, "1e28", "-0.0000000001", "0E-20"],
    "DATE": ["2024-02-29", "2023-02-29", "2024-3-5", "2024", "2024-07", "2024-01-01 junk", "2024-01-01T10:00:00", "0001-01-01", "-0001-01-01",
             "12345-01-01", "20240101", "01/02/2024", "05.06.2024", "epoch", "today", "2024-13-01", " 2024-01-02 ", "1582-10-10", "19000"],
    "TIMESTAMP": ["2024-01-02 03:04:05", "2024-01-02T03:04:05Z", "2024-01-02T03:04:05.123456789+01:00", "2024-01-02 03:04", "2024-01-02 7",
                  "2024-01-02T03:04:05 Europe/Paris", "2024-03-31 02:30:00", "2024-10-27 02:30:00", "1700000000", "2024-02-30 00:00:00", "24:00:00",
                  "2024-01-02 23:59:60", "02/01/2024 03:04", "2024-01-02T03:04:05.", "2024-01-02T03:04:05.1", "2024-01-02T03:04:05+0530",
                  "2024-01-02T03:04:05-8:00", "0001-01-01 00:00:00", "9999-12-31 23:59:59.999999", "294247-01-10T04:00:54.775807Z", "1883-11-18 12:00:00",
                  "2024-01-02T03:04:05 PST", "2024-01-02T03:04Z", "2024/01/02 03:04:05", "2024-01-02T03:04:05.123UTC+2"],
    "STRING": ["x", "abc", "", " a ", "grün", "日本", "😀", "NULL", "null", "a b", "\u00a0", "\u2028", "'", "-", "#", "\x00", "a\tb", "\ufeff", "ß" * 20],
    "BINARY": ["abc", "AAEC", "YQ==", "YQ", "!!", "é"],
}
TEXTS["TIMESTAMP_NTZ"] = TEXTS["TIMESTAMP"]
FORMATS = {
    "dateFormat": ["dd/MM/yyyy", "yyyyMMdd", "d.M.yyyy", "yyyy-MM-dd", "MMM d, yyyy", "yyyy-D", "dd-MM-yy", "yyyy/MM/dd"],
    "timestampFormat": ["yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy HH:mm", "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]", "yyyy/MM/dd HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ssXXX",
                        "MM-dd-yyyy hh:mm a", "yyyy-MM-dd HH:mm:ss.SSSSSS", "yyyy-MM-dd'T'HH:mm:ssZ", "yyyy-MM-dd HH:mm:ss z", "yyyyMMddHHmmss"],
    "timestampNTZFormat": ["yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy HH:mm", "yyyy-MM-dd'T'HH:mm:ss[.SSS]"],
}
FORMATTED = {
    "DATE": ["02/01/2024", "20240102", "2.1.2024", "Jan 2, 2024", "2024-45", "02-01-24", "2024/01/02", "31/02/2024", "1/2/2024"],
    "TIMESTAMP": ["02/01/2024 03:04", "2024-01-02T03:04:05+01:00", "2024-01-02T03:04:05.123Z", "01-02-2024 03:04 PM", "2024-01-02 03:04:05.123456",
                  "2024-01-02T03:04:05+0100", "2024-01-02 03:04:05 CET", "20240102030405", "2024/01/02 03:04:05"],
}
ZONES = ["UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata", "+05:30"]
SIMPLE = [kind for kind in TEXTS]
BAD_BYTES = [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\x80", b"\x80", b"\xe2\x82"]


class Case:
    """files: name -> bytes; schema: list of (name, type) or None for inference; options; selected: columns, None for all."""

    def __init__(self, kind, seed, number):
        self.kind, self.name = kind, f"{kind}-{seed}-{number}"
        self.random = random.Random(f"{kind} {seed} {number}")
        self.options, self.schema, self.files = {}, [], {}
        self.selected = None

    def pick(self, items):
        return self.random.choice(items)

    def chance(self, probability):
        return self.random.random() < probability

    def ddl(self):
        return ", ".join(f"`{name}` {kind}" for name, kind in self.schema)

    def columns(self):
        return [name for name, _ in self.schema] if self.schema else []

    def add_common_options(self):
        if self.schema is not None and self.chance(0.6):
            self.options["mode"] = self.pick(["PERMISSIVE", "PERMISSIVE", "PERMISSIVE", "DROPMALFORMED", "DROPMALFORMED", "FAILFAST"])
        for name, formats in FORMATS.items():
            if self.chance(0.12):
                self.options[name] = self.pick(formats)
        if self.chance(0.15):
            self.options["timeZone"] = self.pick(ZONES)
        if self.schema is not None and self.chance(0.6):
            name = CORRUPT
            if self.chance(0.1):
                name = self.options["columnNameOfCorruptRecord"] = "bad"
            self.schema.insert(self.random.randrange(1, len(self.schema) + 1) if self.chance(0.2) else len(self.schema), (name, "STRING"))

    def damage(self, data):
        """Now and then bytes that no encoder makes."""
        if self.chance(0.12) and data:
            at = self.random.randrange(len(data) + 1)
            data = data[:at] + self.pick(BAD_BYTES) + data[at:]
        if self.chance(0.05):
            data = data[:self.random.randrange(len(data) + 1)]
        if self.chance(0.05):
            data = b"\xef\xbb\xbf" + data
        return data


def cell(case, kind):
    source = TEXTS.get(kind, TEXTS["STRING"])
    if case.chance(0.15):
        source = TEXTS[case.pick(SIMPLE)]
    elif kind in ("DATE", "TIMESTAMP", "TIMESTAMP_NTZ") and case.chance(0.3):
        source = FORMATTED["DATE" if kind == "DATE" else "TIMESTAMP"]
    return case.pick(source)


# ---- CSV ----


def csv_case(seed, number):
    case = Case("csv", seed, number)
    case.schema = [(name, case.pick(SIMPLE)) for name in "abcdefg"[:case.random.randint(1, 5)]]
    kinds = [kind for _, kind in case.schema]
    options = case.options
    if case.chance(0.3):
        options["sep"] = case.pick([";", "\t", "|", "::", " ", "||", "a", "^"])
    if case.chance(0.15):
        options["quote"] = case.pick(["'", "", "|"])
    if case.chance(0.25):
        options["escape"] = case.pick(['"', "", "'", "/"])
    if case.chance(0.08):
        options["charToEscapeQuoteEscaping"] = case.pick(["\\", '"', "#"])
    if case.chance(0.15):
        options["comment"] = case.pick(["#", "x", "-"])
    if case.chance(0.35):
        options["header"] = "true"
        if case.chance(0.3):
            options["enforceSchema"] = "false"
    for name in ("ignoreLeadingWhiteSpace", "ignoreTrailingWhiteSpace"):
        if case.chance(0.15):
            options[name] = "true"
    if case.chance(0.2):
        options["nullValue"] = case.pick(["NULL", "-", "null", "1", "x", " "])
    if case.chance(0.1):
        options["emptyValue"] = case.pick(["EMPTY", "0", "-"])
    for name, values in (("nanValue", ["nan", "x"]), ("positiveInf", ["inf", "1e400"]), ("negativeInf", ["-inf", "-1"])):
        if case.chance(0.04):
            options[name] = case.pick(values)
    if case.chance(0.25):
        options["multiLine"] = "true"
    if case.chance(0.12):
        options["lineSep"] = case.pick(["\n", "\r\n", "\r", ";", "xy"] if "multiLine" not in options else ["\n", "\r", ";"])
    if case.chance(0.12):
        options["unescapedQuoteHandling"] = case.pick(["STOP_AT_DELIMITER", "STOP_AT_CLOSING_QUOTE", "BACK_TO_DELIMITER", "SKIP_VALUE", "RAISE_ERROR"])
    if case.chance(0.06):
        options["maxColumns"] = case.pick(["2", "4"])
    if case.chance(0.06):
        options["maxCharsPerColumn"] = case.pick(["3", "10", "30"])
    if case.chance(0.05):
        options["columnPruning"] = "false"
    encoding = "utf-8"
    if case.chance(0.1):
        options["encoding"] = case.pick(["UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16LE", "UTF-16BE", "UTF-16"])
        encoding = {"US-ASCII": "ascii"}.get(options["encoding"], options["encoding"].lower())
    is_inferred = case.chance(0.2)
    if is_inferred:
        options["inferSchema"] = case.pick(["true", "true", "true", "false"])
        if case.chance(0.2):
            options["preferDate"] = "false"
    header = [name for name, _ in case.schema]
    if is_inferred:
        case.schema = None
    case.add_common_options()
    several = not (is_inferred and "multiLine" in options) and case.chance(0.15)  # Spark infers from any file first
    for file in range(2 if several else 1):
        text = csv_text(case, header, kinds, small_cells=is_inferred)
        data = text.encode(encoding, errors="replace")
        case.files[f"part-{file}.csv"] = case.damage(data) if encoding == "utf-8" else data
    if case.schema and case.chance(0.15):
        columns = [name for name in case.columns() if name != CORRUPT]
        case.selected = case.random.sample(columns, case.random.randint(1, len(columns)))
    return case


def csv_text(case, header, kinds, small_cells):
    end = case.options.get("lineSep") or case.pick(["\n", "\n", "\n", "\r\n", "\r"])
    sep = case.options.get("sep", ",")
    quote = case.options.get("quote", '"') or '"'
    escape = case.options.get("escape", "\\") or "\\"
    names = list(header)
    if case.options.get("header") and case.chance(0.2):
        names = case.pick([names[::-1], names[:-1], names + ["more"], [n.upper() for n in names], ["a"] * len(names), [""] * len(names)])
    lines = [sep.join(names)] if case.options.get("header") else []
    habits = {kind: case.random.sample(TEXTS[kind], min(3, len(TEXTS[kind]))) for kind in sorted(set(kinds))} if small_cells else None
    for _ in range(case.random.randint(0, 8)):
        if case.chance(0.06):
            lines.append(case.pick(["", " ", "\t", "#comment", "x", sep, quote, quote + quote, '"', "\\", "-"]))
            continue
        cells = [case.pick(habits[kind]) if habits and case.chance(0.9) else cell(case, kind) for kind in kinds]
        if case.chance(0.1):
            cells = case.pick([cells[:-1], cells + ["extra"], cells + [""], cells[:1]])
        lines.append(sep.join(csv_cell(case, text, sep, quote, escape, end) for text in cells))
    return end.join(lines) + (end if case.chance(0.8) else "")


def csv_cell(case, text, sep, quote, escape, end):
    roll = case.random.random()
    if roll < 0.55:
        return text
    if roll < 0.75:
        return quote + text.replace(quote, escape + quote) + quote
    if roll < 0.80:
        inner = case.pick([sep, end, quote, escape, escape + quote, quote + quote, escape + escape, "\r", "\n", "\r\n"])
        at = case.random.randint(0, len(text))
        return quote + text[:at] + inner + text[at:] + quote
    if roll < 0.84:
        return case.pick([" ", "\t", "\u00a0", "\x01"]) + quote + text + quote + case.pick(["", " ", "x"])
    if roll < 0.88:
        return quote + text + quote + case.pick([" ", "x", " x", quote, "\t"])
    if roll < 0.91:
        return case.pick(["", quote + quote, " ", quote + " " + quote])
    if roll < 0.93:
        return quote + text
    if roll < 0.95:
        return text + quote
    if roll < 0.97:
        return text + escape + case.pick([sep, "n", quote, escape])
    return case.pick([" ", "  "]) + text + case.pick([" ", ""])


# ---- JSON ----

KEYS = ["a", "b", "c", "d", "e"]
ODD = ["", "1.0", "1e3", "-0", "1e400", "01", ".5", "+5", "NaN", "Infinity", "-INF", "nul", "tru", "True", "0x1", "1L", "[", "]", "{", "}", "[]", "{}",
       "[1,2", '{"x":}', "'s'", '"a', "/*c*/1", "undefined", '"\\q"', '"\\u12"', '"\\ud800"', '"\\ud83d\\ude00"', '"\\u0000"', '"a\tb"', "1 2", "--1",
       "1.", "1e", "-", "9" * 30, "1" * 1001, "123456789012345678901234567890.5", "null", "true", "false", '""', "0.1", "-1.5E-3"]


def json_type(case, depth=0):
    if depth < 3 and case.chance(0.25):
        shape = case.pick(["ARRAY", "MAP", "STRUCT"])
        if shape == "ARRAY":
            return f"ARRAY<{json_type(case, depth + 1)}>"
        if shape == "MAP":
            return f"MAP<STRING, {json_type(case, depth + 1)}>"
        return "STRUCT<" + ", ".join(f"{key}: {json_type(case, depth + 1)}" for key in "xyz"[:case.random.randint(1, 3)]) + ">"
    return case.pick(SIMPLE)


def inner_types(kind):
    """The types inside the outer < >."""
    inner, depth, start, out = kind[kind.index("<") + 1:-1], 0, 0, []
    for at, sign in enumerate(inner):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and depth == 0:
            out.append(inner[start:at].strip())
            start = at + 1
    return out + [inner[start:].strip()]


def json_value(case, kind, depth=0):
    """The text of a value that mostly fits the type."""
    if case.chance(0.07):
        return case.pick(ODD)
    if case.chance(0.05):
        return "null"
    if case.chance(0.04) and depth < 4:
        kind = json_type(case, depth + 1)
    if kind.startswith("ARRAY<"):
        inner = inner_types(kind)[0]
        return "[" + ",".join(json_value(case, inner, depth + 1) for _ in range(case.random.randint(0, 3))) + "]"
    if kind.startswith("MAP<"):
        inner = inner_types(kind)[1]
        return json_object(case, [(case.pick(["k", "l", "", "k k", "é"]), inner) for _ in range(case.random.randint(0, 3))], depth)
    if kind.startswith("STRUCT<"):
        return json_object(case, [tuple(part.split(": ", 1)) for part in inner_types(kind)], depth)
    return json_plain(case, kind)


def json_plain(case, kind):
    text = cell(case, kind)
    is_number = kind in ("INT", "BIGINT", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "BOOLEAN") or kind.startswith("DECIMAL")
    if case.chance(0.1):
        is_number = not is_number
    if kind.startswith("TIMESTAMP") and case.chance(0.1):
        return str(case.pick([0, 1, -1, 1700000000, 1700000000000, -62135596800, 10**18, 1.5]))
    if is_number and text.strip() and "," not in text:
        return text.strip()
    quoted = json.dumps(text, ensure_ascii=case.chance(0.5))
    return "'" + quoted[1:-1].replace("'", "\\'") + "'" if case.chance(0.04) else quoted


def json_object(case, fields, depth=0):
    blank = case.pick(["", "", "", " ", "\t", "  "])
    parts = []
    for name, kind in fields:
        if case.chance(0.1):
            continue
        if case.chance(0.03):
            name = case.pick([name.upper(), "zz", name + " ", ""])
        key = name if case.chance(0.015) else f"'{name}'" if case.chance(0.015) else json.dumps(name, ensure_ascii=case.chance(0.5))
        parts.append(f"{key}{blank}:{blank}{json_value(case, kind, depth + 1)}")
    if parts and case.chance(0.04):
        parts.append(case.pick(parts))
    if case.chance(0.1):
        case.random.shuffle(parts)
    return "{" + blank + f",{blank}".join(parts) + blank + "}"


def json_record(case, schema):
    text = json_object(case, schema)
    roll = case.random.random()
    if roll < 0.04 and text:
        at = case.random.randrange(len(text))
        return text[:at]
    if roll < 0.07:
        at = case.random.randrange(len(text))
        return text[:at] + case.pick(list('{}[]",:\\\'0a /#\t')) + text[at + 1:]
    if roll < 0.09:
        return text + case.pick([" junk", ",", "}", text, " ", "]", "//c", "\x00"])
    if roll < 0.11:
        return "[" + ",".join(json_object(case, schema) for _ in range(case.random.randint(0, 3))) + "]"
    if roll < 0.13:
        return case.pick(["", " ", "null", "5", '"s"', "true", "[]", "[1]", "{}", "[null]", "xyz", "/*c*/{}", "\t", "{", "}", '{"a"', '{"a":', "\x00", "[{}", "{}{}"])
    return text


def json_case(seed, number):
    case = Case("json", seed, number)
    case.schema = [(name, json_type(case)) for name in KEYS[:case.random.randint(1, 5)]]
    written = list(case.schema)
    options = case.options
    for name in ("allowComments", "allowUnquotedFieldNames", "allowNumericLeadingZeros", "allowBackslashEscapingAnyCharacter", "allowUnquotedControlChars"):
        if case.chance(0.12):
            options[name] = "true"
    for name in ("allowSingleQuotes", "allowNonNumericNumbers"):
        if case.chance(0.12):
            options[name] = "false"
    if case.chance(0.25):
        options["multiLine"] = "true"
    if case.chance(0.08):
        options["lineSep"] = case.pick(["\n", "\r\n", ";", "\r"])
    encoding = "utf-8"
    if case.chance(0.1):
        options["encoding"] = case.pick(["UTF-8", "UTF-16LE", "UTF-16BE", "ISO-8859-1", "UTF-32LE"])
        encoding = options["encoding"].lower()
        options.setdefault("lineSep", "\n")
    if case.chance(0.2):
        case.schema = None
        for name in ("primitivesAsString", "prefersDecimal", "inferTimestamp", "dropFieldIfAllNull"):
            if case.chance(0.25):
                options[name] = "true"
    case.add_common_options()
    end = options.get("lineSep") or case.pick(["\n", "\n", "\n", "\r\n", "\r"])
    for file in range(1 if case.chance(0.85) else 2):
        count = case.random.randint(0, 7)
        if options.get("multiLine") and case.chance(0.6):
            text = "[\n" + ",\n".join(json_record(case, written) for _ in range(count)) + "\n]\n"
        else:
            text = end.join(json_record(case, written) for _ in range(count)) + (end if case.chance(0.8) else "")
        data = text.encode(encoding, errors="replace")
        case.files[f"part-{file}.json"] = case.damage(data) if encoding == "utf-8" else data
    if case.schema and case.chance(0.15):
        columns = [name for name in case.columns() if name != CORRUPT]
        case.selected = case.random.sample(columns, case.random.randint(1, len(columns)))
    return case


# ---- text ----


def text_case(seed, number):
    case = Case("text", seed, number)
    case.schema = [("value", "STRING")]
    if case.chance(0.2):
        case.options["wholetext"] = "true"
    if case.chance(0.3):
        case.options["lineSep"] = case.pick(["\n", "\r\n", "\r", ";", "ab", "abc", "é", " "])
    pieces = [piece.encode() for piece in ["a", "b", "ab", "abc", "é", "\n", "\r", "\r\n", ";", " ", "\0", "\f", "\u2028", "\x85"]] + BAD_BYTES
    for file in range(case.random.randint(1, 3)):
        data = b"".join(case.pick(pieces) for _ in range(case.random.randint(0, 20)))
        case.files[f"part-{file}.txt"] = case.damage(data)
    return case


MAKERS = {"csv": csv_case, "json": json_case, "text": text_case}
