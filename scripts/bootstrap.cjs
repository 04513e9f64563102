// Runs before every npm script, on whatever Node the machine has, and so is plain old JavaScript: installs the locked dependencies when
// they are missing or out of date, among them the Node that everything else runs on.
'use strict'
const { createHash } = require('node:crypto')
const { existsSync, readFileSync, writeFileSync } = require('node:fs')
const { join } = require('node:path')
const { spawnSync } = require('node:child_process')

const root = join(__dirname, '..')
const stamp = join(root, 'node_modules', '.redrive-lock')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) install()

function install() {
  console.error('redrive: installing the locked dependencies (npm ci) …')
  const npm = process.env.npm_execpath
  const command = npm ? [process.execPath, npm] : ['npm']
  const result = spawnSync(command[0], [...command.slice(1), 'ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
  })
  if (result.status !== 0) {
    console.error('redrive: npm ci failed; run it by hand to see why')
    process.exit(result.status || 1)
  }
  writeFileSync(stamp, wanted)
}
