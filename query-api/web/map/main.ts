// The page of the map: its parts.
import { openLayers } from '../layers/registry.ts';
import { registerOffline } from '../offline/register.ts';
import { byId } from '../page/parts.ts';
import { openFind } from '../panel/find.ts';
import { openFollow } from '../panel/follow.ts';
import { openKeyboard } from '../panel/keyboard.ts';
import { openNotices } from '../panel/notices.ts';
import { makeSheet } from '../panel/sheet.ts';
import { openSide } from '../panel/side.ts';
import { openTable } from '../panel/table.ts';
import { openTime } from '../time/time-bar.ts';
import { openEmergencies } from './emergencies.ts';
import { openLegend } from './legend.ts';
import { openMe } from './me.ts';
import { openMapPage } from './open-page.ts';
import { openPicking } from './picking.ts';
import { openRouteLine } from './route-line.ts';
import { openSettings } from './settings-panel.ts';
import { openTracks } from './tracks.ts';

openMapPage([
  openMe,
  openPicking,
  openTracks,
  openRouteLine,
  openLayers,
  openEmergencies,
  openSettings,
  openLegend,
  openFind,
  openTable,
  openNotices,
  openFollow,
  openSide,
  openTime,
  openKeyboard,
  () => registerOffline(new URL('.', import.meta.url)),
]);
for (const id of ['side', 'table']) makeSheet(byId(id));
