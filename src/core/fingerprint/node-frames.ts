import { type Frame, type FrameReader, moduleOfPath } from './frame.ts'

/** `at async Type.method [as alias] (file:///app/src/x.ts:1:2)`, `at /app/src/x.js:1:2`, `at Array.map (<anonymous>)` */
export const nodeFrame: FrameReader = (line) => {
  const [, name, inParentheses, bare] = shape.exec(line) ?? []
  const location = inParentheses ?? bare
  return location === undefined ? undefined : frame(name ?? '', location)
}

const shape =
  /^at (?:(?:async )?([^()]{1,256}) \((.{1,1000}:\d+:\d+|<anonymous>|native|index \d+)\)|(?:async )?((?:file:|node:|\/|[A-Za-z]:\\|webpack).{0,1000}:\d+:\d+))$/

function frame(name: string, location: string): Frame {
  const path = location.replace(/:\d+:\d+$/, '').replace(/^(?:file|webpack(?:-internal)?):\/\//, '')
  return { function: functionName(name), module: moduleOfPath(path), inApp: isApp(path) }
}

function functionName(name: string): string {
  return name
    .replace(/ \[as [^\]]*\]$/, '')
    .replace(/^(?:async |new |get |set )+/, '')
    .split('.')
    .filter((part) => !isNoName.test(part))
    .join('.')
}

/** Minifiers give names of one or two letters, others with each build; `Object` and `<anonymous>` stand for no name. */
const isNoName = /^(?:[\w$]{0,2}|Object|Function|Module|<anonymous>|<computed>)$/

function isApp(path: string): boolean {
  return !/^(?:node:|internal\/|<anonymous>|native|index \d)|[\\/]node_modules[\\/]|[\\/]vendor[.-][\w-]+\.m?js$/.test(path)
}
