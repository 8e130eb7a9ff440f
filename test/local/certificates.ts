// A certificate authority for one test run, and certificates signed by it, for tests of our TLS connections.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** PEM files. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificates {
  readonly caFile: string;
  /** For 127.0.0.1 and localhost. */
  readonly server: CertificateFiles;
  readonly client: CertificateFiles;
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '30'];

/** Creates certificates in the folder, with the openssl program. */
export function makeCertificates(folder: string): Certificates {
  const authority = { certFile: join(folder, 'ca.pem'), keyFile: join(folder, 'ca.key') };
  const make = (name: string, to: CertificateFiles, ...more: string[]): CertificateFiles => {
    const args = ['req', '-x509', ...NEW_KEY, '-subj', `/CN=squitter ${name}`, '-keyout', to.keyFile, '-out', to.certFile, ...more];
    execFileSync('openssl', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    return to;
  };
  const signed = (name: string, extension: string): CertificateFiles => {
    const files = { certFile: join(folder, `${name}.pem`), keyFile: join(folder, `${name}.key`) };
    return make(name, files, '-CA', authority.certFile, '-CAkey', authority.keyFile, '-addext', extension);
  };
  return {
    caFile: make('authority', authority).certFile,
    server: signed('server', 'subjectAltName=IP:127.0.0.1,DNS:localhost'),
    client: signed('client', 'extendedKeyUsage=clientAuth'),
  };
}
