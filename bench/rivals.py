#!/usr/bin/env python3
"""The queries of the gates in other engines: rivals.py duckdb|polars|spark WORKLOAD DATA OUT. One process, one result."""
import sys

EVENTS = """read_json('{data}/events_json/part-*', format='newline_delimited', columns={{user_id:'BIGINT', event:'VARCHAR', ts:'TIMESTAMPTZ',
        amount:'DOUBLE', country:'VARCHAR'}})"""
BID = """read_json('{data}/bid_json/part-*', format='newline_delimited', columns={{auction:'BIGINT', bidder:'BIGINT', price:'BIGINT',
        channel:'VARCHAR', dateTime:'TIMESTAMPTZ'}})"""
SLIDES = f"SELECT time_bucket(INTERVAL '2 seconds', dateTime) - INTERVAL 2 SECONDS * k AS w, auction FROM {BID}, range(5) t(k)"
RANKS = """count(*) AS total_bids, count(*) FILTER (WHERE price < 10000) AS rank1_bids,
        count(*) FILTER (WHERE price >= 10000 AND price < 1000000) AS rank2_bids, count(*) FILTER (WHERE price >= 1000000) AS rank3_bids"""
W10 = "time_bucket(INTERVAL '10 seconds', dateTime) AS w"
NEXMARK = {
    "nexmark_q5_count": f"SELECT w, auction, count(*) AS num FROM ({SLIDES}) GROUP BY ALL",
    "nexmark_q5": f"""SELECT w, top.auction AS auction, top.num AS num FROM (SELECT w, max({{{{num: num, auction: auction}}}}) AS top
        FROM (SELECT w, auction, count(*) AS num FROM ({SLIDES}) GROUP BY ALL) GROUP BY w)""",
    "nexmark_q7": f"""SELECT w, top.price AS price, top.auction AS auction, top.bidder AS bidder FROM (
        SELECT {W10}, max({{{{price: price, auction: auction, bidder: bidder}}}}) AS top FROM {BID} GROUP BY ALL)""",
    "nexmark_q8": f"""SELECT p.id, p.name, p.w FROM (SELECT DISTINCT {W10}, id, name FROM read_json('{{data}}/person_json/part-*',
        format='newline_delimited', columns={{{{id:'BIGINT', name:'VARCHAR', dateTime:'TIMESTAMPTZ'}}}})) p
        JOIN (SELECT DISTINCT {W10}, seller FROM read_json('{{data}}/auction_json/part-*', format='newline_delimited',
        columns={{{{seller:'BIGINT', dateTime:'TIMESTAMPTZ'}}}})) a ON p.id = a.seller AND p.w = a.w""",
    "nexmark_q11": f"""SELECT bidder, count(*) AS n, min(dateTime) AS s, max(dateTime) + INTERVAL 10 SECONDS AS e FROM (
        SELECT bidder, dateTime, sum(is_new) OVER (PARTITION BY bidder ORDER BY dateTime) AS g FROM (
        SELECT bidder, dateTime, CASE WHEN dateTime - lag(dateTime) OVER (PARTITION BY bidder ORDER BY dateTime) <= INTERVAL 10 SECONDS
        THEN 0 ELSE 1 END AS is_new FROM {BID})) GROUP BY bidder, g""",
    "nexmark_q12": f"SELECT bidder, count(*) AS n, {W10} FROM {BID} GROUP BY ALL",
    "nexmark_q15": f"SELECT {W10}, {RANKS} FROM {BID} GROUP BY ALL",
    "nexmark_q16": f"SELECT channel, {W10}, strftime(max(dateTime), '%H:%M:%S') AS last_time, {RANKS} FROM {BID} GROUP BY ALL",
    "nexmark_q17": f"""SELECT auction, {W10}, {RANKS}, min(price) AS min_price, max(price) AS max_price, avg(price) AS avg_price,
        sum(price)::BIGINT AS sum_price FROM {BID} GROUP BY ALL""",
}
# The stateful ones are the whole answer at once: no batches, nothing kept.
STATEFUL = {
    "window_few": f"""SELECT time_bucket(INTERVAL '10 seconds', ts) AS w, country, event, count(*) AS n, max(amount) AS top FROM {EVENTS}
        GROUP BY ALL""",
    "window_many": f"SELECT time_bucket(INTERVAL '10 minutes', ts) AS w, user_id, count(*) AS n FROM {EVENTS} GROUP BY ALL",
    "dedup_all": """SELECT DISTINCT event_id FROM read_json('{data}/ids_json/part-*', format='newline_delimited', columns={{event_id:'VARCHAR'}})""",
    "sessions": """SELECT user_id, s, min(ts) AS b, max(ts) + INTERVAL 5 MINUTES AS e, count(*) AS n FROM (
        SELECT user_id, ts, sum(is_new) OVER (PARTITION BY user_id ORDER BY ts) AS s FROM (
        SELECT user_id, ts, CASE WHEN ts - lag(ts) OVER (PARTITION BY user_id ORDER BY ts) <= INTERVAL 5 MINUTES THEN 0 ELSE 1 END AS is_new
        FROM read_json('{data}/visits_json/part-*', format='newline_delimited', columns={{user_id:'BIGINT', ts:'TIMESTAMPTZ'}})))
        GROUP BY user_id, s""",
    "stream_join": """SELECT i.imp_id, i.ad_id, i.ts AS shown, c.user_id, c.ts AS clicked
        FROM read_json('{data}/impressions_json/part-*', format='newline_delimited', columns={{imp_id:'BIGINT', ad_id:'BIGINT', ts:'TIMESTAMPTZ'}}) i
        JOIN read_json('{data}/clicks_json/part-*', format='newline_delimited', columns={{imp_id:'BIGINT', user_id:'BIGINT', ts:'TIMESTAMPTZ'}}) c
        ON i.imp_id = c.imp_id AND c.ts >= i.ts AND c.ts <= i.ts + INTERVAL 1 MINUTE""",
    "ysb": """SELECT time_bucket(INTERVAL '10 seconds', to_timestamp(event_time::BIGINT / 1000)) AS w, campaign_id, count(*) AS n
        FROM read_json('{data}/ads_json/part-*', format='newline_delimited', columns={{ad_id:'VARCHAR', event_type:'VARCHAR', event_time:'VARCHAR'}}) a
        JOIN read_csv('{data}/campaigns_csv/part-*', header=true, columns={{ad_id:'VARCHAR', campaign_id:'VARCHAR'}}) c ON a.ad_id = c.ad_id
        WHERE event_type = 'view' GROUP BY ALL""",
}
DUCKDB = {
    **{name: f"COPY ({query}) TO '{{out}}' (FORMAT parquet, COMPRESSION snappy)" for name, query in (STATEFUL | NEXMARK).items()},
    "json_parquet": """COPY (SELECT user_id, event, ts, amount * 1.1 AS amount_tax, country
        FROM read_json('{data}/events_json/part-*', format='newline_delimited', columns={{user_id:'BIGINT', event:'VARCHAR', page:'VARCHAR',
        ts:'TIMESTAMPTZ', amount:'DOUBLE', country:'VARCHAR', ok:'BOOLEAN'}}) WHERE ok AND amount > 100)
        TO '{out}' (FORMAT parquet, COMPRESSION snappy)""",
    "csv_parquet": """COPY (SELECT * FROM read_csv('{data}/events_csv/part-*', header=true, columns={{user_id:'BIGINT', event:'VARCHAR',
        page:'VARCHAR', ts:'TIMESTAMPTZ', amount:'DOUBLE', country:'VARCHAR', ok:'BOOLEAN'}}))
        TO '{out}' (FORMAT parquet, COMPRESSION snappy)""",
    "static_join": """COPY (SELECT e.user_id, e.event, e.ts, e.page, p.category, p.owner
        FROM read_json('{data}/events_json/part-*', format='newline_delimited', columns={{user_id:'BIGINT', event:'VARCHAR', page:'VARCHAR',
        ts:'TIMESTAMPTZ'}}) e JOIN read_csv('{data}/pages_csv/part-*', header=true,
        columns={{page:'VARCHAR', category:'VARCHAR', owner:'BIGINT'}}) p ON e.page = p.page WHERE e.event <> 'logout')
        TO '{out}' (FORMAT parquet, COMPRESSION snappy)""",
    "start_up": """COPY (SELECT user_id, event, ts, country
        FROM read_json('{data}/one_json/part-*', format='newline_delimited', columns={{user_id:'BIGINT', event:'VARCHAR', ts:'TIMESTAMPTZ',
        country:'VARCHAR', ok:'BOOLEAN'}}) WHERE ok) TO '{out}' (FORMAT parquet, COMPRESSION snappy)""",
}


