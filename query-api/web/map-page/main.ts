// The page of the map: its parts.
import { openLayers } from '../layers/registry.ts';
import { openLegend } from '../map/legend.ts';
import { openMe } from '../map/me.ts';
import { openPicking } from '../map/picking.ts';
import { openRouteLine } from '../map/route-line.ts';
import { openSettings } from '../map/settings-panel.ts';
import { openTracks } from '../map/tracks.ts';
import { registerOffline } from '../offline/register.ts';
import { byId } from '../page/parts.ts';
import { openFind } from '../panel/find.ts';
import { openFollow } from '../panel/follow.ts';
import { openKeyboard } from '../panel/keyboard.ts';
import { openNotices } from '../panel/notices.ts';
import { makeSheet } from '../panel/sheet.ts';
import { openSide } from '../panel/side.ts';
import { openTable } from '../panel/table.ts';
import { TimeBar } from '../time/time-bar.ts';
import { openEmergencies } from './emergencies.ts';
import { openMapPage } from './open-page.ts';

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
  (page) => void new TimeBar(page),
  openKeyboard,
  () => registerOffline(new URL('.', import.meta.url)),
]);
for (const id of ['side', 'table']) makeSheet(byId(id));
