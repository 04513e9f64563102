import { type FrameReader, moduleOfPath } from './frame.ts'

/** `File "/app/orders/store.py", line 12, in save` */
export const pythonFrame: FrameReader = (line) => {
  const [, path, name] = shape.exec(line) ?? []
  if (path === undefined || name === undefined) return undefined
  return { function: name.replace(/^<(.*)>$/, '$1'), module: moduleOfPath(path), inApp: !isLibrary.test(path) }
}

const shape = /^File "([^"]{1,1000})", line \d+, in ([\w<>.]{1,256})$/
const isLibrary =
  /^<|[\\/](?:site|dist)-packages[\\/]|[\\/](?:lib|Lib)[\\/](?:python\d[^\\/]*[\\/])?(?:asyncio|concurrent|importlib|json|multiprocessing|\w+\.py$)/
