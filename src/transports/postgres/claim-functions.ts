import { pinned } from './sql-words.ts'

/** Whether nobody holds a later message of its lane. */
const free = `(q.lane IS NULL OR NOT EXISTS (
  SELECT FROM queue h WHERE h.channel = q.channel AND h.lane = q.lane AND h.held AND h.ready_at > moment))`

/** Bodies that one claim brings into memory at most, unless a single one is larger. */
const claimedBytes = 32 * 1024 * 1024

/** Rows that another claim has locked are leased in a moment, or free again: asked about after so many milliseconds. */
const contended = 25

const claimed = `TABLE (
    id bigint, deliveries integer, turns integer, sent_at float8, lane bytea, envelope text, body bytea,
    suspect boolean, withheld boolean, next_in float8
  )`

const milliseconds = (time: string): string => `floor(extract(epoch FROM ${time}) * 1000)::float8`
const leaseEnd = "moment + least(hold, 3e12) * interval '1 millisecond'"

/** To whoever gets nothing. */
const nothing = (isWithheld: string): string => `
      RETURN QUERY SELECT NULL::bigint, NULL::integer, NULL::integer, NULL::float8, NULL::bytea, NULL::text, NULL::bytea, false,
        ${isWithheld}, next_in(in_channel, moment);`

/**
 * Hands out what can be claimed in a channel without lanes, oldest first: what is due again stands in its old place. Everything before
 * the first suspect; or, when that is the first, the suspect with the fewest turns alone, so that consumers which are killed from
 * outside, again and again, do not blame the same one each time. To empty hands its turn counts at once.
 */
const claim = `
  CREATE OR REPLACE FUNCTION claim(in_channel integer, behind bigint, most integer, hold float8, suspects boolean, counts boolean)
  RETURNS ${claimed} LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz := clock_timestamp(); ended bigint[]; first_ended bigint;
    BEGIN
      SELECT array_agg(e.id), min(e.id) INTO ended, first_ended FROM (
        SELECT l.id FROM leased l WHERE l.channel = in_channel AND l.until <= moment
        ORDER BY l.until, l.id LIMIT most FOR UPDATE SKIP LOCKED
      ) AS e;
      RETURN QUERY
        WITH found AS MATERIALIZED (
          SELECT * FROM (
            SELECT q.id, q.bytes FROM queue q
            WHERE q.channel = in_channel AND q.front AND q.ready_at = '-infinity' AND q.id > behind
            ORDER BY q.id LIMIT most FOR UPDATE SKIP LOCKED
          ) AS ready
          UNION ALL
          SELECT * FROM (
            SELECT q.id, q.bytes FROM queue q
            WHERE q.channel = in_channel AND q.front AND q.ready_at > '-infinity' AND q.ready_at <= moment
            ORDER BY q.ready_at, q.id LIMIT most FOR UPDATE SKIP LOCKED
          ) AS due
        ), sized AS (
          SELECT f.id, sum(f.bytes) OVER oldest_first AS total, row_number() OVER oldest_first AS position
          FROM found f WHERE f.id < coalesce(first_ended, 9223372036854775807) WINDOW oldest_first AS (ORDER BY f.id ROWS UNBOUNDED PRECEDING)
        ), taken AS (
          DELETE FROM queue q USING sized s
          WHERE q.id = s.id AND s.position <= most AND (s.position = 1 OR s.total <= ${claimedBytes}) RETURNING q.*
        ), held AS (
          INSERT INTO leased (id, channel, until, deliveries, turns, sent_at, bytes)
          SELECT t.id, t.channel, ${leaseEnd}, t.deliveries + 1, t.turns, t.sent_at, t.bytes FROM taken t
        )
        SELECT t.id, t.deliveries + 1, t.turns, ${milliseconds('t.sent_at')}, NULL::bytea, c.envelope, c.body, false, false, NULL::float8
        FROM taken t JOIN contents c ON c.id = t.id ORDER BY t.id;
      IF FOUND THEN RETURN; END IF;
      IF ended IS NOT NULL AND suspects THEN
        RETURN QUERY
          WITH again AS (
            UPDATE leased l SET until = ${leaseEnd}, deliveries = l.deliveries + 1, turns = l.turns + counts::integer
            WHERE l.id = (SELECT s.id FROM leased s WHERE s.id = ANY (ended) ORDER BY s.turns, s.id LIMIT 1) RETURNING l.*
          )
          SELECT a.id, a.deliveries, a.turns - counts::integer, ${milliseconds('a.sent_at')}, NULL::bytea, c.envelope, c.body,
            true, false, NULL::float8
          FROM again a JOIN contents c ON c.id = a.id;
        RETURN;
      END IF;${nothing('ended IS NOT NULL')}
    END
  $$;
`

