-- A landing folder of JSON lines becomes a Parquet table, exactly once: every file that arrives in in/ is taken once.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE landing (event_id STRING, device STRING, event_time TIMESTAMP, value INT)
  USING json OPTIONS (path 'in');

CREATE STREAMING TABLE events
  USING parquet
  TBLPROPERTIES (path 'out/events', checkpointLocation 'ckpt/events', outputMode 'append', trigger 'availableNow')
AS SELECT event_id, device, event_time, value
   FROM STREAM landing
   WHERE value >= 0;
