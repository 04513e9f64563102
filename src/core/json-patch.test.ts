import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseExactly, printExactly } from './exact-json.ts'
import { applyPatch } from './json-patch.ts'

function patched(document: string, patch: string): string {
  return printExactly(applyPatch(parseExactly(document), parseExactly(patch)))
}

describe('the examples of RFC 6902, appendix A', () => {
  test.each([
    ['A.1 adding a member', '{"foo":"bar"}', '[{"op":"add","path":"/baz","value":"qux"}]', '{"foo":"bar","baz":"qux"}'],
    [
      'A.2 adding an element',
      '{"foo":["bar","baz"]}',
      '[{"op":"add","path":"/foo/1","value":"qux"}]',
      '{"foo":["bar","qux","baz"]}',
    ],
    ['A.3 removing a member', '{"baz":"qux","foo":"bar"}', '[{"op":"remove","path":"/baz"}]', '{"foo":"bar"}'],
    ['A.4 removing an element', '{"foo":["bar","qux","baz"]}', '[{"op":"remove","path":"/foo/1"}]', '{"foo":["bar","baz"]}'],
    [
      'A.5 replacing a value',
      '{"baz":"qux","foo":"bar"}',
      '[{"op":"replace","path":"/baz","value":"boo"}]',
      '{"baz":"boo","foo":"bar"}',
    ],
    [
      'A.6 moving a value',
      '{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}',
      '[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]',
      '{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}',
    ],
    [
      'A.7 moving an element',
      '{"foo":["all","grass","cows","eat"]}',
      '[{"op":"move","from":"/foo/1","path":"/foo/3"}]',
      '{"foo":["all","cows","eat","grass"]}',
    ],
    [
      'A.8 testing a value: success',
      '{"baz":"qux","foo":["a",2,"c"]}',
      '[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]',
      '{"baz":"qux","foo":["a",2,"c"]}',
    ],
    [
      'A.10 adding a nested member',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/child","value":{"grandchild":{}}}]',
      '{"foo":"bar","child":{"grandchild":{}}}',
    ],
    [
      'A.11 ignoring unrecognised members',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz","value":"qux","xyz":123}]',
      '{"foo":"bar","baz":"qux"}',
    ],
    ['A.14 escape ordering', '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":10}]', '{"/":9,"~1":10}'],
    [
      'A.16 adding an array value',
      '{"foo":["bar"]}',
      '[{"op":"add","path":"/foo/-","value":["abc","def"]}]',
      '{"foo":["bar",["abc","def"]]}',
    ],
  ])('%s', (_, document, patch, expected) => {
    expect(patched(document, patch)).toBe(expected)
  })

  test.each([
    ['A.9 testing a value: error', '{"baz":"qux"}', '[{"op":"test","path":"/baz","value":"bar"}]', 'the test fails'],
    [
      'A.12 adding to a target that is not there',
      '{"foo":"bar"}',
      '[{"op":"add","path":"/baz/bat","value":"qux"}]',
      'is not there',
    ],
    ['A.15 comparing strings and numbers', '{"/":9,"~1":10}', '[{"op":"test","path":"/~01","value":"10"}]', 'the test fails'],
  ])('%s', (_, document, patch, problem) => {
    expect(() => patched(document, patch)).toThrow(problem)
  })
})

