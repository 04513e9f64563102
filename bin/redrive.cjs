#!/usr/bin/env node
// Runs on whatever Node a machine has, and so is plain old JavaScript: an old one gets a sentence instead of a syntax error.
'use strict'
const wanted = [24, 15]
const found = process.versions.node.split('.').map(Number)
if (found[0] > wanted[0] || (found[0] === wanted[0] && found[1] >= wanted[1])) {
  require('../dist/cli/redrive.js')
} else {
  console.error(`redrive: needs Node ${wanted.join('.')} or later; this is ${process.versions.node}.`)
  process.exitCode = 2
}
