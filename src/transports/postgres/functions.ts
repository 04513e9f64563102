import { claimFunctions } from './claim-functions.ts'
import { later, pinned, readyAfter } from './sql-words.ts'

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

/**
 * Whoever changes several messages locks them first, and everybody in one order: the lanes of channels, what is leased, what is held in the queue. Otherwise
 * two wait in a ring, and the server lets them wait for a second before it refuses one: what is settled may be renewed at the same time, and what stands
 * in lanes may be taken over.
 */
const lockLeased = `
      PERFORM FROM unnest(ids, fences) AS h (id, fence) JOIN leased l ON l.id = h.id AND l.deliveries = h.fence
        ORDER BY l.id FOR UPDATE OF l;`
const lockQueued = `
      PERFORM FROM unnest(ids, fences) AS h (id, fence) JOIN queue q ON q.id = h.id AND q.deliveries = h.fence AND q.held
        ORDER BY q.id FOR UPDATE OF q;`

/** What was asked of `move` and has somewhere to go, in the order in which it was asked. */
const aimed = `aimed AS MATERIALIZED (
        SELECT a.*, c.id AS destination, CASE WHEN c.lanes THEN a.key END AS new_lane
        FROM unnest(ids, fences, names, envelopes, bodies, same_bodies, keys, delays) WITH ORDINALITY
          AS a (id, fence, name, envelope, body, same_body, key, delay, place)
        JOIN channels c ON c.name = a.name
      )`

/** What is gone from one channel stands in another, under a new number. */
const moved = `placed AS MATERIALIZED (
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
      )`

