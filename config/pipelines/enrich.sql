-- A stream joined with a table that is read again whenever one of its files changes; new files come with the next start.
SET spark.sql.session.timeZone = UTC;

CREATE TABLE orders (order_id BIGINT, product STRING, amount DECIMAL(12,2))
  USING json OPTIONS (path 'orders', maxFilesPerTrigger 100);

CREATE TABLE products (product STRING, category STRING)
  USING csv OPTIONS (path 'products');

CREATE STREAMING TABLE enriched
  USING parquet
  TBLPROPERTIES (path 'out/enriched', checkpointLocation 'ckpt/enriched', trigger 'availableNow')
AS SELECT o.order_id, o.product, p.category, o.amount
   FROM STREAM orders AS o LEFT JOIN products AS p ON o.product = p.product;
