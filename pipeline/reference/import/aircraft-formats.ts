// Aircraft: `icao24,r,t,desc` of dump1090, readsb's aircraft.csv, and the aircraft of VRS standing data.
import { addressKey, type Format, headed, NO_ADDRESS, textOf } from './format.ts';

/** A class of types such as `L2J`: number and kind of engines. Some files have it in `desc` instead of a description. */
const TYPE_CLASS = /^[A-Z-][0-9C-][A-Z-]$/;
/** Characters of `dbFlags`, the first for bit 1. */
const FLAGS = /^[01]{1,8}$/;

const plain = headed('aircraft (icao24,r,t,desc)', ['icao24', 'r', 't'], (cell, { aircraft }) => {
  const key = addressKey(cell('icao24'));
  if (key < 0) return NO_ADDRESS;
  const description = cell('desc');
  aircraft().put(key, {
    registration: cell('r'),
    typeDesignator: cell('t').toUpperCase(),
    description: TYPE_CLASS.test(description) ? '' : description,
  });
  return null;
});

// hex;registration;type;flags;description;year;owner;  Flags are characters: military, interesting, PIA, LADD.
const readsb: Format = {
  name: "aircraft (readsb's aircraft.csv)",
  delimiter: ';',
  headed: false,
  recognises: (first) => /^~?[0-9a-fA-F]{6};[^;]*;[^;]*;[01]*;/.test(first),
  begin(_, { aircraft }) {
    return (cells) => {
      const key = addressKey(textOf(cells, 0));
      if (key < 0) return NO_ADDRESS;
      const flags = textOf(cells, 3);
      if (flags !== '' && !FLAGS.test(flags)) return 'flags that are not 0 and 1';
      aircraft().put(key, {
        registration: textOf(cells, 1),
        typeDesignator: textOf(cells, 2).toUpperCase(),
        flags: [...flags].reduce((bits, flag, bit) => bits | (Number(flag) << bit), 0) & 0xf,
        description: textOf(cells, 4),
        year: yearOf(textOf(cells, 5)),
        operator: textOf(cells, 6),
      });
      return null;
    };
  },
};

const vrs = headed('aircraft (VRS)', ['ICAO', 'Registration', 'ModelICAO'], (cell, { aircraft }) => {
  const key = addressKey(cell('ICAO'));
  if (key < 0) return NO_ADDRESS;
  const type = cell('ModelICAO');
  aircraft().put(key, {
    registration: cell('Registration'),
    // VRS's own designators for vehicles and towers begin with a hyphen.
    typeDesignator: type.startsWith('-') ? '' : type,
    description: cell('ManufacturerAndModel'),
    operator: cell('IsPrivateOperator') === '1' ? '' : cell('Operator'),
    year: yearOf(cell('YearBuilt')),
  });
  return null;
});

export const aircraftFormats: readonly Format[] = [plain, readsb, vrs];

function yearOf(text: string): number {
  return /^(19|20)\d\d$/.test(text) ? Number(text) : 0;
}
