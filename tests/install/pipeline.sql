CREATE TABLE landing (id INT, name STRING) USING json OPTIONS (path 'in');

CREATE STREAMING TABLE kept
  USING parquet
  TBLPROPERTIES (path 'out/kept', checkpointLocation 'ckpt/kept', trigger '1 second')
AS SELECT id, name FROM STREAM landing WHERE id > 0;
