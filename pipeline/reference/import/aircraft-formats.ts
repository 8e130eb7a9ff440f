// Aircraft: `icao24,r,t,desc` of dump1090, readsb's aircraft.csv, and the aircraft of VRS standing data.
import { addressKey, cell, columnsOf, type Format, headedBy, NO_ADDRESS } from './format.ts';

/** A class of types such as `L2J`: number and kind of engines. Some files have it in `desc` instead of a description. */
const TYPE_CLASS = /^[A-Z-][0-9C-][A-Z-]$/;
/** Characters of `dbFlags`, the first for bit 1. */
const FLAGS = /^[01]{1,8}$/;

const plain: Format = {
  name: 'aircraft (icao24,r,t,desc)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('icao24', 'r', 't'),
  begin(header, { aircraft }) {
    const { icao24, r, t, desc } = columnsOf(header, 'icao24', 'r', 't', 'desc');
    return (cells) => {
      const key = addressKey(cell(cells, icao24));
      if (key < 0) return NO_ADDRESS;
      const description = cell(cells, desc);
      aircraft().put(key, {
        registration: cell(cells, r),
        typeDesignator: cell(cells, t).toUpperCase(),
        description: TYPE_CLASS.test(description) ? '' : description,
      });
      return null;
    };
  },
};

// hex;registration;type;flags;description;year;owner;  Flags are characters: military, interesting, PIA, LADD.
const readsb: Format = {
  name: "aircraft (readsb's aircraft.csv)",
  delimiter: ';',
  headed: false,
  recognises: (first) => /^~?[0-9a-fA-F]{6};[^;]*;[^;]*;[01]*;/.test(first),
  begin(_, { aircraft }) {
    return (cells) => {
      const key = addressKey(cell(cells, 0));
      if (key < 0) return NO_ADDRESS;
      const flags = cell(cells, 3);
      if (flags !== '' && !FLAGS.test(flags)) return 'flags that are not 0 and 1';
      aircraft().put(key, {
        registration: cell(cells, 1),
        typeDesignator: cell(cells, 2).toUpperCase(),
        flags: [...flags].reduce((bits, flag, bit) => bits | (Number(flag) << bit), 0) & 0xf,
        description: cell(cells, 4),
        year: yearOf(cell(cells, 5)),
        operator: cell(cells, 6),
      });
      return null;
    };
  },
};

const vrs: Format = {
  name: 'aircraft (VRS)',
  delimiter: ',',
  headed: true,
  recognises: headedBy('ICAO', 'Registration', 'ModelICAO'),
  begin(header, { aircraft }) {
    const at = columnsOf(header, 'ICAO', 'Registration', 'ModelICAO', 'ManufacturerAndModel', 'IsPrivateOperator', 'Operator', 'YearBuilt');
    return (cells) => {
      const key = addressKey(cell(cells, at.ICAO));
      if (key < 0) return NO_ADDRESS;
      const type = cell(cells, at.ModelICAO);
      aircraft().put(key, {
        registration: cell(cells, at.Registration),
        // VRS's own designators for vehicles and towers begin with a hyphen.
        typeDesignator: type.startsWith('-') ? '' : type,
        description: cell(cells, at.ManufacturerAndModel),
        operator: cell(cells, at.IsPrivateOperator) === '1' ? '' : cell(cells, at.Operator),
        year: yearOf(cell(cells, at.YearBuilt)),
      });
      return null;
    };
  },
};

export const aircraftFormats: readonly Format[] = [plain, readsb, vrs];

function yearOf(text: string): number {
  return /^(19|20)\d\d$/.test(text) ? Number(text) : 0;
}
