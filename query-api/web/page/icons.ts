// Icons of buttons, as paths in a square of 24.
import { drawn } from './drawing.ts';

const paths = {
  search: 'M10 3a7 7 0 1 0 4.2 12.6l5.1 5.1 1.4-1.4-5.1-5.1A7 7 0 0 0 10 3zm0 2a5 5 0 1 1 0 10 5 5 0 0 1 0-10z',
  'zoom-in': 'M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z',
  'zoom-out': 'M5 11h14v2H5z',
  me: 'M11 2h2v2.1a8 8 0 0 1 6.9 6.9H22v2h-2.1a8 8 0 0 1-6.9 6.9V22h-2v-2.1A8 8 0 0 1 4.1 13H2v-2h2.1A8 8 0 0 1 11 4.1zm1 4a6 6 0 1 0 0 12 6 6 0 0 0 0-12zm0 3.5a2.5 2.5 0 1 1 0 5 2.5 2.5 0 0 1 0-5z',
  settings: 'M12 3 2 8l10 5 10-5zM4.2 11.1 2 12.2l10 5 10-5-2.2-1.1-7.8 3.9zm0 4.2L2 16.4l10 5 10-5-2.2-1.1-7.8 3.9z',
  filter: 'M3 5h18v2l-7 7v6l-4-2v-4L3 7z',
  table: 'M3 5h18v2H3zm0 6h18v2H3zm0 6h18v2H3z',
  close: 'M6.4 5 12 10.6 17.6 5 19 6.4 13.4 12l5.6 5.6-1.4 1.4-5.6-5.6L6.4 19 5 17.6 10.6 12 5 6.4z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-1 13h2v2h-2zm1-10a3.6 3.6 0 0 1 1.9 6.7c-.7.5-.9.7-.9 1.8h-2c0-1.9.6-2.6 1.7-3.3A1.6 1.6 0 1 0 10.4 9.6h-2A3.6 3.6 0 0 1 12 6z',
} as const;

export const icon = (name: keyof typeof paths): SVGElement =>
  drawn('svg', { viewBox: '0 0 24 24', class: 'glyph', 'aria-hidden': 'true' }, drawn('path', { d: paths[name] }));
