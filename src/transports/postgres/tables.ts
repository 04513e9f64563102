/**
 * A message is two rows of one id. `contents` is written once and read once; `queue` is small, so that claiming a message
 * rewrites a few bytes and not its body.
 *
 * - `ready_at`: `-infinity` while it can be claimed, else the time from which it can be: the end of a delay or of a lease.
 * - `held`: it was handed out and nobody has recorded what became of it. Once it can be claimed again it is a suspect.
 * - `front`: nothing of the same lane stands before it. Without a lane always true. Null while no claim has looked at it: a sender
 *   takes no lock, so that a long transaction of somebody who sends keeps no consumer waiting.
 * - `deliveries`: raised by every claim and therefore also the fence: a settlement that names an older number changes nothing.
 * - `lane`: the message's key, where the channel keeps lanes.
 *
 * Rows come and go all the time: they are vacuumed long before a table of their size usually would be.
 */
export const tables: string = `
  CREATE TABLE channels (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    lanes boolean NOT NULL
  );

  CREATE SEQUENCE message_ids;

  CREATE TABLE contents (
    id bigint PRIMARY KEY,
    envelope text NOT NULL,
    body bytea
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
  ALTER TABLE contents ALTER COLUMN body SET STORAGE EXTERNAL;

  CREATE TABLE queue (
    id bigint PRIMARY KEY,
    channel integer NOT NULL,
    sent_at timestamptz NOT NULL,
    ready_at timestamptz NOT NULL,
    held boolean NOT NULL DEFAULT false,
    front boolean,
    deliveries integer NOT NULL DEFAULT 0,
    turns integer NOT NULL DEFAULT 0,
    bytes integer NOT NULL,
    lane bytea
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
  CREATE INDEX queue_of_channel ON queue (channel, id);
  CREATE INDEX queue_claimable ON queue (channel, ready_at, id) WHERE front;
  CREATE INDEX queue_arrived ON queue (channel, id) WHERE front IS NULL;
  CREATE INDEX queue_lanes ON queue (channel, lane, id) WHERE lane IS NOT NULL;
  CREATE INDEX queue_held_lanes ON queue (channel, lane, ready_at) WHERE lane IS NOT NULL AND held;
  CREATE INDEX queue_held_behind ON queue (channel, ready_at) WHERE held AND NOT front;
`

/**
 * What is handed out in a channel without lanes stands here instead of in the queue, in which nothing but waiting messages is left: to take
 * a row away and to write a small one costs half of what it costs to change one that stands in several indexes. Once `until` is over, it is a
 * suspect. In lanes it stays in the queue, where its siblings see it.
 *
 * Whoever may change the queue may change this.
 */
export const leased: string = `
  CREATE TABLE leased (
    id bigint PRIMARY KEY,
    channel integer NOT NULL,
    until timestamptz NOT NULL,
    deliveries integer NOT NULL,
    turns integer NOT NULL,
    sent_at timestamptz NOT NULL,
    bytes integer NOT NULL
  ) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000);
  CREATE INDEX leased_until ON leased (channel, until);

  DO $$
    DECLARE given record;
    BEGIN
      FOR given IN SELECT * FROM information_schema.role_table_grants WHERE table_schema = current_schema AND table_name = 'queue' LOOP
        EXECUTE format('GRANT %s ON leased TO ', given.privilege_type)
          || CASE given.grantee WHEN 'PUBLIC' THEN 'PUBLIC' ELSE quote_ident(given.grantee) END;
      END LOOP;
    END
  $$;

  LOCK TABLE queue IN SHARE ROW EXCLUSIVE MODE;
  WITH taken AS (
    DELETE FROM queue q USING channels c WHERE c.id = q.channel AND NOT c.lanes AND q.held RETURNING q.*
  )
  INSERT INTO leased (id, channel, until, deliveries, turns, sent_at, bytes)
  SELECT id, channel, ready_at, deliveries, turns, sent_at, bytes FROM taken;

  DROP FUNCTION IF EXISTS claim(integer, boolean, integer, float8, boolean, boolean);
  DROP FUNCTION IF EXISTS choose(queue[], integer, boolean, timestamptz);
`

/**
 * A vacuum rests after so much work (200, unless told otherwise), that others get to the disk. With a million messages that keep moving, one of
 * `contents` lasted so long that a million rows had died meanwhile, and the table grew to 1.7 times its size.
 */
export const vacuumedFaster: string = ['contents', 'queue', 'leased']
  .map((table) => `ALTER TABLE ${table} SET (autovacuum_vacuum_cost_limit = 2000);`)
  .join('\n')
