// Cities by the beginning of their name, from the file of the base map, which is loaded with the first search.
import type { City } from './picture.ts';

const FOUND_MAX = 3;
const CHARACTERS_MIN = 3;
/** As people type it: without accents. */
const plain = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toUpperCase();

export class Cities {
  private readonly url: URL;
  private cities: Promise<readonly (City & { readonly plain: string })[]> | null = null;

  constructor(url: URL) {
    this.url = url;
  }

  /** The largest first; none while the file cannot be loaded. */
  async find(query: string): Promise<City[]> {
    if (query.length < CHARACTERS_MIN) return [];
    this.cities ??= this.load();
    const text = plain(query);
    const all = await this.cities.catch(() => {
      this.cities = null;
      return [];
    });
    return all
      .filter((city) => city.plain.startsWith(text))
      .slice(0, FOUND_MAX)
      .map(({ name, lat, lon }) => ({ name, lat, lon }));
  }

  private async load(): Promise<readonly (City & { readonly plain: string })[]> {
    interface File {
      readonly features: readonly {
        readonly properties: { readonly name: string };
        readonly geometry: { readonly coordinates: readonly [number, number] };
      }[];
    }
    const { features } = (await (await fetch(this.url)).json()) as File;
    return features.map(
      ({
        properties: { name },
        geometry: {
          coordinates: [lon, lat],
        },
      }) => ({ name, lat, lon, plain: plain(name) }),
    );
  }
}