describe('a patch', () => {
  test.each([
    ['that is no list', '{}', 'A patch is a list'],
    ['with an operation that is none', '[1]', 'Operation 1 of the patch is no object'],
    [
      'with an op that does not exist',
      '[{"op":"add","path":"/a","value":1},{"op":"ad","path":""}]',
      'Operation 2 of the patch has no op',
    ],
    ['with a path that is no pointer', '[{"op":"remove","path":"a"}]', 'has no path that is a JSON pointer'],
    ['with a half escape', '[{"op":"remove","path":"/a~2"}]', 'has no path that is a JSON pointer'],
    ['without a value', '[{"op":"add","path":"/a"}]', 'has no value'],
    ['that removes what is not there', '[{"op":"remove","path":"/nothing"}]', 'points at what is not there'],
    ['that replaces what is not there', '[{"op":"replace","path":"/list/1","value":0}]', 'a place that its list does not have'],
    ['that adds beyond the end', '[{"op":"add","path":"/list/2","value":0}]', 'a place that its list does not have'],
    ['with an index that begins with 0', '[{"op":"add","path":"/list/01","value":0}]', 'a place that its list does not have'],
    ['that replaces behind the end', '[{"op":"replace","path":"/list/-","value":0}]', 'a place that its list does not have'],
    ['that moves a value into itself', '[{"op":"move","from":"/o","path":"/o/p"}]', 'moves a value into itself'],
    ['that goes through a text', '[{"op":"add","path":"/a/b","value":0}]', 'goes through a value that holds nothing'],
    ['that removes everything', '[{"op":"remove","path":""}]', 'removes the whole document'],
  ])('%s is refused', (_, patch, problem) => {
    expect(() => patched('{"a":"b","o":{"p":1},"list":[0]}', patch)).toThrow(problem)
  })

  const same = (one: string, other: string) => () => patched(`{"a":${one}}`, `[{"op":"test","path":"/a","value":${other}}]`)

  test.each([
    ['[]', '[]'],
    ['[1,[2,null]]', '[1,[2,null]]'],
    ['{"b":1,"c":{"d":null}}', '{"c":{"d":null},"b":1}'],
    ['{}', '{}'],
    ['1.50', '1.5'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['1e400', '1e400'],
  ])('finds %s the same as %s', (one, other) => {
    expect(same(one, other)).not.toThrow()
  })

  test.each([
    ['[]', '{}'],
    ['[]', '[null]'],
    ['[null]', '[]'],
    ['[1,2]', '[1,3]'],
    ['[1,2]', '[2,1]'],
    ['{}', '[]'],
    ['{}', 'null'],
    ['{"b":1}', '{}'],
    ['{}', '{"b":1}'],
    ['{"b":1}', '{"c":1}'],
    ['{"b":1,"c":2}', '{"b":1,"c":3}'],
    ['{"b":null}', '{"c":null}'],
    ['1', '"1"'],
    ['1.5', '1.6'],
    ['12345678901234567890.5', '1'],
  ])('finds %s another than %s', (one, other) => {
    expect(same(one, other)).toThrow(expect.objectContaining({ code: 'conflict' }))
  })

  test.each([
    ['a whole document is added', '[{"op":"add","path":"","value":[1]}]', '[1]'],
    ['a whole document is replaced', '[{"op":"replace","path":"","value":[1]}]', '[1]'],
    ['a member is replaced in its place', '[{"op":"add","path":"/a","value":1}]', '{"a":1,"o":{"p":[0,1]},"list":[5,6]}'],
    ['the last of a list is replaced', '[{"op":"replace","path":"/list/1","value":7}]', '{"a":"b","o":{"p":[0,1]},"list":[5,7]}'],
    ['the last of a list is removed', '[{"op":"remove","path":"/list/1"}]', '{"a":"b","o":{"p":[0,1]},"list":[5]}'],
    ['something deep is replaced', '[{"op":"replace","path":"/o/p/1","value":7}]', '{"a":"b","o":{"p":[0,7]},"list":[5,6]}'],
    ['a neighbour is moved', '[{"op":"move","from":"/o","path":"/op"}]', '{"a":"b","list":[5,6],"op":{"p":[0,1]}}'],
    ['something moves to where it is', '[{"op":"move","from":"/a","path":"/a"}]', '{"o":{"p":[0,1]},"list":[5,6],"a":"b"}'],
    ['something inner moves out', '[{"op":"move","from":"/o/p","path":"/o"}]', '{"a":"b","o":[0,1],"list":[5,6]}'],
    [
      'a name holds a slash and a tilde',
      '[{"op":"add","path":"/~0~1","value":1}]',
      '{"a":"b","o":{"p":[0,1]},"list":[5,6],"~/":1}',
    ],
  ])('%s', (_, patch, expected) => {
    expect(patched('{"a":"b","o":{"p":[0,1]},"list":[5,6]}', patch)).toBe(expected)
  })

  test.each([
    ['a list removes behind its end', '[{"op":"remove","path":"/list/2"}]'],
    ['a path goes through behind the end', '[{"op":"add","path":"/list/2/x","value":1}]'],
    ['an index is a number in words', '[{"op":"add","path":"/list/1x","value":1}]'],
    ['an index has more digits than any list', `[{"op":"add","path":"/list/1${'0'.repeat(10)}","value":1}]`],
    ['a path is a number', '[{"op":"remove","path":1}]'],
    ['a path is missing', '[{"op":"remove"}]'],
  ])('%s: refused as a bad option', (_, patch) => {
    expect(() => patched('{"list":[5,6]}', patch)).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })

  test('leaves every number that it does not name as it was written', () => {
    const document = '{"id":12345678901234567890,"rate":1.0,"tiny":1e-7,"card":""}'
    expect(patched(document, '[{"op":"replace","path":"/card","value":"visa"}]')).toBe(document.replace('""', '"visa"'))
  })

  test('compares numbers as numbers, and long ones to their last digit', () => {
    expect(patched('{"a":1.0}', '[{"op":"test","path":"/a","value":1}]')).toBe('{"a":1.0}')
    const wrong = '[{"op":"test","path":"/a","value":12345678901234567891}]'
    expect(() => patched('{"a":12345678901234567890}', wrong)).toThrow('the test fails')
  })

  test('cannot pollute what all objects share', () => {
    const out = patched(
      '{"__proto__":{"a":1}}',
      '[{"op":"add","path":"/__proto__/isAdmin","value":true},{"op":"copy","from":"/__proto__","path":"/constructor"}]',
    )
    expect(out).toBe('{"__proto__":{"a":1,"isAdmin":true},"constructor":{"a":1,"isAdmin":true}}')
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
    expect(() => patched('{}', '[{"op":"test","path":"/toString","value":1}]')).toThrow('is not there')
  })

  test('and its inverse leave a document as it was, and none changes the one that it was given', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
        fc.string(),
        fc.jsonValue({ maxDepth: 2 }),
        (object, name, value) => {
          const document = parseExactly(JSON.stringify(object))
          const before = printExactly(document)
          const path = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
          const old = Object.hasOwn(object, name) ? { op: 'replace', path, value: object[name] } : { op: 'remove', path }
          const added = applyPatch(document, parseExactly(JSON.stringify([{ op: 'add', path, value }])))
          expect(printExactly(document)).toBe(before)
          expect(printExactly(applyPatch(added, parseExactly(JSON.stringify([old]))))).toBe(before)
        },
      ),
    )
  })
})
