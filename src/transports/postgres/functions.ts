/**
 * What one call does on the server is one function, and one function is one transaction: a batch of any size costs one round trip.
 * Time is the server's, so clocks of consumers may differ.
 *
 * Plans are pinned to the indexes: a plan that was made while a table was empty would read all of it when it has a million rows.
 */
const pinned = 'SET search_path FROM CURRENT SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off'

/** A hundred years: beyond it a timestamp overflows sooner than anybody waits. */
const later = (ms: string) => `clock_timestamp() + least(${ms}, 3e12) * interval '1 millisecond'`
const readyAfter = (ms: string) => `CASE WHEN ${ms} > 0 THEN ${later(ms)} ELSE '-infinity' END`

const send = `
  CREATE OR REPLACE FUNCTION send(names text[], envelopes text[], bodies bytea[], keys bytea[], delays float8[])
  RETURNS TABLE (place bigint, message bigint, channel integer) LANGUAGE sql ${pinned} AS $$
    WITH asked AS (
      SELECT * FROM unnest(names, envelopes, bodies, keys, delays) WITH ORDINALITY AS a (name, envelope, body, key, delay, place)
    ), placed AS MATERIALIZED (
      SELECT nextval('message_ids') AS id, known.* FROM (
        SELECT a.*, c.id AS channel, CASE WHEN c.lanes THEN a.key END AS lane
        FROM asked a JOIN channels c ON c.name = a.name ORDER BY a.place
      ) AS known
    ), stored AS (
      INSERT INTO contents (id, envelope, body) SELECT id, envelope, body FROM placed
    ), queued AS (
      INSERT INTO queue (id, channel, sent_at, ready_at, front, bytes, lane)
      SELECT id, channel, clock_timestamp(), ${readyAfter('delay')}, CASE WHEN lane IS NULL THEN true END,
        coalesce(octet_length(body), 0), lane
      FROM placed
    )
    SELECT a.place, p.id, p.channel FROM asked a LEFT JOIN placed p ON p.place = a.place ORDER BY a.place
  $$;
`

/**
 * Who claims or settles in lanes does so one after the other in each channel: whether something stands before a message can only be
 * told while nobody else changes it. The statement that follows sees what was committed before the lock was given.
 */
const lanes = `
  CREATE OR REPLACE FUNCTION lock_lanes(channels integer[]) RETURNS void LANGUAGE plpgsql ${pinned} AS $$
    DECLARE channel integer;
    BEGIN
      FOREACH channel IN ARRAY channels LOOP
        PERFORM pg_advisory_xact_lock('queue'::regclass::oid::integer, channel);
      END LOOP;
    END
  $$;

  CREATE OR REPLACE FUNCTION promote(of_channels integer[], of_lanes bytea[]) RETURNS void LANGUAGE sql ${pinned} AS $$
    UPDATE queue SET front = true WHERE front IS DISTINCT FROM true AND id IN (
      SELECT (SELECT q.id FROM queue q WHERE q.channel = l.channel AND q.lane = l.lane ORDER BY q.id LIMIT 1)
      FROM (SELECT DISTINCT * FROM unnest(of_channels, of_lanes) AS u (channel, lane)) AS l
    )
  $$;

  CREATE OR REPLACE FUNCTION admit(in_channel integer) RETURNS void LANGUAGE sql ${pinned} AS $$
    WITH arrived AS MATERIALIZED (
      SELECT id FROM queue WHERE channel = in_channel AND front IS NULL ORDER BY id LIMIT 1000
    ), judged AS (
      UPDATE queue q SET front = NOT EXISTS (
        SELECT FROM queue e WHERE e.channel = q.channel AND e.lane = q.lane AND e.id < q.id
      ) FROM arrived a WHERE q.id = a.id RETURNING q.id, q.lane, q.front
    )
    -- What was sent earlier and committed later stands before what has been at the front.
    UPDATE queue q SET front = false FROM judged j
    WHERE j.front AND q.channel = in_channel AND q.lane = j.lane AND q.id > j.id AND q.front
  $$;
`