/** The same where messages of one key stay in order: what stands at the front of its lane, and what may follow it. */
const claimInLanes = `
  CREATE OR REPLACE FUNCTION claim_in_lanes(in_channel integer, most integer, hold float8, suspects boolean, counts boolean)
  RETURNS ${claimed} LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz; fronts queue[]; chosen bigint[]; is_suspect boolean; is_withheld boolean;
    BEGIN
      PERFORM lock_lanes(ARRAY[in_channel]);
      PERFORM admit(in_channel);
      moment := clock_timestamp();
      SELECT array_agg(f.found ORDER BY (f.found).id) INTO fronts FROM (
        SELECT found FROM (
          SELECT q AS found FROM queue q WHERE q.channel = in_channel AND q.front AND q.ready_at = '-infinity' AND ${free}
          ORDER BY q.id LIMIT most FOR UPDATE OF q SKIP LOCKED
        ) AS ready
        UNION ALL
        SELECT found FROM (
          SELECT q AS found FROM queue q
          WHERE q.channel = in_channel AND q.front AND q.ready_at > '-infinity' AND q.ready_at <= moment AND ${free}
          ORDER BY q.ready_at, q.id LIMIT most FOR UPDATE OF q SKIP LOCKED
        ) AS due
      ) AS f;
      fronts := fronts[1:most];
      is_suspect := coalesce((fronts[1]).held, false);
      is_withheld := is_suspect AND NOT suspects;
      IF is_suspect THEN
        SELECT array_agg(s.id) INTO chosen FROM (
          SELECT f.id FROM unnest(fronts) AS f WHERE f.held AND NOT is_withheld ORDER BY f.turns, f.id LIMIT 1
        ) AS s;
        -- Whoever held the lane holds none of it any more: what stands behind the suspect must not be settled before it.
        UPDATE queue q SET deliveries = q.deliveries + 1 FROM queue s
        WHERE s.id = ANY (chosen) AND q.channel = s.channel AND q.lane = s.lane AND q.id > s.id AND q.held;
      ELSE
        chosen := choose(fronts, most, moment);
      END IF;
      RETURN QUERY
        WITH leased AS (
          UPDATE queue q SET ready_at = ${leaseEnd}, held = true,
            deliveries = q.deliveries + 1, turns = q.turns + (is_suspect AND counts)::integer
          WHERE q.id = ANY (chosen) RETURNING q.*
        )
        SELECT l.id, l.deliveries, l.turns - (is_suspect AND counts)::integer, ${milliseconds('l.sent_at')}, l.lane,
          c.envelope, c.body, is_suspect, false, NULL::float8
        FROM leased l JOIN contents c ON c.id = l.id ORDER BY l.id;
      IF FOUND THEN RETURN; END IF;${nothing('is_withheld')}
    END
  $$;

  CREATE OR REPLACE FUNCTION choose(fronts queue[], most integer, moment timestamptz)
  RETURNS bigint[] LANGUAGE sql ${pinned} AS $$
    WITH before AS MATERIALIZED (
      SELECT f.* FROM unnest(fronts) AS f
      WHERE f.id < coalesce((SELECT min(s.id) FROM unnest(fronts) AS s WHERE s.held), 9223372036854775807)
    ), share AS (
      SELECT count(*) AS taken, (most - count(*)) / greatest(count(*) FILTER (WHERE lane IS NOT NULL), 1) + 1 AS of_lane FROM before
    ), behind AS (
      SELECT b.id, b.bytes, b.rank FROM before f, share, LATERAL (
        SELECT n.*, row_number() OVER (ORDER BY n.id) AS rank, bool_or(n.held OR n.ready_at > moment) OVER (ORDER BY n.id) AS stopped
        FROM (
          SELECT q.* FROM queue q WHERE q.channel = f.channel AND q.lane = f.lane AND q.id > f.id
          ORDER BY q.id LIMIT share.of_lane
        ) AS n
      ) AS b
      WHERE f.lane IS NOT NULL AND NOT b.stopped
      ORDER BY b.rank, b.id LIMIT (SELECT most - taken FROM share)
    ), sized AS (
      SELECT id, sum(bytes) OVER (ORDER BY id) AS total, row_number() OVER (ORDER BY id) AS position
      FROM (SELECT id, bytes FROM before UNION ALL SELECT id, bytes FROM behind) AS a
    )
    SELECT array_agg(id ORDER BY id) FROM sized WHERE position = 1 OR total <= ${claimedBytes}
  $$;

  CREATE OR REPLACE FUNCTION next_in(in_channel integer, moment timestamptz) RETURNS float8 LANGUAGE sql ${pinned} AS $$
    SELECT min(ms) FROM (
      SELECT extract(epoch FROM q.ready_at - moment) * 1000 AS ms FROM (
        (SELECT ready_at FROM queue WHERE channel = in_channel AND front AND ready_at > moment ORDER BY ready_at LIMIT 1)
        UNION ALL
        (SELECT ready_at FROM queue WHERE channel = in_channel AND held AND NOT front AND ready_at > moment ORDER BY ready_at LIMIT 1)
        UNION ALL
        (SELECT until FROM leased WHERE channel = in_channel AND until > moment ORDER BY until LIMIT 1)
      ) AS q
      UNION ALL
      SELECT ${contended} WHERE EXISTS (
        SELECT FROM queue q WHERE q.channel = in_channel AND q.front AND q.ready_at <= moment AND ${free}
      ) OR EXISTS (SELECT FROM queue q WHERE q.channel = in_channel AND q.front IS NULL)
        OR EXISTS (SELECT FROM leased l WHERE l.channel = in_channel AND l.until <= moment)
    ) AS times
  $$;
`

export const claimFunctions: string = `${claim}${claimInLanes}`
