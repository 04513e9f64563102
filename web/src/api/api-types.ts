// Written by `npm run docs` from the schemas of the server. Changes made here are lost.

export interface Api {
  /** Alerts, those that changed last first. */
  'GET /alerts': {
    query: { which?: 'open' | 'all'; limit?: number }
    answer: { alerts: ({ fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null })[] }
  }
  /** One alert. */
  'GET /alerts/{fingerprint}': {
    path: { fingerprint: string }
    answer: { fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null }
  }
  /** Somebody is at it: not repeated until then, and still told when it is over. */
  'POST /alerts/{fingerprint}/acknowledge': {
    path: { fingerprint: string }
    body: { until: number }
    answer: { fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null }
  }
  /** Nothing about it until then. */
  'POST /alerts/{fingerprint}/snooze': {
    path: { fingerprint: string }
    body: { until: number }
    answer: { fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null }
  }
  /** Nobody is at it any more. */
  'POST /alerts/{fingerprint}/unacknowledge': {
    path: { fingerprint: string }
    answer: { fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null }
  }
  /** People are told about it again. */
  'POST /alerts/{fingerprint}/unsnooze': {
    path: { fingerprint: string }
    answer: { fingerprint: string; rule: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; name: string; severity: 'info' | 'warning' | 'critical'; source: string; queue: string | null; consumerGroup: string | null; cause: string | null; replay: number | null; sink: string | null; labels: Record<string, string>; phase: 'ok' | 'pending' | 'firing' | 'recovering'; episode: number; message: string; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string }; errors: ({ errorClass: string; count: number; fingerprint: string })[]; correlationIds: string[]; isFlapping: boolean; firedAt: number; seenAt: number; changedAt: number; unknownSince: number | null; acknowledged: { by: string; until: number } | null; snoozed: { by: string; until: number } | null; mutedBy: 'silence' | 'inhibition' | null }
  }
  /** Who did what, the newest first. */
  'GET /audit': {
    query: { limit?: number; cursor?: string }
    answer: { rows: ({ seq: number; at: number; actor: string; address: string; action: string; object: string; detail: Record<string, unknown>; result: 'attempted' | 'done' | 'failed' | 'denied'; hash: string })[]; next?: string }
  }
  /** Recomputes the chain. With `seq` and `hash`, also compares that row with what somebody kept elsewhere. */
  'GET /audit/verification': {
    query: { seq?: number; hash?: string }
    answer: { rows: number; head: string; bad?: { seq: number; because: 'changed' | 'missing' | 'not-the-one-expected' } }
  }
  /** What somebody said about which causes are one, or two. */
  'GET /cause-decisions/{id}': {
    path: { id: number }
    answer: { id: number; kind: 'merge' | 'split'; cause: number; causeTitle: string; target: number; targetTitle: string; rule: string | null; madeAt: number; actor: string; reason: string; undoneAt: number | null; undoneBy: string | null; undoneBecause: string | null; isMoving: boolean }
  }
  /** Takes a merge or a split back. Letters stand where all that is still said puts them, also those that came since. */
  'POST /cause-decisions/{id}/undo': {
    path: { id: number }
    body: { reason: string }
    answer: { cause: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }; notes: ({ madeAt: number; actor: string; text: string; cause: number })[]; members: ({ id: number; fingerprint: string; title: string; total: number; unresolved: number })[]; decisions: ({ id: number; kind: 'merge' | 'split'; cause: number; causeTitle: string; target: number; targetTitle: string; rule: string | null; madeAt: number; actor: string; reason: string; undoneAt: number | null; undoneBy: string | null; undoneBecause: string | null; isMoving: boolean })[]; history: ({ hour: number; letters: number })[] }
  }
  /** Causes, those with the newest letters first. With a filter, those with letters that match. */
  'GET /causes': {
    query: { limit?: number; cursor?: string; state?: 'open' | 'acknowledged' | 'resolved' | 'archived'; filter?: string }
    answer: { causes: ({ id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string }; recent: ({ hour: number; letters: number })[]; matching?: number })[]; next?: string; isPartial?: boolean }
  }
  /** One cause, with its notes, what stands under it and why, and the letters of each hour of the last week. */
  'GET /causes/{id}': {
    path: { id: number }
    answer: { cause: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }; notes: ({ madeAt: number; actor: string; text: string; cause: number })[]; members: ({ id: number; fingerprint: string; title: string; total: number; unresolved: number })[]; decisions: ({ id: number; kind: 'merge' | 'split'; cause: number; causeTitle: string; target: number; targetTitle: string; rule: string | null; madeAt: number; actor: string; reason: string; undoneAt: number | null; undoneBy: string | null; undoneBecause: string | null; isMoving: boolean })[]; history: ({ hour: number; letters: number })[] }
  }
  /** What somebody says about a cause: seen, mended (from a version on), or not to be heard of until it gets worse. */
  'PUT /causes/{id}/judgement': {
    path: { id: number }
    body: { state: 'open' | 'acknowledged' | 'resolved' | 'archived'; fixedIn?: string }
    answer: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }
  }
  /** Says that other causes are this one. Their letters stand under it from now on, and those that come. */
  'POST /causes/{id}/merge': {
    path: { id: number }
    body: { causes: number[]; reason: string }
    answer: { cause: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }; notes: ({ madeAt: number; actor: string; text: string; cause: number })[]; members: ({ id: number; fingerprint: string; title: string; total: number; unresolved: number })[]; decisions: ({ id: number; kind: 'merge' | 'split'; cause: number; causeTitle: string; target: number; targetTitle: string; rule: string | null; madeAt: number; actor: string; reason: string; undoneAt: number | null; undoneBy: string | null; undoneBecause: string | null; isMoving: boolean })[]; history: ({ hour: number; letters: number })[] }
  }
  /** What somebody found out. */
  'POST /causes/{id}/notes': {
    path: { id: number }
    body: { text: string }
    answer: undefined
  }
  /** Who looks after it. */
  'PUT /causes/{id}/owner': {
    path: { id: number }
    body: { owner: string | null }
    answer: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }
  }
  /** Says that what a rule means among its own letters is another cause, and shows that one. */
  'POST /causes/{id}/split': {
    path: { id: number }
    body: { rule: string; title?: string; reason: string }
    answer: { cause: { id: number; fingerprint: string; title: string; state: 'open' | 'acknowledged' | 'resolved' | 'archived'; stateSince: number; fixedIn: string | null; regressedAt: number | null; owner: string | null; firstAt: number; lastAt: number; lastVersion: string | null; total: number; unresolved: number; mergedInto: number | null; parts: { groupedBy: ('type' | 'text' | 'place' | 'channel')[]; type: string; text: string; replaced: ({ kind: string; count: number })[]; place?: { function: string; module: string }; channel: string } }; notes: ({ madeAt: number; actor: string; text: string; cause: number })[]; members: ({ id: number; fingerprint: string; title: string; total: number; unresolved: number })[]; decisions: ({ id: number; kind: 'merge' | 'split'; cause: number; causeTitle: string; target: number; targetTitle: string; rule: string | null; madeAt: number; actor: string; reason: string; undoneAt: number | null; undoneBy: string | null; undoneBecause: string | null; isMoving: boolean })[]; history: ({ hour: number; letters: number })[] }
  }
  /** Whether every letter is accounted for: what came, what was kept, what is counted and what is there. */
  'GET /conservation': {
    answer: { at: number; holds: boolean; sources: ({ id: number; connection: string; channel: string; part: string; group: string; deliveries: number; deduplicated: number; inserted: number; tallied: number; purged: number; rows: number; differences: ('deliveries' | 'states' | 'rows')[] })[] }
  }
  /** Every consumer that has reported, as it was last heard of, by service and instance. `next` says whether there are more. */
  'GET /consumers': {
    query: { limit?: number; cursor?: string }
    answer: { consumers: ({ id: number; service: string; instance: string; version: string | null; environment: string; state: 'reporting' | 'stopped' | 'unknown'; since: number; lastAt: number; every: number; spooled: number; hasAbandonedSpool: boolean; forgotten: number; channels: ({ name: string; group: string | null; deadLetter: string | null; state: 'stopped' | 'consuming' | 'paused' | 'held-up' | 'outage' | 'unknown'; running: number; held: number; parked: number; spooled: number; spoolAside: number; counts: { received: number; completed: number; retried: number; released: number; failedRuns: number; deadLettered: number; publishFailures: number }; lastState: 'stopped' | 'consuming' | 'paused' | 'held-up' | 'outage'; order: { service: string; channel: string; order: 'pause' | 'resume'; number: number; at: number; actor: string } | null })[] })[]; next?: string }
  }
  /** Forgets a consumer that will not come back. One that reports is refused. */
  'POST /consumers/{id}/forget': {
    path: { id: number }
    answer: undefined
  }
  /** A consumer says how it is doing, and is told what to do. The runtime sends this by itself. */
  'POST /consumers/heartbeat': {
    body: { service: string; instance: string; run: string; number: number; version: string | null; environment: string; every: number; isLast: boolean; channels: ({ name: string; group: string | null; deadLetter: string | null; state: 'stopped' | 'consuming' | 'paused' | 'held-up' | 'outage'; running: number; held: number; parked: number; spooled: number; spoolAside: number; counts: { received: number; completed: number; retried: number; released: number; failedRuns: number; deadLettered: number; publishFailures: number } })[]; deadLettered: ({ channel: string; correlationId: string })[]; succeeded: ({ replay: number; letter: string; channel: string; group: string | null })[]; forgotten: number }
    answer: { orders: ({ channel: string; order: 'pause' | 'resume'; number: number })[] }
  }
  /** Tells all consumers of a service to pause a channel; each hears it with its next report. */
  'POST /consumers/pause': {
    body: { service: string; channel: string }
    answer: { service: string; channel: string; order: 'pause' | 'resume'; number: number; at: number; actor: string }
  }
  /** Tells all consumers of a service to resume a channel; each hears it with its next report. */
  'POST /consumers/resume': {
    body: { service: string; channel: string }
    answer: { service: string; channel: string; order: 'pause' | 'resume'; number: number; at: number; actor: string }
  }
  /** Whether this control plane works or stands by, which one works, and which one collects which source. */
  'GET /control-plane': {
    answer: { instance: string; works: boolean; worker: { name: string; since: number } | null; sources: ({ connection: string; channel: string; part: string; group: string; collector: { name: string; since: number } | null })[]; instances: ({ name: string; release: string; knows: number; since: number })[] }
  }
  /** Notifications by sink, the newest first. A dead one was given up. */
  'GET /deliveries': {
    query: { limit?: number; cursor?: string; state?: 'waiting' | 'sent' | 'collapsed' | 'dead'; sink?: string }
    answer: { deliveries: ({ id: number; sink: string; state: 'waiting' | 'sent' | 'collapsed' | 'dead'; stateSince: number; madeAt: number; attempts: number; nextAt: number; failingSince: number | null; problem: string | null; reason: string; status: 'firing' | 'resolved'; severity: string; subject: string })[]; next?: string }
  }
  /** Tries a dead one once more. */
  'POST /deliveries/{id}/redeliver': {
    path: { id: number }
    answer: { id: number; sink: string; state: 'waiting' | 'sent' | 'collapsed' | 'dead'; stateSince: number; madeAt: number; attempts: number; nextAt: number; failingSince: number | null; problem: string | null; reason: string; status: 'firing' | 'resolved'; severity: string; subject: string }
  }
  /** Live events. `Last-Event-ID` resumes; an event `reset` means that too much was missed: look at everything anew. */
  'GET /events': {
    answer: undefined
  }
  /** What consumers took and what they dead-lettered, step by step, up to a week back: what rules about ratios compare. */
  'GET /failure-rates': {
    query: { hours?: number }
    answer: { now: number; step: number; channels: ({ service: string; channel: string; group: string | null; steps: ({ at: number; handled: number; deadLettered: number })[] })[] }
  }
  /** Letters that came and letters that were settled, hour by hour, up to a week back. Hours in which nothing happened are left out. */
  'GET /flow': {
    query: { hours?: number }
    answer: { hours: ({ hour: number; arrived: number; settled: number })[]; now: number }
  }
  /** Letters, the newest first. `next` says whether there are more. */
  'GET /letters': {
    query: { limit?: number; cursor?: string; filter?: string }
    answer: { letters: ({ id: number; source: number; state: 'open' | 'replaying' | 'sent' | 'succeeded' | 'assumed' | 'returned' | 'unknown' | 'discarded' | 'expired'; broker: 'kept' | 'completing' | 'matched' | 'gone'; cause: number; channel: string; originGroup: string | null; originPosition: string | null; dialect: string; confidence: string; reason: string | null; errorType: string | null; errorMessage: string | null; messageId: string | null; type: string | null; keyHash: string | null; correlationId: string | null; service: string | null; version: string | null; letter: string | null; generation: number; replay: number | null; attempts: number | null; failedAt: number; receivedAt: number; position: string | null; bytes: number; brokerDropsAt: number | null })[]; next?: string }
  }
  /** One letter, with its history. */
  'GET /letters/{id}': {
    path: { id: number }
    answer: { letter: { id: number; source: number; state: 'open' | 'replaying' | 'sent' | 'succeeded' | 'assumed' | 'returned' | 'unknown' | 'discarded' | 'expired'; broker: 'kept' | 'completing' | 'matched' | 'gone'; cause: number; channel: string; originGroup: string | null; originPosition: string | null; dialect: string; confidence: string; reason: string | null; errorType: string | null; errorMessage: string | null; messageId: string | null; type: string | null; keyHash: string | null; correlationId: string | null; service: string | null; version: string | null; letter: string | null; generation: number; replay: number | null; attempts: number | null; failedAt: number; receivedAt: number; position: string | null; bytes: number; brokerDropsAt: number | null }; failedRuns: ({ attempt: number; at: number; errorType: string; description: string })[]; source: { id: number; connection: string; channel: string; part: string; group: string }; cause: { id: number; fingerprint: string; title: string; state: string; owner: string | null }; notes: ({ madeAt: number; actor: string; text: string })[]; edits: ({ id: number; madeAt: number; actor: string })[]; replays: ({ replay: number; seq: number; state: string; destination: { connection: string; channel: string; group?: string; via?: { exchange: string; routingKey: string } }; at: number; sentAt: number | null; problem: string | null })[] }
  }
  /** What a letter holds, masked; as it is with `reveal=true`, which needs the right payload:reveal. */
  'GET /letters/{id}/content': {
    path: { id: number }
    query: { reveal?: 'true' | 'false' }
    answer: { isMasked: boolean; contentType: string | null; type: string | null; key: string | null; headers: ([string, unknown])[]; body: { kind: 'none' } | { kind: 'json'; value: unknown } | { kind: 'text'; text: string; isCut: boolean } | { kind: 'bytes'; base64: string; isCut: boolean } | { kind: 'hidden'; because: 'not-json' | 'too-large' } }
  }
  /** A changed copy, which a replay can send instead. The original stays. Needs If-Match. */
  'POST /letters/{id}/edits': {
    path: { id: number }
    body: { body?: null | { text: string } | { base64: string }; headers?: ([string, unknown])[] }
    answer: { id: number }
  }
  /** Where a text would not be as the schema of the letter wants it, if its source has one. Nothing is kept. */
  'POST /letters/{id}/edits/check': {
    path: { id: number }
    body: { text: string }
    answer: { hasSchema: boolean; mistakes: ({ at: string; rule: string; text: string })[] }
  }
  /** Shreds what a letter holds. `confirm` is the word erase. */
  'POST /letters/{id}/erase': {
    path: { id: number }
    body: { confirm: 'erase' }
    answer: undefined
  }
  /** What somebody found out. */
  'POST /letters/{id}/notes': {
    path: { id: number }
    body: { text: string }
    answer: undefined
  }
  /** The body, byte for byte, as an attachment. */
  'GET /letters/{id}/raw': {
    path: { id: number }
    answer: undefined
  }
  /** How many letters a filter means, before something is done to all of them. Beyond 100,000 it says "at least". */
  'GET /letters/count': {
    query: { filter?: string }
    answer: { letters: number; isAtLeast: boolean; before: number }
  }
  /** Somebody looked at letters of which nobody knows whether they were sent, and says what they are. */
  'POST /letters/decide-unknown': {
    body: { letters: number[]; verdict: 'open' | 'assumed' }
    answer: { letters: number }
  }
  /** Out of sight, until retention takes them or somebody restores them. */
  'POST /letters/discard': {
    body: { selection: { filter: string; before?: number } | { letters: number[] } }
    answer: { letters: number }
  }
  /** For good. `confirm` is the word purge. */
  'POST /letters/purge': {
    body: { selection: { filter: string; before?: number } | { letters: number[] }; confirm: 'purge' }
    answer: { letters: number }
  }
  /** Discarded letters, open again. */
  'POST /letters/restore': {
    body: { selection: { filter: string; before?: number } | { letters: number[] } }
    answer: { letters: number }
  }
  /** The ways to sign in. */
  'GET /login': {
    answer: { passwords: boolean; oidc: { name: string } | null }
  }
  /** Who is told about alerts, and what waits for each of them. */
  'GET /notifiers': {
    answer: { notifiers: ({ name: string; kind: string; target: string; waiting: number; dead: number; failingSince: number | null })[] }
  }
  /** Sends a test now, and says what became of it. */
  'POST /notifiers/{name}/test': {
    path: { name: string }
    answer: { sent: boolean; problem?: string }
  }
  /** Whether the collector of OpenTelemetry is told what is counted. */
  'GET /otlp': {
    answer: { collector: { target: string; lastSentAt: number | null; failingSince: number | null; problem: string | null } | null }
  }
  /** Replays, the newest first. */
  'GET /replays': {
    query: { limit?: number; cursor?: string }
    answer: { replays: ({ id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null })[]; next?: string }
  }
  /** Freezes a replay: these letters, changed so, sent there, at this rate. It sends nothing before it is started. */
  'POST /replays': {
    body: { name: string; selection: { filter: string; before?: number } | { letters: number[] }; rate?: number; canary?: { first: number; growth: number; tolerated: number } | null; observe?: number; destination?: { connection: string; channel: string; group?: string }; toOrigin?: boolean; edits?: ({ letter: number; edit: number })[] | 'newest' | 'none' }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** One replay, and what became of its letters. */
  'GET /replays/{id}': {
    path: { id: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** Tells a replay to cancel. */
  'POST /replays/{id}/cancel': {
    path: { id: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** What became of each letter, in the order of the plan. */
  'GET /replays/{id}/ledger': {
    path: { id: number }
    query: { limit?: number; cursor?: string; state?: 'planned' | 'claimed' | 'sent' | 'succeeded' | 'assumed' | 'returned' | 'unknown' | 'refused' | 'cancelled' | 'skipped' }
    answer: { lines: ({ seq: number; letter: number; state: 'planned' | 'claimed' | 'sent' | 'succeeded' | 'assumed' | 'returned' | 'unknown' | 'refused' | 'cancelled' | 'skipped'; destination: { connection: string; channel: string; group?: string; via?: { exchange: string; routingKey: string } }; at: number; sentAt: number | null; problem: string | null; letterState: string })[]; next?: string }
  }
  /** Tells a replay to pause. */
  'POST /replays/{id}/pause': {
    path: { id: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** Tells a replay to resume. */
  'POST /replays/{id}/resume': {
    path: { id: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** Gives a sealed replay the time at which it is started, or another one. It needs whoever could start it now. */
  'POST /replays/{id}/schedule': {
    path: { id: number }
    body: { at: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** Tells a replay to start. */
  'POST /replays/{id}/start': {
    path: { id: number }
    answer: { replay: { id: number; name: string; actor: string; madeAt: number; state: 'sealing' | 'sealed' | 'scheduled' | 'missed' | 'starting' | 'running' | 'paused' | 'stopped' | 'cancelling' | 'done' | 'cancelled'; stateSince: number; stoppedBecause: string | null; seal: string; plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; startsAt: number | null; scheduledBy: string | null }; counts: { planned: number; claimed: number; sent: number; succeeded: number; assumed: number; returned: number; unknown: number; refused: number; cancelled: number; skipped: number } }
  }
  /** What a replay would do. Nothing is written. */
  'POST /replays/preview': {
    body: { selection: { filter: string; before?: number } | { letters: number[] }; rate?: number; canary?: { first: number; growth: number; tolerated: number } | null; observe?: number; destination?: { connection: string; channel: string; group?: string }; toOrigin?: boolean }
    answer: { plan: { rate: number; canary: { first: number; growth: number; tolerated: number } | null; observe: number }; letters: number; before: number; destinations: ({ destination: { connection: string; channel: string; group?: string; via?: { exchange: string; routingKey: string } }; letters: number; reach?: { channels: string[]; doubt?: string } })[]; destinationsInAll: number; refused: number; refusals: ({ letter: number; because: string })[]; edited: number }
  }
  /** The rules that are in force and may concern sources of yours. Durations are milliseconds. */
  'GET /rules': {
    answer: { rules: ({ id: string; type: 'dlq.any' | 'dlq.count' | 'dlq.growth' | 'dlq.oldest.age' | 'dlq.publish.failed' | 'fail.ratio' | 'retry.ratio' | 'error.spike' | 'source.lag' | 'consumer.none' | 'consumer.vanished' | 'probe.failed' | 'broker.down' | 'probe.unsafe' | 'cause.new' | 'cause.regressed' | 'conservation.broken' | 'time.to.loss' | 'spool.not.empty' | 'breaker.open' | 'store.disk' | 'replay.stuck' | 'replay.loop' | 'replay.missed' | 'sink.failing' | 'watchdog'; severity: 'info' | 'warning' | 'critical'; scope: { source?: string; queue?: string; consumerGroup?: string }; condition: { kind: string }; for: number; keepFiringFor: number; noData: 'unknown' | 'fire' | 'ok'; labels: Record<string, string>; runbook?: string; correlationIds: boolean })[] }
  }
  /** When a rule would have fired on what was seen since then. Nobody is told anything. */
  'POST /rules/{rule}/test': {
    path: { rule: string }
    body: { since: number; for?: number; keepFiringFor?: number; limit?: number }
    answer: { samples: number; from?: number; to?: number; changes: ({ at: number; change: 'fired' | 'resolved'; subject: { source: string; queue?: string; consumerGroup?: string; cause?: string; replay?: number; sink?: string }; figures: { count?: number; previousCount?: number; threshold?: number; ratio?: number; window?: number; oldestAge?: number; growthPerMinute?: number; failure?: string; unread?: string } })[] }
  }
  /** Sign out. Whoever signed in with OpenID Connect is told where they sign out there, where the issuer has such a place. */
  'DELETE /session': {
    answer: { signOutAt: string } | undefined
  }
  /** Who am I, and what may I do? */
  'GET /session': {
    answer: { name: string; role: string; by: 'session' | 'token'; issuer: string | null; rights: string[]; sources: string[][] }
  }
  /** Sign in with a name and a password. The answer sets a cookie. */
  'POST /session': {
    body: { name: string; password: string }
    answer: { name: string; role: string; by: 'session' | 'token'; issuer: string | null; rights: string[]; sources: string[][] }
  }
  /** Begin to sign in with OpenID Connect. The answer sets a cookie, and says where the browser has to go. */
  'POST /session/oidc': {
    body: { returnTo?: string }
    answer: { url: string }
  }
  /** A new password. Every session ends, and this one begins anew. */
  'PUT /session/password': {
    body: { current: string; password: string }
    answer: undefined
  }
  /** Set a password with the token of a one-time link, and sign in. */
  'POST /setup': {
    body: { token: string; password: string }
    answer: { name: string; role: string; by: 'session' | 'token'; issuer: string | null; rights: string[]; sources: string[][] }
  }
  /** Silences that have not ended and may concern sources of yours. */
  'GET /silences': {
    answer: { silences: ({ id: number; matchers: ({ name: string; is: '=' | '!=' | '=~'; value: string })[]; reason: string; author: string; madeAt: number; startsAt: number; endsAt: number; evenProtected: boolean; isActive: boolean })[] }
  }
  /** Tells nobody about some alerts for a time, at most seven days. The alerts go on as before. */
  'POST /silences': {
    body: { matchers: ({ name: string; is: '=' | '!=' | '=~'; value: string })[]; reason: string; startsAt?: number; endsAt: number; evenProtected?: boolean }
    answer: { id: number; matchers: ({ name: string; is: '=' | '!=' | '=~'; value: string })[]; reason: string; author: string; madeAt: number; startsAt: number; endsAt: number; evenProtected: boolean; isActive: boolean }
  }
  /** Ends it now. */
  'POST /silences/{id}/end': {
    path: { id: number }
    answer: { id: number; matchers: ({ name: string; is: '=' | '!=' | '=~'; value: string })[]; reason: string; author: string; madeAt: number; startsAt: number; endsAt: number; evenProtected: boolean; isActive: boolean }
  }
  /** Another end, at most seven days from now. */
  'POST /silences/{id}/extend': {
    path: { id: number }
    body: { endsAt: number }
    answer: { id: number; matchers: ({ name: string; is: '=' | '!=' | '=~'; value: string })[]; reason: string; author: string; madeAt: number; startsAt: number; endsAt: number; evenProtected: boolean; isActive: boolean }
  }
  /** Every dead-letter channel, with what lies there and what lies in the vault. */
  'GET /sources': {
    answer: { sources: ({ id: number; connection: string; channel: string; part: string; group: string; mode: 'watch' | 'follow' | 'collect' | 'not-configured'; onBroker: { letters: number; at: number } | { unknownSince: number; problem: string }; unresolved: number; isAtLeast: boolean; oldestAt?: number; loss?: { keepsFor: number; nextAt?: number; isCopied: boolean }; reading?: { at?: number; problem?: string }; letters: Record<string, number> })[] }
  }
  /** How the sources are set up on their brokers, as far as letters could be lost by it. Nothing is changed there. */
  'GET /sources/findings': {
    answer: { findings: ({ id: number; connection: string; channel: string; part: string; group: string; severity: 'missing' | 'fatal' | 'warning' | 'unknown' | 'created'; what: string; message: string })[] }
  }
  /** How the number of each source went, in 24 steps, up to a week back: as whoever watches it saw. */
  'GET /sources/trends': {
    query: { hours?: number }
    answer: { now: number; step: number; sources: ({ source: number; connection: string; channel: string; part: string; group: string; steps: ({ at: number; letters: number | null; came: number | null; went: number | null })[] })[] }
  }
  /** Your tokens; an admin sees those of everybody. Of each the last four characters. */
  'GET /tokens': {
    answer: { tokens: ({ id: number; user: number; name: string; last4: string; role: string; sources: string[]; reveal: boolean; madeAt: number; expiresAt: number; revokedAt: number | null })[] }
  }
  /** A new token. It is shown in this answer, and never again. */
  'POST /tokens': {
    body: { name: string; role: 'consumer' | 'viewer' | 'reader' | 'operator' | 'editor' | 'approver' | 'admin'; sources?: string[]; reveal?: boolean; days?: number }
    answer: { token: { id: number; user: number; name: string; last4: string; role: string; sources: string[]; reveal: boolean; madeAt: number; expiresAt: number; revokedAt: number | null }; secret: string }
  }
  /** Revokes a token at once and for good. */
  'DELETE /tokens/{id}': {
    path: { id: number }
    answer: undefined
  }
  /** Everything that happened under a correlation id, in the order of time. */
  'GET /trace': {
    query: { correlationId: string }
    answer: { events: ({ kind: 'failed'; at: number; letter: { id: number; source: number; state: 'open' | 'replaying' | 'sent' | 'succeeded' | 'assumed' | 'returned' | 'unknown' | 'discarded' | 'expired'; broker: 'kept' | 'completing' | 'matched' | 'gone'; cause: number; channel: string; originGroup: string | null; originPosition: string | null; dialect: string; confidence: string; reason: string | null; errorType: string | null; errorMessage: string | null; messageId: string | null; type: string | null; keyHash: string | null; correlationId: string | null; service: string | null; version: string | null; letter: string | null; generation: number; replay: number | null; attempts: number | null; failedAt: number; receivedAt: number; position: string | null; bytes: number; brokerDropsAt: number | null } } | { kind: 'replayed'; at: number; letter: number; replay: number; outcome: string } | { kind: 'note'; at: number; letter: number; note: { madeAt: number; actor: string; text: string } })[] }
  }
  /** Everybody. */
  'GET /users': {
    answer: { users: ({ id: number; name: string; role: string; sources: string[]; reveal: boolean; disabled: boolean; hasPassword: boolean; issuer: string | null; madeAt: number; version: number })[] }
  }
  /** A new user, with a link by which they set their password within the hour. */
  'POST /users': {
    body: { name: string; role: 'consumer' | 'viewer' | 'reader' | 'operator' | 'editor' | 'approver' | 'admin'; sources?: string[]; reveal?: boolean }
    answer: { user: { id: number; name: string; role: string; sources: string[]; reveal: boolean; disabled: boolean; hasPassword: boolean; issuer: string | null; madeAt: number; version: number }; link: string }
  }
  /** One user. */
  'GET /users/{id}': {
    path: { id: number }
    answer: { id: number; name: string; role: string; sources: string[]; reveal: boolean; disabled: boolean; hasPassword: boolean; issuer: string | null; madeAt: number; version: number }
  }
  /** Other rights, or none. Whoever is signed in as this user is signed out. Needs If-Match. */
  'PATCH /users/{id}': {
    path: { id: number }
    body: { role?: 'consumer' | 'viewer' | 'reader' | 'operator' | 'editor' | 'approver' | 'admin'; sources?: string[]; reveal?: boolean; disabled?: boolean }
    answer: { id: number; name: string; role: string; sources: string[]; reveal: boolean; disabled: boolean; hasPassword: boolean; issuer: string | null; madeAt: number; version: number }
  }
  /** A new link, for somebody who lost the password or the link. */
  'POST /users/{id}/link': {
    path: { id: number }
    answer: { user: { id: number; name: string; role: string; sources: string[]; reveal: boolean; disabled: boolean; hasPassword: boolean; issuer: string | null; madeAt: number; version: number }; link: string }
  }
}