const settle = `
  CREATE OR REPLACE FUNCTION complete(ids bigint[], fences integer[], laned integer[])
  RETURNS bigint[] LANGUAGE plpgsql ${pinned} AS $$
    DECLARE done bigint[]; done_in_lanes bigint[]; of_channels integer[]; of_lanes bytea[];
    BEGIN
      PERFORM lock_lanes(laned);${lockLeased}
      WITH gone AS (
        DELETE FROM leased l USING unnest(ids, fences) AS h (id, fence) WHERE l.id = h.id AND l.deliveries = h.fence RETURNING l.id
      ), emptied AS (
        DELETE FROM contents c USING gone WHERE c.id = gone.id
      )
      SELECT array_agg(g.id) INTO done FROM gone g;
      IF cardinality(done) = cardinality(ids) THEN RETURN done; END IF;${lockQueued}
      WITH gone AS (
        DELETE FROM queue q USING unnest(ids, fences) AS h (id, fence)
        WHERE q.id = h.id AND q.deliveries = h.fence AND q.held RETURNING q.id, q.channel, q.lane
      ), emptied AS (
        DELETE FROM contents c USING gone WHERE c.id = gone.id
      )
      SELECT array_agg(g.id), array_agg(g.channel) FILTER (WHERE g.lane IS NOT NULL), array_agg(g.lane) FILTER (WHERE g.lane IS NOT NULL)
      INTO done_in_lanes, of_channels, of_lanes FROM gone g;
      IF of_lanes IS NOT NULL THEN PERFORM promote(of_channels, of_lanes); END IF;
      RETURN coalesce(done || done_in_lanes, done, done_in_lanes, '{}');
    END
  $$;

  CREATE OR REPLACE FUNCTION give_back(
    ids bigint[], fences integer[], delays float8[], suspects boolean[], more_turns integer[], more_deliveries integer[], envelopes text[]
  ) RETURNS bigint[] LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE done bigint[];
    BEGIN
      PERFORM lock_lanes(ARRAY(
        SELECT DISTINCT q.channel FROM unnest(ids) AS h (id) JOIN queue q ON q.id = h.id WHERE q.lane IS NOT NULL ORDER BY q.channel
      ));${lockLeased}${lockQueued}
      WITH asked AS (
        SELECT * FROM unnest(ids, fences, delays, suspects, more_turns, more_deliveries, envelopes)
          AS a (id, fence, delay, suspect, turns, deliveries, envelope)
      ), returned AS (
        DELETE FROM leased l USING asked a WHERE l.id = a.id AND l.deliveries = a.fence AND NOT a.suspect
        RETURNING l.*, a.delay, a.turns AS more_turns, a.deliveries AS more_deliveries
      ), queued AS (
        INSERT INTO queue (id, channel, sent_at, ready_at, front, deliveries, turns, bytes)
        SELECT id, channel, sent_at, ${readyAfter('delay')}, true, deliveries + more_deliveries, turns + more_turns, bytes FROM returned
      ), suspected AS (
        UPDATE leased l SET until = '-infinity', turns = l.turns + a.turns, deliveries = l.deliveries + a.deliveries
        FROM asked a WHERE l.id = a.id AND l.deliveries = a.fence AND a.suspect RETURNING l.id
      ), in_lanes AS (
        UPDATE queue q SET ready_at = ${readyAfter('a.delay')}, held = a.suspect, turns = q.turns + a.turns,
          deliveries = q.deliveries + a.deliveries
        FROM asked a WHERE q.id = a.id AND q.deliveries = a.fence AND q.held RETURNING q.id
      ), back AS MATERIALIZED (
        SELECT id FROM returned UNION ALL SELECT id FROM suspected UNION ALL SELECT id FROM in_lanes
      ), rewritten AS (
        UPDATE contents c SET envelope = a.envelope FROM asked a JOIN back b ON b.id = a.id
        WHERE c.id = a.id AND a.envelope IS NOT NULL
      )
      SELECT coalesce(array_agg(id), '{}') INTO done FROM back;
      RETURN done;
    END
  $$;

  CREATE OR REPLACE FUNCTION extend(ids bigint[], fences integer[], terms float8[], laned integer[])
  RETURNS bigint[] LANGUAGE plpgsql ${pinned} AS $$
    DECLARE done bigint[];
    BEGIN
      PERFORM lock_lanes(laned);${lockLeased}${lockQueued}
      WITH held AS (
        SELECT * FROM unnest(ids, fences, terms) AS h (id, fence, term)
      ), kept AS (
        UPDATE leased l SET until = ${later('h.term')} FROM held h WHERE l.id = h.id AND l.deliveries = h.fence RETURNING l.id
      ), kept_in_lanes AS (
        UPDATE queue q SET ready_at = ${later('h.term')} FROM held h
        WHERE q.id = h.id AND q.deliveries = h.fence AND q.held RETURNING q.id
      )
      SELECT array_agg(k.id) INTO done FROM (SELECT id FROM kept UNION ALL SELECT id FROM kept_in_lanes) AS k;
      RETURN coalesce(done, '{}');
    END
  $$;

  CREATE OR REPLACE FUNCTION move(
    ids bigint[], fences integer[], names text[], envelopes text[], bodies bytea[], same_bodies boolean[], keys bytea[],
    delays float8[], laned integer[]
  ) RETURNS TABLE (outcome text, channel integer) LANGUAGE plpgsql ${pinned} AS $$
    #variable_conflict use_column
    DECLARE moved bigint[]; destinations integer[]; of_channels integer[]; of_lanes bytea[];
    BEGIN
      PERFORM lock_lanes(laned);${lockLeased}
      WITH ${aimed}, gone AS (
        DELETE FROM leased l USING aimed a WHERE l.id = a.id AND l.deliveries = a.fence RETURNING a.*, l.bytes
      ), ${moved}
      SELECT array_agg(p.place), array_agg(p.destination) INTO moved, destinations FROM placed p;
      IF cardinality(moved) = cardinality(ids) THEN
        RETURN QUERY SELECT 'moved', d FROM unnest(destinations) AS d;
        RETURN;
      END IF;${lockQueued}
      WITH ${aimed}, gone AS (
        -- With all that was asked: to join the rows of two steps takes as many comparisons as there are pairs of them.
        DELETE FROM queue q USING aimed a WHERE q.id = a.id AND q.deliveries = a.fence AND q.held
        RETURNING a.*, q.bytes, q.channel, q.lane
      ), ${moved}
      SELECT moved || array_agg(p.place), array_agg(p.channel) FILTER (WHERE p.lane IS NOT NULL),
        array_agg(p.lane) FILTER (WHERE p.lane IS NOT NULL)
      INTO moved, of_channels, of_lanes FROM placed p;
      IF of_lanes IS NOT NULL THEN PERFORM promote(of_channels, of_lanes); END IF;
      RETURN QUERY
        SELECT CASE WHEN c.id IS NULL THEN 'unknown' WHEN a.place = ANY (moved) THEN 'moved' ELSE 'lost' END, c.id
        FROM unnest(names) WITH ORDINALITY AS a (name, place) LEFT JOIN channels c ON c.name = a.name ORDER BY a.place;
    END
  $$;

  CREATE OR REPLACE FUNCTION remove(in_channel integer, message bigint) RETURNS boolean LANGUAGE plpgsql ${pinned} AS $$
    DECLARE was_lane bytea;
    BEGIN
      PERFORM lock_lanes(ARRAY[in_channel]);
      DELETE FROM queue WHERE id = message AND channel = in_channel AND NOT (held AND ready_at > clock_timestamp())
      RETURNING lane INTO was_lane;
      IF NOT FOUND THEN
        DELETE FROM leased WHERE id = message AND channel = in_channel AND until <= clock_timestamp();
        IF NOT FOUND THEN RETURN false; END IF;
      END IF;
      DELETE FROM contents WHERE id = message;
      IF was_lane IS NOT NULL THEN PERFORM promote(ARRAY[in_channel], ARRAY[was_lane]); END IF;
      RETURN true;
    END
  $$;
`

export const functions: string = `${send}${lanes}${settle}${claimFunctions}`