def run_duckdb(workload, data, out):
    import duckdb
    duckdb.sql(f"SET TimeZone = 'UTC'; SET threads = {THREADS}")
    duckdb.sql(DUCKDB[workload].format(data=data, out=out))


def run_polars(workload, data, out):
    import polars as pl
    event = {"user_id": pl.Int64, "event": pl.String, "page": pl.String, "ts": pl.String, "amount": pl.Float64,
             "country": pl.String, "ok": pl.Boolean}
    stamp = pl.col("ts").str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_unit="us", time_zone="UTC")
    if workload == "csv_parquet":
        frame = pl.scan_csv(f"{data}/events_csv/part-*", schema=event).with_columns(stamp)
    else:
        folder = "one_json" if workload == "start_up" else "events_json"
        frame = pl.scan_ndjson(f"{data}/{folder}/part-*", schema=event)
    if workload == "json_parquet":
        frame = frame.filter(pl.col("ok") & (pl.col("amount") > 100)).select(
            "user_id", "event", stamp, (pl.col("amount") * 1.1).alias("amount_tax"), "country")
    elif workload == "start_up":
        frame = frame.filter(pl.col("ok")).select("user_id", "event", stamp, "country")
    elif workload == "static_join":
        pages = pl.scan_csv(f"{data}/pages_csv/part-*", schema={"page": pl.String, "category": pl.String, "owner": pl.Int64})
        frame = frame.filter(pl.col("event") != "logout").join(pages, on="page").select(
            "user_id", "event", stamp, "page", "category", "owner")
    frame.sink_parquet(out, compression="snappy")


THREADS = int(sys.argv[5]) if len(sys.argv) > 5 else 2
{"duckdb": run_duckdb, "polars": run_polars}[sys.argv[1]](sys.argv[2], sys.argv[3], sys.argv[4])
