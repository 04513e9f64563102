import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Frame } from './frame.ts'
import { readStack } from './stack.ts'

const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))

function frames(stack: string): readonly Frame[] {
  return readStack(stack).errors.flatMap((error) => error.frames)
}

function frame(line: string): string | undefined {
  const [found] = frames(line)
  return found && `${found.inApp ? 'app' : 'lib'} ${found.module} ${found.function}`
}

describe('a frame, without what a deploy changes', () => {
  test.each([
    // Node
    ['    at OrderHandler.handle (/app/src/orders/handler.ts:12:20)', 'app orders/handler OrderHandler.handle'],
    [
      '    at async OrderHandler.handle (file:///srv/r/2026/dist/orders/handler.js:99:1)',
      'app orders/handler OrderHandler.handle',
    ],
    ['    at new StockLevel (/app/src/stock/level.ts:5:5)', 'app stock/level StockLevel'],
    ['    at Object.<anonymous> (/app/main.js:1:1)', 'app main '],
    ['    at /app/src/worker.js:3:3', 'app worker '],
    ['    at async /app/src/jobs/worker.js:3:3', 'app jobs/worker '],
    ['    at x.process (/srv/dist/main.4f3a2b1c.js:1:48213)', 'app main process'],
    ['    at Qt (/srv/dist/main.99e01d7f.js:1:48213)', 'app main '],
    ['    at onExit (file:///opt/dist/chunks/export-x9Lq-3Aa.mjs:14:9)', 'app export onExit'],
    ['    at parse (C:\\svc\\src\\codec\\json.ts:1:2)', 'app codec/json parse'],
    ['    at Socket.get name [as name] (/app/a/b.js:1:2)', 'app a/b Socket.get name'],
    ['    at JSON.parse (<anonymous>)', 'lib <anonymous> JSON.parse'],
    ['    at async Promise.all (index 0)', 'lib index 0 Promise.all'],
    ['    at Socket.emit (node:events:518:28)', 'lib node:events Socket.emit'],
    ['    at retry (/app/node_modules/kafkajs/src/retry/index.js:1:13)', 'lib retry/index retry'],
    ['    at f (/srv/app/dist/vendor.99e01d7f.js:1:2)', 'lib vendor '],
    // Java
    ['\tat com.acme.Stock.reserve(Stock.java:42)', 'app com.acme.Stock reserve'],
    ['\tat app//com.acme.Stock.<init>(Stock.java:42)', 'app com.acme.Stock <init>'],
    ['\tat com.acme.Stock.lambda$find$3(Stock.java:42)', 'app com.acme.Stock find'],
    ['\tat com.acme.Stock$Inner$2.run(Stock.kt:42)', 'app com.acme.Stock$Inner run'],
    ['\tat com.acme.Stock$$SpringCGLIB$$0.find(<generated>)', 'app com.acme.Stock find'],
    ['\tat com.acme.Stock$$EnhancerBySpringCGLIB$$8a1b.find(<generated>)', 'app com.acme.Stock find'],
    ['\tat com.acme.Main.main(Unknown Source) ~[app.jar:1.2]', 'app com.acme.Main main'],
    ['\tat java.base/java.lang.Thread.run(Thread.java:1583)', 'lib java.lang.Thread run'],
    ['\tat org.springframework.Foo.bar(Foo.java:1)', 'lib org.springframework.Foo bar'],
    ['\tat jdk.proxy2/jdk.proxy2.$Proxy143.save(Unknown Source)', 'lib jdk.proxy2.$Proxy143 save'],
    ['\tat com.acme.$Proxy12.save(Unknown Source)', 'lib com.acme.$Proxy12 save'],
    ['\tat javassist.Thing.run(Thing.java:1)', 'app javassist.Thing run'],
    // .NET
    ['   at Acme.Store.Save(Order order) in /src/Store.cs:line 12', 'app Acme.Store Save'],
    ['   bei Acme.Store.Save(Order order) in C:\\s\\Store.cs:Zeile 12.', 'app Acme.Store Save'],
    ['   à Acme.Store.Save(Order order) dans D:\\s\\Store.cs:ligne 12', 'app Acme.Store Save'],
    ['   at Acme.Store.<SaveAsync>d__4.MoveNext() in /src/Store.cs:line 12', 'app Acme.Store SaveAsync'],
    ['   at Acme.Store.<>c__DisplayClass3_0.<PrintAll>b__1()', 'app Acme.Store PrintAll'],
    ['   at Acme.Store.<Approve>g__Check|3_0(Decimal amount)', 'app Acme.Store Approve.Check'],
    ['   at Acme.Store`1.Send[TMessage](ConsumeContext`1 context)', 'app Acme.Store Send'],
    ['   at System.Number.ParseInt32(ReadOnlySpan`1 s)', 'lib System.Number ParseInt32'],
    ['   at Microsoft.EntityFrameworkCore.Db.Save()', 'lib Microsoft.EntityFrameworkCore.Db Save'],
    ['   at Systematic.Thing.Do()', 'app Systematic.Thing Do'],
    // Python
    ['  File "/app/billing/totals.py", line 12, in compute_total', 'app billing/totals compute_total'],
    ['  File "/srv/releases/1/billing/totals.py", line 99, in <lambda>', 'app billing/totals lambda'],
    ['  File "/usr/local/lib/python3.12/site-packages/celery/app/trace.py", line 1, in trace', 'lib trace trace'],
    ['  File "/usr/local/lib/python3.12/asyncio/tasks.py", line 1, in wait_for', 'lib asyncio/tasks wait_for'],
    ['  File "/usr/local/lib/python3.12/_strptime.py", line 1, in _strptime', 'lib python3.12/_strptime _strptime'],
    ['  File "<frozen importlib._bootstrap>", line 1, in _call', 'lib <frozen importlib._bootstrap> _call'],
    // Go
    [
      'github.com/acme/pack.(*Packer).Pack(0xc00, {0x0?, 0x1?})\n\t/src/pack/packer.go:12 +0x1a5',
      'app github.com/acme/pack Packer.Pack',
    ],
    ['github.com/acme/pack.Packer.Pack.func1.2()\n\t/src/pack/packer.go:12', 'app github.com/acme/pack Packer.Pack'],
    ['github.com/acme/pack.Collect[...]\n\t/src/pack/collect.go:12', 'app github.com/acme/pack Collect'],
    ['main.main()\n\t/build/main.go:12 +0x1', 'app main main'],
    ['runtime/debug.Stack()\n\t/usr/local/go/src/runtime/debug/stack.go:24 +0x5e', 'lib runtime/debug Stack'],
    [
      'github.com/lib/pq.(*conn).Query(...)\n\t/go/pkg/mod/github.com/lib/pq@v1.10.9/conn.go:12',
      'lib github.com/lib/pq conn.Query',
    ],
    // none
    ['some prose at all', undefined],
    ['    at the end of the day', undefined],
    ['com.acme.Stock: no stock', undefined],
    ['main.main()', undefined],
    ['', undefined],
  ])('%j', (line, expected) => {
    expect(frame(line)).toBe(expected)
  })
})

