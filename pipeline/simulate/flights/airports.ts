// Airports of simulated flights and receivers, from the reference data of the package.
import type { Airport as ReferenceAirport } from '../../reference/reference.ts';
import { shippedAirportTable } from '../../reference/shipped/airports.ts';

export type Airport = Required<Pick<ReferenceAirport, 'icao' | 'country' | 'latDeg' | 'lonDeg' | 'elevationFt'>>;

/** The order matters: a small simulation uses the first ones, so that its traffic is dense in one region. */
const codes = `
EHAM EGLL LFPG EDDF EBBR EDDM EDDL LSZH EGKK EDDH EDDB EKCH LFPO EGCC EGSS EIDW LEMD LEBL LIRF LIMC LOWW EPWA LKPR ESSA ENGM EFHK LPPT LFLL LFMN LSGG
EDDK EDDS LIPZ LHBP LROP LGAV LTFM LTAI LFML LFBO LFBD LFRS EGPH EGPF EGBB EGNX EGGD EGGW EGGP EGNT EGPD EICK EDDP EDDN EDDW EDDV EBLG EHRD EHEH ELLX
LEPA LEMG LEAL LEVC LEZL LEBB LPPR LIML LIPE LIRN LICC LICJ LIBD LIEO LJLJ LDZA LDSP LYBE LBSF LWSK LATI LGTS LGIR LCLK LTAC LTBJ EPKK EPGD EPWR EYVI
EVRA EETN ESGG ESMS ENBR ENVA ENZV ESPA EFOU EKBI BIKF LMML GMMN GMMX DAAG DTTA KJFK KEWR KLGA KBOS KPHL KBWI KIAD KDCA KCLT KATL KRDU KMCO KTPA KMIA
KFLL KRSW KJAX KBNA KMEM KMSY KIAH KDFW KDAL KAUS KSAT KHOU KORD KMDW KDTW KCLE KPIT KCVG KCMH KIND KSDF KSTL KMCI KMSP KMKE KOMA KDEN KSLC KPHX KLAS
KABQ KLAX KSAN KONT KSNA KBUR KSFO KOAK KSJC KSMF KRNO KPDX KSEA KBOI KELP KOKC KTUL KLIT KBHM KRIC KORF KBUF KSYR KALB KBDL KPVD KMHT CYYZ CYUL CYOW
CYQB CYWG CYYC CYEG CYVR MMMX MMGL MMMY MMUN RJTT RJAA RJBB RJCC RJFF RKSI RKPC ZBAA ZSPD ZGGG ZUUU VHHH RCTP VTBS WSSS WMKK WIII WADD RPLL VVTS VVNB
VIDP VABB VOBL VOMM VECC VOHS OMDB OMAA OTHH OERK OEJN LLBG HECA FAOR FACT FALE YSSY YMML YBBN YPAD YSCB NZAA NZWN NZCH SBGR SBGL SBBR SBCF SAEZ SCEL
SKBO SPJC`;

export const airports = shippedIn(codes.trim().split(/\s/));

/** Leaves their names out. */
function shippedIn(wanted: readonly string[]): readonly Airport[] {
  const known = shippedAirportTable();
  return wanted.map((icao) => {
    const { country, latDeg, lonDeg, elevationFt } = known.find(icao)!;
    return { icao, country: country!, latDeg, lonDeg, elevationFt: elevationFt! };
  });
}
