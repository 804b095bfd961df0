-- Rows into SQLite, each micro-batch exactly once: to_sqlite.py keeps the batch id in the same transaction as the rows.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE events (event_id STRING, device STRING, event_time TIMESTAMP, value DOUBLE)
  USING json OPTIONS (path 'in');

CREATE STREAMING TABLE to_sqlite
  USING exec
  TBLPROPERTIES (command 'python3 to_sqlite.py out.db', checkpointLocation 'ckpt/to_sqlite', trigger 'availableNow')
AS SELECT event_id, device, event_time, value FROM STREAM events;
