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
// Found anew on PATH: the Node that was just installed, and not the one that runs this file.
for (const script of process.argv.slice(2)) run('node', [join(root, script)], `${script} failed`)

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
