// Runs before every npm script, on whatever Node the machine has, and so is plain old JavaScript: installs the locked dependencies when
// they are missing or out of date, among them the Node that everything else runs on. Once, also where `npm start` and `npm test` begin side
// by side: each installation begins by taking away what the other one has put there.
'use strict'
const { createHash } = require('node:crypto')
const { existsSync, linkSync, readFileSync, rmSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { spawnSync } = require('node:child_process')

const root = join(__dirname, '..')
const stamp = join(root, 'node_modules', '.redrive-lock')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
/** Holds the number of the process that installs. */
const lock = join(root, '.installing')

let isTold = false
while (!isInstalled()) {
  if (takeLock()) install()
  else waitForTheOther()
}
// Found anew on PATH: the Node that was just installed, and not the one that runs this file.
for (const script of process.argv.slice(2)) run('node', [join(root, script)], `${script} failed`)

function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
}

/** By a link, so that nobody sees a lock without its owner. */
function takeLock() {
  const mine = `${lock}-${process.pid}`
  writeFileSync(mine, String(process.pid))
  try {
    linkSync(mine, lock)
    process.on('exit', () => rmSync(lock, { force: true }))
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (!ownerLives()) rmSync(lock, { force: true })
    return false
  } finally {
    rmSync(mine)
  }
}

function ownerLives() {
  try {
    process.kill(Number(readFileSync(lock, 'utf8')), 0)
    return true
  } catch (error) {
    // It may be somebody else's process; or the lock went while we looked, and is to be tried again.
    return error.code === 'EPERM' || error.code === 'ENOENT'
  }
}

function waitForTheOther() {
  // A number may have been given to somebody else since, after a restart of the machine for instance: then only a person can tell.
  if (!isTold)
    console.error(`redrive: waiting for another npm script that installs the dependencies … (if none does: rm ${lock})`)
  isTold = true
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
}

function install() {
  console.error('redrive: installing the locked dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  const command = npm ? [process.execPath, npm] : ['npm']
  run(command[0], [...command.slice(1), 'ci', '--no-audit', '--no-fund'], 'npm ci failed; run it by hand to see why')
  writeFileSync(stamp, wanted)
}

function run(program, args, complaint) {
  const result = spawnSync(program, args, { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.status === 0) return
  console.error(`redrive: ${complaint}`)
  process.exit(result.status || 1)
}
