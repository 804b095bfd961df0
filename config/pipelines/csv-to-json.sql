-- Every minute, new CSV files are cleaned and written as JSON lines, one folder a day.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE readings (room STRING, at TIMESTAMP, celsius DOUBLE)
  USING csv OPTIONS (path 'readings', header 'true', mode 'DROPMALFORMED');

CREATE STREAMING TABLE clean
  USING json
  PARTITIONED BY (day)
  TBLPROPERTIES (path 'out/clean', checkpointLocation 'ckpt/clean', trigger '1 minute')
AS SELECT lower(trim(room)) AS room, at, round(celsius, 1) AS celsius, CAST(at AS DATE) AS day
   FROM STREAM readings
   WHERE celsius BETWEEN -60 AND 60;
