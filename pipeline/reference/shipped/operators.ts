// The operators seen most, written by hand: ICAO and IATA code, name, radiotelephony call sign (ICAO Doc 8585), country.
import type { Operator } from '../reference.ts';
import { operatorOf } from '../tables/operators.ts';

/** `-` means no IATA code. */
// biome-ignore format: a table
const operatorsByCountry: Readonly<Record<string, string>> = {
  AE: 'UAE EK Emirates, EMIRATES|ETD EY Etihad Airways, ETIHAD|FDB FZ flydubai, SKYDUBAI|ABY G9 Air Arabia, ARABIA',
  AF: 'AFG FG Ariana Afghan Airlines, ARIANA|KMF RQ Kam Air, KAMGAR',
  AO: 'DTA DT TAAG Angola Airlines, DTA',
  AR: 'ARG AR Aerolíneas Argentinas, ARGENTINA|FBZ FO Flybondi, BONDI|JES WJ JetSMART Argentina, SMARTBIRD',
  AT: 'AUA OS Austrian Airlines, AUSTRIAN|LDM - Lauda Europe, LAUDA MOTION|EJU EC easyJet Europe, ALPINE|TYW - Tyrol Air Ambulance, TYROL AMBULANCE',
  AU: `
    QFA QF Qantas, QANTAS|VOZ VA Virgin Australia, VELOCITY|JST JQ Jetstar Airways, JETSTAR|QLK QF QantasLink, QLINK|RXA ZL Regional Express, REX|
    UTY QQ Alliance Airlines, UNITY|NWK QF Network Aviation, NETLINK`,
  AZ: 'AHY J2 Azerbaijan Airlines, AZAL|AZG 7L Silk Way West Airlines, SILK WEST',
  BD: 'BBC BG Biman Bangladesh Airlines, BANGLADESH|UBG BS US-Bangla Airlines, BANGLA STAR',
  BE: `
    BEL SN Brussels Airlines, BEELINE|JAF TB TUI fly Belgium, BEAUTY|TAY 3V ASL Airlines Belgium, QUALITY|BAF - Belgian Air Force, BELGIAN AIRFORCE|
    ABB KF Air Belgium, AIR BELGIUM|LXA - Luxaviation Belgium, RED LION`,
  BG: 'LZB FB Bulgaria Air, FLYING BULGARIA',
  BH: 'GFA GF Gulf Air, GULF AIR',
  BO: 'BOV OB Boliviana de Aviación, BOLIVIANA',
  BR: 'TAM JJ LATAM Brasil, TAM|GLO G3 Gol, GOL TRANSPORTE|AZU AD Azul, AZUL|FAB - Força Aérea Brasileira, BRAZILIAN AIR FORCE|PTB 2Z Voepass, PASSAREDO',
  BY: 'BRU B2 Belavia, BELAVIA',
  CA: `
    ACA AC Air Canada, AIR CANADA|WJA WS WestJet, WESTJET|JZA QK Jazz Aviation, JAZZ|ROU RV Air Canada Rouge, ROUGE|TSC TS Air Transat, AIR TRANSAT|
    POE PD Porter Airlines, PORTER|FLE F8 Flair Airlines, FLAIR|CJT W8 Cargojet, CARGOJET|SWG WG Sunwing, SUNWING|WEN WR WestJet Encore, ENCORE|
    CFC - Royal Canadian Air Force, CANFORCE|MAL - Morningstar Air Express, MORNINGSTAR|PVL PB PAL Airlines, SPEEDAIR|
    KFA - Kelowna Flightcraft, FLIGHTCRAFT`,
  CH: `
    SWR LX Swiss, SWISS|EZS DS easyJet Switzerland, TOPSWISS|EDW WK Edelweiss Air, EDELWEISS|OAW 2L Helvetic Airways, HELVETIC|
    SUI - Swiss Air Force, SWISS AIR FORCE|SAZ - Rega, SWISS AMBULANCE|VJT - VistaJet, VISTA`,
  CI: 'VRE HF Air Côte d’Ivoire, COTE D’IVOIRE',
  CL: 'LAN LA LATAM Chile, LAN CHILE|SKU H2 Sky Airline, AEROSKY|JAT JA JetSMART, ROCKSMART',
  CN: `
    CCA CA Air China, AIR CHINA|CES MU China Eastern Airlines, CHINA EASTERN|CSN CZ China Southern Airlines, CHINA SOUTHERN|
    CHH HU Hainan Airlines, HAINAN|CSZ ZH Shenzhen Airlines, SHENZHEN AIR|CXA MF Xiamen Airlines, XIAMEN AIR|CSC 3U Sichuan Airlines, SI CHUAN|
    CQH 9C Spring Airlines, AIR SPRING|DKH HO Juneyao Air, AIR JUNEYAO|CDG SC Shandong Airlines, SHANDONG|CSH FM Shanghai Airlines, SHANGHAI AIR|
    CBJ JD Capital Airlines, CAPITAL JET|GCR GS Tianjin Airlines, BO HAI|LKE 8L Lucky Air, LUCKY AIR|CKK CK China Cargo Airlines, CARGO KING|
    CAO CA Air China Cargo, AIRCHINA FREIGHT|CYZ CF China Postal Airlines, CHINA POST|CSS O3 SF Airlines, SHUN FENG|CPA CX Cathay Pacific, CATHAY|
    HKE UO HK Express, HONGKONG SHUTTLE|AHK LD Air Hong Kong, AIR HONG KONG|CRK HX Hong Kong Airlines, BAUHINIA|AMU NX Air Macau, AIR MACAO`,
  CO: 'AVA AV Avianca, AVIANCA|ARE 4C LATAM Colombia, LAN COLOMBIA|EFY VE EasyFly, EASYFLY',
  CR: 'LRC LR Avianca Costa Rica, LACSA',
  CU: 'CUB CU Cubana, CUBANA',
  CY: 'CYP CY Cyprus Airways, CYPRUS',
  CZ: 'CSA OK Czech Airlines, CSA|TVS QS Smartwings, SKYTRAVEL|CEF - Czech Air Force, CZECH AIR FORCE',
  DE: `
    DLH LH Lufthansa, LUFTHANSA|EWG EW Eurowings, EUROWINGS|CLH CL Lufthansa CityLine, HANSALINE|CFG DE Condor, CONDOR|TUI X3 TUIfly, TUI JET|
    BCS QY European Air Transport, EUROTRANS|GEC LH Lufthansa Cargo, LUFTHANSA CARGO|OCN 4Y Discover Airlines, OCEAN|GMI ST Germania, GERMANIA|
    GAF - German Air Force, GERMAN AIR FORCE|BOX 3S AeroLogic, GERMAN CARGO|DCS - DC Aviation, TWIN STAR|IFA - FAI Air Service, RED ANGEL|
    LHX VL Lufthansa City Airlines, SAPPHIRE|AMB - Deutsche Rettungsflugwacht, CIVIL AIR AMBULANCE`,
  DK: 'DTR DX DAT, DANISH|MMD 6I Air Alsie, MERMAID|SRR DJ Maersk Air Cargo, WHITESTAR|VKG DK Sunclass Airlines, VIKING|JTD - Jettime, JETTIME',
  DO: 'DWI DM Arajet, ARAJET',
  DZ: 'DAH AH Air Algérie, AIR ALGERIE',
  EC: 'LNE XL LATAM Ecuador, AEROLANE',
  EE: 'EST EE Xfly, REVAL',
  EG: 'MSR MS EgyptAir, EGYPTAIR|MSC SM Air Cairo, AIR CAIRO|MSX MS EgyptAir Cargo, EGYPTAIR CARGO',
  ES: `
    IBE IB Iberia, IBERIA|VLG VY Vueling, VUELING|AEA UX Air Europa, EUROPA|IBS I2 Iberia Express, IBEREXPRESS|ANE YW Air Nostrum, AIR NOSTRUM|
    VOE V7 Volotea, VOLOTEA|IBB NT Binter Canarias, BINTER|SWT WT Swiftair, SWIFT|EVE E9 Iberojet, EVELOP|PUE PU Plus Ultra, SPANISH|
    AME - Ejército del Aire, AIRMIL`,
  ET: 'ETH ET Ethiopian Airlines, ETHIOPIAN',
  FI: 'FIN AY Finnair, FINNAIR|FCM N7 Nordic Regional Airlines, FINNCOMM',
  FJ: 'FJI FJ Fiji Airways, FIJI',
  FR: `
    AFR AF Air France, AIRFRANS|HOP A5 Air France Hop, AIR HOP|TVF TO Transavia France, FRANCE SOLEIL|CCM XK Air Corsica, CORSICA|CRL SS Corsair, CORSAIR|
    FBU BF French Bee, FRENCH BEE|FPO 5O ASL Airlines France, FRENCH POST|CTM - Armée de l’air, COTAM|FAF - French Air Force, FRENCH AIR FORCE|
    REU UU Air Austral, REUNION|FWI TX Air Caraïbes, FRENCH WEST|CAJ - Air Caraïbes Atlantique, CAR LINE|AIB - Airbus Industrie, AIRBUS INDUSTRIE`,
  GB: `
    BAW BA British Airways, SPEEDBIRD|SHT BA British Airways Shuttle, SHUTTLE|CFE CJ BA CityFlyer, FLYER|EFW A0 BA Euroflyer, GRIFFIN|
    EZY U2 easyJet, EASY|EXS LS Jet2, CHANNEX|TOM BY TUI Airways, TOMJET|VIR VS Virgin Atlantic, VIRGIN|LOG LM Loganair, LOGAN|
    RUK RK Ryanair UK, BLUE MAX|WUK W9 Wizz Air UK, WIZZ GO|AUR GR Aurigny, AYLINE|NPT - West Atlantic UK, NEPTUNE|DHK D0 DHL Air, WORLD EXPRESS|
    RRR - Royal Air Force, ASCOT|RFR - Royal Air Force, RAFAIR|NVY - Royal Navy, NAVY|HLE - Helimed, HELIMED|UKP - UK Police, POLICE`,
  GE: 'TGZ A9 Georgian Airways, TAMAZI',
  GR: 'AEE A3 Aegean Airlines, AEGEAN|OAL OA Olympic Air, OLYMPIC|SEH GQ Sky Express, AIR CRETE|HAF - Hellenic Air Force, HELLENIC AIR FORCE',
  HR: 'CTN OU Croatia Airlines, CROATIA',
  HU: 'WZZ W6 Wizz Air, WIZZAIR|HUF - Hungarian Air Force, HUNGARIAN AIR FORCE',
  ID: `
    GIA GA Garuda Indonesia, INDONESIA|LNI JT Lion Air, LION INTER|BTK ID Batik Air, BATIK|CTV QG Citilink, SUPERGREEN|
    AWQ QZ Indonesia AirAsia, WAGON AIR|WON IW Wings Air, WINGS ABADI|SJV IU Super Air Jet, PROSPEROUS|SJY SJ Sriwijaya Air, SRIWIJAYA`,
  IE: `
    RYR FR Ryanair, RYANAIR|EIN EI Aer Lingus, SHAMROCK|ABR AG ASL Airlines Ireland, CONTRACT|EAI EA Emerald Airlines, GEMSTONE|
    STK RE Stobart Air, STOBART|IRL - Irish Air Corps, IRISH`,
  IL: 'ELY LY El Al, ELAL|ISR 6H Israir, ISRAIR|AIZ IZ Arkia, ARKIA|ICL 5C Challenge Airlines IL, CAL',
  IN: `
    IGO 6E IndiGo, IFLY|AIC AI Air India, AIRINDIA|AXB IX Air India Express, EXPRESS INDIA|SEJ SG SpiceJet, SPICEJET|AKJ QP Akasa Air, AKASA AIR|
    LLR 9I Alliance Air, ALLIED|BDA BZ Blue Dart Aviation, BLUE DART|IFC - Indian Air Force, INDIAN AIRFORCE`,
  IQ: 'IAW IA Iraqi Airways, IRAQI',
  IR: 'IRA IR Iran Air, IRANAIR|IRM W5 Mahan Air, MAHAN AIR|IRC EP Iran Aseman Airlines, ASEMAN',
  IS: 'ICE FI Icelandair, ICEAIR|ABD CC Air Atlanta Icelandic, ATLANTA|BBD BO Bluebird Nordic, BLUE CARGO',
  IT: 'ITY AZ ITA Airways, ITARROW|NOS NO Neos, MOONFLOWER|DLA EN Air Dolomiti, DOLOMITI|IAM - Italian Air Force, ITALIAN AIRFORCE',
  JO: 'RJA RJ Royal Jordanian, JORDANIAN',
  JP: `
    JAL JL Japan Airlines, JAPANAIR|ANA NH All Nippon Airways, ALL NIPPON|JJP GK Jetstar Japan, ORANGE LINER|APJ MM Peach Aviation, AIR PEACH|
    SKY BC Skymark Airlines, SKYMARK|ADO HD Air Do, AIR DO|SNJ 6J Solaseed Air, NEWSKY|SFJ 7G StarFlyer, STARFLYER|TZP ZG Zipair, ZIPPY|
    JTA NU Japan Transocean Air, JAI OCEAN|NCA KZ Nippon Cargo Airlines, NIPPON CARGO|AKX EH ANA Wings, ALFA WING|JLJ JL J-Air, J AIR`,
  KE: 'KQA KQ Kenya Airways, KENYA',
  KR: `
    KAL KE Korean Air, KOREANAIR|JNA LJ Jin Air, JIN AIR|AAR OZ Asiana Airlines, ASIANA|JJA 7C Jeju Air, JEJU AIR|TWB TW Tway Air, TWAYAIR|
    ABL BX Air Busan, AIR BUSAN|ASV RS Air Seoul, AIR SEOUL|ESR ZE Eastar Jet, EASTAR|APZ YP Air Premia, AIR PREMIA`,
  KW: 'KAC KU Kuwait Airways, KUWAITI|JZR J9 Jazeera Airways, JAZEERA',
  KZ: 'KZR KC Air Astana, ASTANALINE|AYN FS FlyArystan, ARYSTAN|VSV DV SCAT Airlines, VLASTA',
  LB: 'MEA ME Middle East Airlines, CEDAR JET',
  LK: 'ALK UL SriLankan Airlines, SRILANKAN',
  LT: 'NVD X9 Avion Express, NORDVIND',
  LU: 'LGL LG Luxair, LUXAIR|CLX CV Cargolux, CARGOLUX|LUV - Luxembourg Air Rescue, LUX RESCUE',
  LV: 'BTI BT airBaltic, AIRBALTIC',
  LY: 'LAA LN Libyan Airlines, LIBAIR',
  MA: 'RAM AT Royal Air Maroc, ROYALAIR MAROC|MAC 3O Air Arabia Maroc, ARABIA MAROC',
  MD: 'FIA 5F FlyOne, FIA AIRLINES',
  ME: 'MNE 4O Air Montenegro, MOUNT EAGLE',
  MG: 'MDG MD Madagascar Airlines, AIR MADAGASCAR',
  MN: 'MGL OM MIAT Mongolian Airlines, MONGOL AIR',
  MT: 'KMM KM KM Malta Airlines, SKY KNIGHT|MAY AL Malta Air, BLUE MED|WMT W4 Wizz Air Malta, WIZZAIR MALTA',
  MU: 'MAU MK Air Mauritius, AIRMAURITIUS',
  MX: `
    AMX AM Aeroméxico, AEROMEXICO|VOI Y4 Volaris, VOLARIS|VIV VB Viva Aerobus, AEROENLACES|SLI 5D Aeroméxico Connect, COSTERA|MAA M7 MasAir, MAS CARGA|
    TNO 6R Aerotransportes de Carga Unión, AEROUNION`,
  MY: `
    MAS MH Malaysia Airlines, MALAYSIAN|AXM AK AirAsia, RED CAP|XAX D7 AirAsia X, XANADU|MXD OD Batik Air Malaysia, MALINDO EXPRESS|
    FFM FY Firefly, FIREFLY|MWG - MASwings, MASWINGS`,
  MZ: 'LAM TM LAM Mozambique, MOZAMBIQUE',
  NG: 'ARA W3 Arik Air, ARIK AIR',
  NL: `
    KLM KL KLM, KLM|KLC WA KLM Cityhopper, CITY|TRA HV Transavia, TRANSAVIA|TFL OR TUI fly Netherlands, ORANGE|MPH MP Martinair, MARTINAIR|
    CND CD Corendon Dutch Airlines, DUTCH CORENDON|NAF - Royal Netherlands Air Force, NETHERLANDS AIR FORCE`,
  NO: `
    NOZ DY Norwegian, NORDIC|WIF WF Widerøe, WIDEROE|NBT N0 Norse Atlantic Airways, LONGSHIP|HKS - CHC Helikopter Service, HELIBUS|
    BHL - Bristow Norway, BRISTOW`,
  NP: 'RNA RA Nepal Airlines, ROYAL NEPAL',
  NZ: 'ANZ NZ Air New Zealand, NEW ZEALAND|RLK NZ Air Nelson, LINK|KIW - Royal New Zealand Air Force, KIWI',
  OM: 'OMA WY Oman Air, OMAN AIR|OMS OV SalamAir, MAZOON',
  PA: 'CMP CM Copa Airlines, COPA',
  PE: 'LPE LP LATAM Perú, LANPERU',
  PG: 'ANG PX Air Niugini, NIUGINI',
  PH: 'PAL PR Philippine Airlines, PHILIPPINE|CEB 5J Cebu Pacific, CEBU|APG Z2 Philippines AirAsia, COOL RED',
  PK: 'PIA PK Pakistan International Airlines, PAKISTAN|ABQ PA Airblue, AIRBLUE|SEP ER SereneAir, SERENE',
  PL: `
    LOT LO LOT Polish Airlines, LOT|ENT E4 Enter Air, ENTER|RYS RR Buzz, MAGIC SUN|PLF - Polish Air Force, POLISH AIRFORCE|SRN P8 SprintAir, SPRINTAIR|
    LPR - Lotnicze Pogotowie Ratunkowe, RATOWNIK`,
  PT: `
    TAP TP TAP Air Portugal, AIR PORTUGAL|SAT SP SATA Air Açores, SATA|RZO S4 Azores Airlines, AIR AZORES|PGA NI Portugália, PORTUGALIA|
    HFY 5K Hi Fly, SKY FLYER|EJM - Executive Jet Management, JET SPEED|NJE 1I NetJets Europe, FRACTION|AFP - Portuguese Air Force, PORTUGUESE AIR FORCE`,
  QA: 'QTR QR Qatar Airways, QATARI|QAF - Qatar Amiri Flight, AMIRI',
  RO: 'ROT RO TAROM, TAROM|HYS H4 HiSky Europe, SKY EUROPE',
  RS: 'ASL JU Air Serbia, AIR SERBIA',
  RU: `
    AFL SU Aeroflot, AEROFLOT|SBI S7 S7 Airlines, SIBERIAN AIRLINES|SVR U6 Ural Airlines, SVERDLOVSK AIR|PBD DP Pobeda, POBEDA|SDM FV Rossiya, RUSSIA|
    UTA UT UTair, UTAIR|NWS N4 Nordwind Airlines, NORDLAND|VDA VI Volga-Dnepr Airlines, VOLGA|ABW RU AirBridgeCargo, AIRBRIDGE CARGO|
    AZV ZF Azur Air, AZUR AIR`,
  RW: 'RWD WB RwandAir, RWANDAIR',
  SA: 'SVA SV Saudia, SAUDIA|KNE XY flynas, NAS EXPRESS|FAD F3 flyadeal, FLYADEAL|RSF - Royal Saudi Air Force, ARSAF',
  SC: 'SEY HM Air Seychelles, SEYCHELLES',
  SE: `
    SAS SK SAS, SCANDINAVIAN|NSZ D8 Norwegian Air Sweden, REDNOSE|BLX 6B TUIfly Nordic, BLUESCAN|BRX TF BRA Braathens Regional, BRAATHENS|
    SVF - Swedish Armed Forces, SWEDEFORCE|SWN T2 West Air Sweden, AIR SWEDEN`,
  SG: 'SIA SQ Singapore Airlines, SINGAPORE|TGW TR Scoot, SCOOTER|SQC SQ Singapore Airlines Cargo, SINGCARGO|JSA 3K Jetstar Asia, JETSTAR ASIA',
  SN: 'SZN HC Air Senegal, AIR SENEGAL',
  TH: `
    THA TG Thai Airways, THAI|AIQ FD Thai AirAsia, THAI ASIA|BKP PG Bangkok Airways, BANGKOK AIR|NOK DD Nok Air, NOK AIR|TLM SL Thai Lion Air, MENTARI|
    TVJ VZ Thai VietJet Air, THAIVIET JET|TAX XJ Thai AirAsia X, EXPRESS WING`,
  TN: 'TAR TU Tunisair, TUNAIR|LBT BJ Nouvelair, NOUVELAIR',
  TR: `
    THY TK Turkish Airlines, TURKISH|SXS XQ SunExpress, SUNEXPRESS|PGT PC Pegasus Airlines, SUNTURK|TKJ VF AJet, ANADOLUJET|
    CAI XC Corendon Airlines, CORENDON|FHY FH Freebird Airlines, FREEBIRD AIR|TWI TI Tailwind Airlines, TAILWIND|MNB MB MNG Airlines, BLACK SEA`,
  TW: `
    CAL CI China Airlines, DYNASTY|EVA BR EVA Air, EVA|TTW IT Tigerair Taiwan, SMART CAT|SJX JX Starlux Airlines, STARWALKER|
    MDA AE Mandarin Airlines, MANDARIN|UIA B7 Uni Air, GLORY`,
  TZ: 'ATC TC Air Tanzania, TANZANIA',
  UA: `
    AUI PS Ukraine International Airlines, UKRAINE INTERNATIONAL|SQP PQ SkyUp Airlines, SKYUP|ADB - Antonov Airlines, ANTONOV BUREAU|
    UKL - Ukraine Air Alliance, UKRAINE ALLIANCE`,
  US: `
    AAL AA American Airlines, AMERICAN|UAL UA United Airlines, UNITED|DAL DL Delta Air Lines, DELTA|SWA WN Southwest Airlines, SOUTHWEST|
    JBU B6 JetBlue, JETBLUE|ASA AS Alaska Airlines, ALASKA|FFT F9 Frontier Airlines, FRONTIER FLIGHT|AAY G4 Allegiant Air, ALLEGIANT|
    HAL HA Hawaiian Airlines, HAWAIIAN|SCX SY Sun Country Airlines, SUN COUNTRY|MXY MX Breeze Airways, MOXY|VXP XP Avelo Airlines, AVELO|
    SKW OO SkyWest Airlines, SKYWEST|RPA YX Republic Airways, BRICKYARD|ENY MQ Envoy Air, ENVOY|JIA OH PSA Airlines, BLUE STREAK|
    PDT PT Piedmont Airlines, PIEDMONT|EDV 9E Endeavor Air, ENDEAVOR|ASH YV Mesa Airlines, AIR SHUTTLE|AWI ZW Air Wisconsin, WISCONSIN|
    GJS G7 GoJet Airlines, LINDBERGH|QXE QX Horizon Air, HORIZON AIR|UCA C5 CommuteAir, COMMUTAIR|KAP 9K Cape Air, CAIR|FDX FX FedEx Express, FEDEX|
    UPS 5X UPS Airlines, UPS|GTI 5Y Atlas Air, GIANT|CKS K4 Kalitta Air, CONNIE|ATN 8C Air Transport International, AIR TRANSPORT|ABX GB ABX Air, ABEX|
    PAC PO Polar Air Cargo, POLAR|WGN KD Western Global Airlines, WESTERN GLOBAL|NCR N8 National Airlines, NATIONAL CARGO|
    OAE OY Omni Air International, OMNI-EXPRESS|AJT M6 Amerijet International, AMERIJET|MTN C2 Mountain Air Cargo, MOUNTAIN|
    CFS EM Empire Airlines, EMPIRE AIR|BVN - Baron Aviation, SHOW-ME|PCM - West Air, PAC VALLEY|EJA 1I NetJets, EXECJET|LXJ - Flexjet, FLEXJET|
    JTL - Jet Linx, JET LINX|TWY - Solairus Aviation, TWILIGHT|VJA - VistaJet US, ICEJET|XOJ - XOJET, EXOJET|
    RCH - US Air Force Air Mobility Command, REACH|CNV - US Navy, CONVOY|PAT - US Army Priority Air Transport, PAT|CAP - Civil Air Patrol, CAP FLIGHT|
    JSX - JSX, BIGSTRIPE|DPJ - Delta Private Jets, JET CARD|BOE - Boeing, BOEING|CPZ CP Compass Airlines, COMPASS|VRD VX Virgin America, REDWOOD|
    VTE LF Contour Airlines, VOLUNTEER|KFS K9 Kalitta Charters, KALITTA|AMF A8 Ameriflight, AMFLIGHT|LYC L2 Lynden Air Cargo, LYNDEN|
    NAC NC Northern Air Cargo, YUKON|EAL 2D Eastern Airlines, EASTERN|GXA G6 Global Crossing Airlines, GEMINI|SOO 9S Southern Air, SOUTHERN AIR`,
  UZ: 'UZB HY Uzbekistan Airways, UZBEK',
  VE: 'VCV V0 Conviasa, CONVIASA|LER QL Laser Airlines, LASER',
  VN: 'HVN VN Vietnam Airlines, VIET NAM AIRLINES|VJC VJ VietJet Air, VIETJETAIR|BAV QH Bamboo Airways, BAMBOO',
  ZA: 'SAA SA South African Airways, SPRINGBOK|SFR FA Safair, CARGO|LNK 4Z Airlink, LINK|CAW MN Comair, COMMERCIAL|GBB GE LIFT, GLOBE',
  ZW: 'AZW UM Air Zimbabwe, AIR ZIMBABWE',
};

const operators: readonly Operator[] = Object.entries(operatorsByCountry).flatMap(([country, list]) =>
  [...list.matchAll(/(?:^|\|)\s*([A-Z]{3}) ([A-Z0-9]{2}|-) ([^|]+), ([^|,]+)/g)].map(([, icao, iata, name, callsign]) =>
    operatorOf(icao!, iata === '-' ? '' : iata!, name!, callsign!, country),
  ),
);

export function shippedOperators(): readonly Operator[] {
  return operators;
}
