import { stripTypeScriptTypes } from 'node:module'

/**
 * In development every worker thread strips types with a WebAssembly module of Node's own. Its code is shared by all threads of a process and freed with
 * the last of them; V8 sometimes does not survive that ("jit_page_->allocations_.erase(addr) == 1", nodejs/node#64500). So the process
 * that runs the tests holds on to it. What is published is JavaScript, and has no such module.
 */
stripTypeScriptTypes('const held: boolean = true')