const settle = `
  CREATE OR REPLACE FUNCTION complete(ids bigint[], fences integer[], laned integer[])
  RETURNS bigint[] LANGUAGE plpgsql ${pinned} AS $$
    DECLARE done bigint[]; of_channels integer[]; of_lanes bytea[];
    BEGIN
      PERFORM lock_lanes(laned);
      WITH gone AS (
        DELETE FROM queue q USING unnest(ids, fences) AS h (id, fence)
        WHERE q.id = h.id AND q.deliveries = h.fence AND q.held RETURNING q.id, q.channel, q.lane
      ), emptied AS (
        DELETE FROM contents c USING gone WHERE c.id = gone.id
      )
      SELECT array_agg(g.id), array_agg(g.channel) FILTER (WHERE g.lane IS NOT NULL), array_agg(g.lane) FILTER (WHERE g.lane IS NOT NULL)
      INTO done, of_channels, of_lanes FROM gone g;
      IF of_lanes IS NOT NULL THEN PERFORM promote(of_channels, of_lanes); END IF;
      RETURN coalesce(done, '{}');
    END
  $$;

  CREATE OR REPLACE FUNCTION give_back(
    ids bigint[], fences integer[], delays float8[], suspects boolean[], more_turns integer[], more_deliveries integer[], envelopes text[]
  ) RETURNS bigint[] LANGUAGE sql ${pinned} AS $$
    WITH asked AS (
      SELECT * FROM unnest(ids, fences, delays, suspects, more_turns, more_deliveries, envelopes)
        AS a (id, fence, delay, suspect, turns, deliveries, envelope)
    ), back AS (
      UPDATE queue q SET ready_at = ${readyAfter('a.delay')}, held = a.suspect, turns = q.turns + a.turns,
        deliveries = q.deliveries + a.deliveries
      FROM asked a WHERE q.id = a.id AND q.deliveries = a.fence AND q.held RETURNING q.id
    ), rewritten AS (
      UPDATE contents c SET envelope = a.envelope FROM asked a JOIN back b ON b.id = a.id
      WHERE c.id = a.id AND a.envelope IS NOT NULL
    )
    SELECT coalesce(array_agg(id), '{}') FROM back
  $$;

  CREATE OR REPLACE FUNCTION extend(ids bigint[], fences integer[], terms float8[], laned integer[])
  RETURNS bigint[] LANGUAGE plpgsql ${pinned} AS $$
    DECLARE done bigint[];
    BEGIN
      PERFORM lock_lanes(laned);
      WITH kept AS (
        UPDATE queue q SET ready_at = ${later('h.term')} FROM unnest(ids, fences, terms) AS h (id, fence, term)
        WHERE q.id = h.id AND q.deliveries = h.fence AND q.held RETURNING q.id
      )
      SELECT array_agg(id) INTO done FROM kept;
      RETURN coalesce(done, '{}');
    END
  $$;

  CREATE OR REPLACE FUNCTION move(
    ids bigint[], fences integer[], names text[], envelopes text[], bodies bytea[], same_bodies boolean[], keys bytea[],
    delays float8[], laned integer[]
  ) RETURNS TABLE (outcome text, channel integer) LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE outcomes text[]; destinations integer[]; of_channels integer[]; of_lanes bytea[];
    BEGIN
      PERFORM lock_lanes(laned);
      WITH asked AS (
        SELECT * FROM unnest(ids, fences, names, envelopes, bodies, same_bodies, keys, delays) WITH ORDINALITY
          AS a (id, fence, name, envelope, body, same_body, key, delay, place)
      ), aimed AS MATERIALIZED (
        SELECT a.*, c.id AS destination, CASE WHEN c.lanes THEN a.key END AS new_lane
        FROM asked a JOIN channels c ON c.name = a.name
      ), gone AS (
        -- With all that was asked: to join the rows of two steps takes as many comparisons as there are pairs of them.
        DELETE FROM queue q USING aimed a WHERE q.id = a.id AND q.deliveries = a.fence AND q.held
        RETURNING a.*, q.channel, q.lane, q.bytes
      ), placed AS MATERIALIZED (
        SELECT nextval('message_ids') AS new_id, taken.* FROM (SELECT * FROM gone ORDER BY place) AS taken
      ), renamed AS (
        -- In its place: a large body stands apart from its row, and is not written anew.
        UPDATE contents c SET id = p.new_id, envelope = p.envelope, body = CASE WHEN p.same_body THEN c.body ELSE p.body END
        FROM placed p WHERE c.id = p.id
      ), queued AS (
        INSERT INTO queue (id, channel, sent_at, ready_at, front, bytes, lane)
        SELECT new_id, destination, clock_timestamp(), ${readyAfter('delay')}, CASE WHEN new_lane IS NULL THEN true END,
          CASE WHEN same_body THEN bytes ELSE coalesce(octet_length(body), 0) END, new_lane
        FROM placed
      ), told AS (
        SELECT place, max(destination) AS destination, bool_or(is_gone) AS is_gone FROM (
          SELECT place, NULL::integer AS destination, false AS is_gone FROM asked
          UNION ALL SELECT place, destination, false FROM aimed
          UNION ALL SELECT place, destination, true FROM gone
        ) AS known GROUP BY place
      )
      SELECT
        array_agg(CASE WHEN t.destination IS NULL THEN 'unknown' WHEN t.is_gone THEN 'moved' ELSE 'lost' END ORDER BY t.place),
        array_agg(t.destination ORDER BY t.place),
        (SELECT array_agg(g.channel ORDER BY g.place) FROM gone g WHERE g.lane IS NOT NULL),
        (SELECT array_agg(g.lane ORDER BY g.place) FROM gone g WHERE g.lane IS NOT NULL)
      INTO outcomes, destinations, of_channels, of_lanes FROM told t;
      IF of_lanes IS NOT NULL THEN PERFORM promote(of_channels, of_lanes); END IF;
      RETURN QUERY SELECT * FROM unnest(outcomes, destinations);
    END
  $$;

  CREATE OR REPLACE FUNCTION remove(in_channel integer, message bigint) RETURNS boolean LANGUAGE plpgsql ${pinned} AS $$
    DECLARE was_lane bytea;
    BEGIN
      PERFORM lock_lanes(ARRAY[in_channel]);
      DELETE FROM queue WHERE id = message AND channel = in_channel AND NOT (held AND ready_at > clock_timestamp())
      RETURNING lane INTO was_lane;
      IF NOT FOUND THEN RETURN false; END IF;
      DELETE FROM contents WHERE id = message;
      IF was_lane IS NOT NULL THEN PERFORM promote(ARRAY[in_channel], ARRAY[was_lane]); END IF;
      RETURN true;
    END
  $$;
`

