import { expect, test } from 'vitest'
import { answeredError } from './server-errors.ts'

test.each([
  ['LOADING Redis is loading the dataset in memory', 'unreachable'],
  ['READONLY You can’t write against a read only replica.', 'unreachable'],
  ["OOM command not allowed when used memory > 'maxmemory'.", 'refused'],
  ['MISCONF Redis is configured to save RDB snapshots', 'refused'],
  ['NOREPLICAS Not enough good replicas to write.', 'refused'],
  ['MASTERDOWN Link with MASTER is down', 'unreachable'],
  ['CLUSTERDOWN Hash slot not served', 'unreachable'],
  ['TRYAGAIN Multiple keys request during rehashing of slot', 'unreachable'],
  ['BUSY Redis is busy running a script.', 'unreachable'],
  ['NOAUTH Authentication required.', 'access-denied'],
  ['WRONGPASS invalid username-password pair or user is disabled.', 'access-denied'],
  ["NOPERM User x has no permissions to run the 'xadd' command", 'access-denied'],
  ['ERR The user executing the script can’t run this command or subcommand', 'access-denied'],
  ["ERR ACL failure in script: User x has no permissions to run the 'xadd' command", 'access-denied'],
  ["NOGROUP No such key 'work' or consumer group 'redrive'", 'unknown-channel'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', 'refused'],
  ['CROSSSLOT Keys in request don’t hash to the same slot', 'bad-option'],
  ['WRONGTYPE Operation against a key holding the wrong kind of value script: f1d2d2f, on @user_script:42.', 'unsure'],
  ['ERR something that nobody has heard of', 'refused'],
])('"%s" is %s', (answer, code) => {
  const told = answeredError(answer)
  expect(told.code).toBe(code)
  expect(told.message).not.toContain(answer)
})
