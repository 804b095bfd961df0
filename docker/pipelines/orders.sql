-- Makes orders: 20 a second, as JSON in topic `orders`.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE ticks USING rate OPTIONS (rowsPerSecond 20);

CREATE STREAMING TABLE orders
  USING kafka
  TBLPROPERTIES (kafka.bootstrap.servers 'kafka:9092', topic 'orders', format 'json', key.columns 'id', checkpointLocation '/data/ckpt/orders', trigger '1 second')
AS SELECT value AS id, concat('customer-', value % 50) AS customer, CAST(10 + value * 37 % 990 AS DECIMAL(10, 2)) AS amount, timestamp AS at FROM STREAM ticks;
