-- Revenue by customer and minute, exactly once, from topic `orders` to topic `revenue`.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE orders (id BIGINT, customer STRING, amount DECIMAL(10, 2), at TIMESTAMP)
  USING kafka OPTIONS (kafka.bootstrap.servers 'kafka:9092', subscribe 'orders', startingOffsets 'earliest', format 'json', key.format 'json', key.columns 'id');

CREATE STREAMING TABLE revenue
  USING kafka
  TBLPROPERTIES (kafka.bootstrap.servers 'kafka:9092', topic 'revenue', format 'json', key.columns 'customer', checkpointLocation '/data/ckpt/revenue', outputMode 'append',
                 trigger '1 second')
AS SELECT customer, window.start AS minute, sum(amount) AS revenue, count(*) AS orders
   FROM STREAM orders WATERMARK at DELAY OF INTERVAL 10 SECONDS
   GROUP BY customer, window(at, '1 minute');
