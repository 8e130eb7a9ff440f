// The page of the map: its parts.
import { registerOffline } from '../offline/register.ts';
import { byId } from '../page/parts.ts';
import { openFind } from '../panel/find.ts';
import { openFollow } from '../panel/follow.ts';
import { openKeyboard } from '../panel/keyboard.ts';
import { openNotices } from '../panel/notices.ts';
import { makeSheet } from '../panel/sheet.ts';
import { openSide } from '../panel/side.ts';
import { openTable } from '../panel/table.ts';
import { openMapPage } from './open-page.ts';
import { openPicking } from './picking.ts';

openMapPage([
  openPicking,
  openFind,
  openTable,
  openKeyboard,
  openNotices,
  openFollow,
  openSide,
  () => registerOffline(new URL('.', import.meta.url)),
]);
for (const id of ['side', 'table']) makeSheet(byId(id));