/** Whether nobody holds a later message of its lane. */
const free = `(q.lane IS NULL OR NOT EXISTS (
  SELECT FROM queue h WHERE h.channel = q.channel AND h.lane = q.lane AND h.held AND h.ready_at > moment))`

/** Bodies that one claim brings into memory at most, unless a single one is larger. */
const claimedBytes = 32 * 1024 * 1024

/** Rows that another claim has locked are leased in a moment, or free again: asked about after so many milliseconds. */
const contended = 25

/**
 * Hands out what stands at the front of the channel, oldest first: what is due again stands in its old place. Everything before
 * the first suspect; or, when that is the first, the suspect with the fewest turns alone, so that consumers which are killed from
 * outside, again and again, do not blame the same one each time. To empty hands its turn counts at once.
 */
const claim = `
  CREATE OR REPLACE FUNCTION claim(in_channel integer, laned boolean, most integer, hold float8, suspects boolean, counts boolean)
  RETURNS TABLE (
    id bigint, deliveries integer, turns integer, sent_at float8, lane bytea, envelope text, body bytea,
    suspect boolean, withheld boolean, next_in float8
  ) LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE
      moment timestamptz; fronts queue[]; chosen bigint[]; is_suspect boolean; is_withheld boolean; next_ms float8;
    BEGIN
      IF laned THEN
        PERFORM lock_lanes(ARRAY[in_channel]);
        PERFORM admit(in_channel);
      END IF;
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
        chosen := choose(fronts, most, laned, moment);
      END IF;
      RETURN QUERY
        WITH leased AS (
          UPDATE queue q SET ready_at = moment + least(hold, 3e12) * interval '1 millisecond', held = true,
            deliveries = q.deliveries + 1, turns = q.turns + (is_suspect AND counts)::integer
          WHERE q.id = ANY (chosen) RETURNING q.*
        )
        SELECT l.id, l.deliveries, l.turns - (is_suspect AND counts)::integer, floor(extract(epoch FROM l.sent_at) * 1000)::float8, l.lane,
          c.envelope, c.body, is_suspect, false, NULL::float8
        FROM leased l JOIN contents c ON c.id = l.id ORDER BY l.id;
      IF FOUND THEN RETURN; END IF;
      RETURN QUERY SELECT NULL::bigint, NULL::integer, NULL::integer, NULL::float8, NULL::bytea, NULL::text, NULL::bytea, false,
        is_withheld, next_in(in_channel, moment);
    END
  $$;

  CREATE OR REPLACE FUNCTION choose(fronts queue[], most integer, laned boolean, moment timestamptz)
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
      WHERE laned AND f.lane IS NOT NULL AND NOT b.stopped
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
      ) AS q
      UNION ALL
      SELECT ${contended} WHERE EXISTS (
        SELECT FROM queue q WHERE q.channel = in_channel AND q.front AND q.ready_at <= moment AND ${free}
      ) OR EXISTS (SELECT FROM queue q WHERE q.channel = in_channel AND q.front IS NULL)
    ) AS times
  $$;
`

export const functions: string = `${send}${lanes}${settle}${claim}`
