// NIC and Rc by type code, version and supplements.
import { expect, test } from 'vitest';
import { type Containment, containment } from './containment.ts';
import { ABSENT } from './message.ts';

/** Version, type code, supplements A, B and C (`-`: it does not matter), NIC, Rc in metres. Versions above 2 count as 2. */
const table = `
2  5 --- 11     8 | 2  6 --- 10    25 | 2  7 1-0  9    75 | 2  7 0-0  8   186 | 2  7 1-1  8   186 | 2  8 1-1  7   371
2  8 1-0  6   556 | 2  8 0-1  6  1112 | 2  8 0-0  0     0 | 2  9 --- 11     8 | 2 10 --- 10    25 | 2 11 11-  9    75
2 11 00-  8   186 | 2 11 10-  8   186 | 2 11 01-  8   186 | 2 12 ---  7   371 | 2 13 01-  6   556 | 2 13 00-  6   926
2 13 11-  6  1112 | 2 13 10-  6     0 | 2 14 ---  5  1852 | 2 15 ---  4  3704 | 2 16 11-  3  7408 | 2 16 00-  2 14816
2 17 ---  1 37040 | 2 18 ---  0     0 | 2 20 --- 11     8 | 2 21 --- 10    25 | 2 22 ---  0     0 | 2  0 ---  0     0
3 11 11-  9    75 | 1  7 1--  9    75 | 1  7 0--  8   186 | 1  8 ---  0     0 | 1 11 1--  9    75 | 1 11 0--  8   186
1 13 1--  6  1112 | 1 13 0--  6   926 | 1 16 1--  3  7408 | 1 16 0--  2 14816 | 0  7 ---  8   186 | 0  8 ---  0     0
0 11 ---  8   186 | 0 13 ---  6   926 | 0 16 ---  2 18520
`
  .trim()
  .split(/\n|\|/)
  .map((row) => row.trim().split(/\s+/) as [string, string, string, string, string]);

test.each(table)('version %s, TC %s, supplements %s: NIC %s, Rc %s m', (version, typeCode, supplements, nic, rcM) => {
  const out: Containment = { nic: -1, rcM: -1 };
  const choices = [...supplements].map((supplement) => (supplement === '-' ? [0, 1, ABSENT] : [Number(supplement)]));
  for (const a of choices[0]!)
    for (const b of choices[1]!)
      for (const c of choices[2]!) {
        containment(Number(typeCode), Number(version), a, b, c, out);
        expect(out).toEqual({ nic: Number(nic), rcM: Number(rcM) });
      }
});