describe('a stack trace', () => {
  const types = (stack: string): readonly unknown[] =>
    readStack(stack).errors.map(({ type, message, frames }) => [type, message, frames.map((each) => each.function)])

  test('of Java goes from what was thrown to what caused it, past what was only suppressed', () => {
    const stack = [
      'com.acme.Outer: failed',
      '\tat com.acme.A.one(A.java:1)',
      '\tSuppressed: com.acme.Other: closed',
      '\t\tat com.acme.B.close(B.java:2)',
      '\tCaused by: com.acme.Hidden: x',
      '\t\tat com.acme.B.hidden(B.java:2)',
      'Caused by: java.io.IOException: disk: full',
      '\tat com.acme.C.two(C.java:3)',
      '\t... 12 more',
    ].join('\n')
    expect(types(stack)).toEqual([
      [undefined, undefined, ['one']],
      ['java.io.IOException', 'disk: full', ['two']],
    ])
  })

  test('of .NET goes in at every arrow and out at every end', () => {
    const stack = [
      'System.AggregateException: One or more errors occurred. (inner)',
      ' ---> Acme.Middle: middle',
      ' ---> Acme.Inner (0x80131904): inner',
      '   at Acme.C.Three()',
      '   --- End of inner exception stack trace ---',
      '   at Acme.B.Two()',
      '   --- End of inner exception stack trace ---',
      '   at Acme.A.One()',
      '   --- End of inner exception stack trace ---',
      '   at Acme.A.Zero()',
    ].join('\r\n')
    expect(types(stack)).toEqual([
      [undefined, undefined, ['One', 'Zero']],
      ['Acme.Middle', 'middle', ['Two']],
      ['Acme.Inner', 'inner', ['Three']],
    ])
  })

  test('of Node holds its causes in brackets', () => {
    const stack = 'Error: outer\n    at one (/a/b.js:1:1) {\n  [cause]: TypeError [CODE]: inner\n      at two (/a/b.js:2:2)\n}'
    expect(types(stack)).toEqual([
      [undefined, undefined, ['one']],
      ['TypeError', 'inner', ['two']],
    ])
  })

  test('of Python has the innermost call last and the cause first', () => {
    const stack = [
      'Traceback (most recent call last):',
      '  File "/a/b.py", line 1, in outer',
      '    inner()',
      '  File "/a/b.py", line 2, in inner',
      '    pass',
      'ledger.Closed: period is closed',
      'DETAIL: more of it',
      '',
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
      '  File "/a/b.py", line 3, in book',
      'ledger.Failed',
    ].join('\n')
    expect(types(stack)).toEqual([
      ['ledger.Failed', '', ['book']],
      ['ledger.Closed', 'period is closed', ['inner', 'outer']],
    ])
  })

  test('of Python forgets what was being handled when another error was raised', () => {
    const stack =
      'Traceback (most recent call last):\n  File "/a/b.py", line 1, in one\nValueError: x\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "/a/b.py", line 1, in two\nKeyError: y'
    expect(types(stack)).toEqual([['KeyError', 'y', ['two']]])
  })

  test('of Go ends where the next goroutine begins', () => {
    const stack = 'goroutine 1 [running]:\nmain.a()\n\t/b/a.go:1 +0x1\n\ngoroutine 2 [select]:\nmain.b()\n\t/b/b.go:1 +0x1'
    expect(types(stack)).toEqual([[undefined, undefined, ['a']]])
  })

  test('is of the language of its first frame', () => {
    expect(readStack('\tat com.acme.A.one(A.java:1)\n  File "/a/b.py", line 1, in two')).toMatchObject({ language: 'java' })
    expect(frames('\tat com.acme.A.one(A.java:1)\n  File "/a/b.py", line 1, in two')).toHaveLength(1)
    expect(readStack('nothing')).toStrictEqual({ errors: [{ frames: [] }] })
  })

  test('is read whatever it holds', () => {
    const line = fc.oneof(
      fc.string({ unit: anyUnit }),
      fc.constantFrom(
        'Caused by: A: b',
        ' ---> A: b',
        '   --- End of inner exception stack trace ---',
        '\tSuppressed: A',
        '  [cause]: x',
        'goroutine 1 [x]:',
        'The above exception was the direct cause of',
        'During handling of the above exception',
        '\tat com.acme.A.b(A.java:1)',
        '  File "a", line 1, in b',
      ),
    )
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        expect(readStack(lines.join('\n')).errors.length).toBeGreaterThan(0)
      }),
    )
  })
})
