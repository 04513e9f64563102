import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** An authority of our own and a certificate that it signed for 127.0.0.1, as files in a folder. */
export interface Certificates {
  /** What a client trusts, as PEM. */
  readonly ca: string
  readonly files: { readonly ca: string; readonly cert: string; readonly key: string }
}

export function makeCertificates(folder: string, authority: string): Certificates {
  const file = (name: string): string => join(folder, `${authority}-${name}.pem`)
  const [ca, caKey, cert, key] = [file('ca'), file('ca-key'), file('cert'), file('key')]
  const [request, names] = [file('request'), file('names')]
  const openssl = (...args: string[]): void => void execFileSync('openssl', args, { stdio: 'pipe' })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl('req', '-x509', ...ec, '-days', '2', '-subj', `/CN=${authority}`, '-keyout', caKey, '-out', ca)
  openssl('req', ...ec, '-subj', '/CN=broker', '-keyout', key, '-out', request)
  writeFileSync(names, 'subjectAltName = IP:127.0.0.1\n')
  openssl(
    'x509',
    '-req',
    '-in',
    request,
    '-CA',
    ca,
    '-CAkey',
    caKey,
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    names,
    '-out',
    cert,
  )
  return { ca: readFileSync(ca, 'utf8'), files: { ca, cert, key } }
}
