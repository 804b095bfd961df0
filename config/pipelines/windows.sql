-- Events counted by ten minutes of their own time. Those that come more than ten minutes late are in `windows$late`
-- when lateTable is on.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE late_in (event_id STRING, device STRING, event_time TIMESTAMP, value INT)
  USING json OPTIONS (path 'late_in', maxFilesPerTrigger 1);

CREATE STREAMING TABLE windows
  USING parquet
  TBLPROPERTIES (path 'out/windows', checkpointLocation 'ckpt/windows', outputMode 'append', trigger 'availableNow')
AS SELECT window.start AS start, window.end AS `end`, count(*) AS `count`
   FROM STREAM late_in WATERMARK event_time DELAY OF INTERVAL 10 MINUTES
   GROUP BY window(event_time, '10 minutes');
