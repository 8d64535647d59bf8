import { random } from "./train-injection-model";
import { type Lists, type NameList, TONGUES, type Tongue } from "./train-names-lists";
import { BARE, DAYS, FIRMS, GENERAL, MONTHS, PEOPLES, PRODUCTS, SENTENCES, TITLES } from "./train-names-sentences";

export type Span = { readonly start: number; readonly end: number; readonly label: number };

/** A text with what is in it. `weak`: names in it are not labelled, so that what looks like one teaches nothing. */
export type Sample = {
  readonly text: string;
  readonly spans: readonly Span[];
  readonly weak: boolean;
  readonly tongue: Tongue;
  readonly pattern: number;
};

const LABEL_OF: Readonly<Record<string, number>> = { N: 1, F: 1, L: 1, C: 2, S: 2, K: 2, A: 3 };

/** Numbers of houses and postcodes, as countries write them. */
const ADDRESSES: Readonly<Record<Tongue, readonly string[]>> = {
  en: [
    "# ST",
    "# ST, CITY",
    "# ST, CITY, RG 9####",
    "# ST\nCITY, RG #####",
    "# ST Apt. ###, CITY",
    "# ST, Suite ###, CITY, RG",
    "# ST, CITY AB# #CD",
    "Flat #, # ST, CITY",
    "# ST\n Apt. ###\n CITY\n COUNTRY #####",
    "# NAME ST ##\nCITY\n, RG\n #####",
    "# ST, CITY, COUNTRY",
    "Unit #, # ST, CITY",
  ],
  de: ["ST #", "ST #, ##### CITY", "ST ##a, ##### CITY", "ST #\n##### CITY", "ST ##, CITY", "ST #, A-#### CITY"],
  fr: ["## ST", "##, ST", "## ST, ##### CITY", "## bis, ST, ##### CITY", "##, ST\n##### CITY", "## ST, CITY"],
  es: ["ST, ##", "ST ##", "ST, ##, ##### CITY", "ST ##, #º, ##### CITY", "ST, ##\n##### CITY", "ST ##, CITY"],
  it: ["ST ##", "ST, ##", "ST ##, ##### CITY", "ST ##\n##### CITY"],
  pt: ["ST, ###", "ST ###", "ST, ###, CITY", "ST, ##, ####-### CITY", "ST ###\n#####-### CITY"],
  nl: ["ST ##", "ST ##, #### AB CITY", "ST ##a, #### AB CITY", "ST ##\n#### AB CITY", "ST ##, CITY"],
};

const STREETS: Readonly<Record<Tongue, readonly string[]>> = {
  en: [
    "NAME Street",
    "NAME Road",
    "NAME Avenue",
    "NAME St",
    "NAME St.",
    "NAME Ave",
    "NAME Rd",
    "NAME Lane",
    "NAME Drive",
    "NAME Court",
    "NAME Boulevard",
    "NAME Blvd",
    "NAME Way",
    "NAME Square",
    "NAME Terrace",
    "NAME Crescent",
    "High Street",
    "Main Street",
    "Church Lane",
    "Station Road",
    "North NAME Street",
    "Park Avenue",
    "Old NAME Road",
    "West ##th Street",
    "Broadway",
    "NAME Place",
  ],
  de: [
    "NAMEstraße",
    "NAMEstr.",
    "NAMEweg",
    "NAMEgasse",
    "NAMEplatz",
    "NAMEallee",
    "Hauptstraße",
    "Bahnhofstraße",
    "Gartenweg",
    "Lindenallee",
    "Am NAME",
    "An der NAME",
    "Im NAMEfeld",
    "FIRST-NAME-Straße",
    "NAME-Straße",
    "Schulstraße",
    "Kirchgasse",
    "Alte Landstraße",
    "NAMEer Straße",
    "Unter den Linden",
  ],
  fr: [
    "rue NAME",
    "rue FIRST NAME",
    "rue de NAME",
    "rue de la NAME",
    "avenue NAME",
    "avenue du NAME",
    "boulevard NAME",
    "place NAME",
    "impasse NAME",
    "chemin des NAME",
    "quai NAME",
    "Rue NAME",
    "Avenue de CITY",
    "Boulevard FIRST NAME",
    "rue de l'Église",
    "place de la République",
  ],
  es: [
    "Calle NAME",
    "Calle de NAME",
    "Calle FIRST NAME",
    "Avenida NAME",
    "Avenida de CITY",
    "Plaza NAME",
    "Plaza Mayor",
    "Paseo de NAME",
    "Calle Mayor",
    "C/ NAME",
    "calle NAME",
    "Avda. NAME",
    "Gran Vía",
    "Camino de NAME",
  ],
  it: [
    "Via NAME",
    "Via FIRST NAME",
    "Viale NAME",
    "Piazza NAME",
    "Corso NAME",
    "via NAME",
    "Via Roma",
    "Piazza della NAME",
    "Largo NAME",
  ],
  pt: [
    "Rua NAME",
    "Rua FIRST NAME",
    "Rua da NAME",
    "Avenida NAME",
    "Avenida FIRST NAME",
    "Praça NAME",
    "Travessa NAME",
    "rua NAME",
    "Alameda NAME",
    "Rua das Flores",
  ],
  nl: [
    "NAMEstraat",
    "NAMElaan",
    "NAMEweg",
    "NAMEplein",
    "FIRST NAMEstraat",
    "NAMEgracht",
    "Dorpsstraat",
    "Kerkstraat",
    "NAMEkade",
    "Laan van NAME",
  ],
};

/** Writes sentences; the same for the same seed. */
export class Writer {
  private readonly next: () => number;

  constructor(
    private readonly lists: Lists,
    private readonly words: readonly string[],
    seed: number,
  ) {
    this.next = random(seed);
  }

  private pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  private chance(share: number): boolean {
    return this.next() < share;
  }

  /** `pattern` counts sentences of a language, those around nothing (`BARE`) last. */
  write(tongue: Tongue, pattern: number): Sample {
    const own = SENTENCES[tongue];
    const sentence = own[pattern] ?? BARE[pattern - own.length] ?? "";
    let text = "";
    const spans: Span[] = [];
    for (const part of sentence.split(/(\{[A-Za-z]\})/)) {
      const slot = /^\{([A-Za-z])\}$/.exec(part)?.[1];
      const value = slot === undefined ? part : this.fill(slot, tongue);
      const label = slot === undefined ? undefined : LABEL_OF[slot];
      if (label !== undefined) spans.push({ start: text.length, end: text.length + value.length, label });
      text += value;
    }
    return { text, spans, weak: false, tongue, pattern };
  }

  private fill(slot: string, tongue: Tongue): string {
    switch (slot) {
      case "N":
        return this.cased(this.fullName(tongue));
      case "F":
        return this.cased(this.pick(this.namesOf(tongue).first));
      case "L":
        return this.cased(this.last(tongue));
      case "C":
        return this.cased(this.pick(this.namesOf(tongue).cities));
      case "S":
        return this.pick(this.orElse(tongue, "states"));
      case "K":
        return this.pick(this.orElse(tongue, "countries"));
      case "A":
        return this.address(tongue);
      case "O":
        return this.firm(tongue);
      case "P":
        return this.pick(PRODUCTS);
      case "G":
        return this.pick(GENERAL[this.chance(0.8) ? tongue : this.pick(TONGUES)].split(" "));
      case "D":
        return this.pick(DAYS[tongue].split(" "));
      case "M":
        return this.pick(MONTHS[tongue].split(" "));
      case "T":
        return Array.from({ length: 1 + Math.floor(this.next() * 3) }, () => this.capitalised()).join(" ");
      case "B":
        return this.capitalised();
      case "E":
        return this.pick(PEOPLES);
      case "t":
        return this.pick(TITLES[tongue].split(" "));
      case "n":
        return String(Math.floor(10 ** (1 + this.next() * 3)));
      default:
        return Array.from({ length: 1 + Math.floor(this.next() * 4) }, () => this.pick(this.words)).join(" ");
    }
  }

  /** One in three comes from elsewhere: names travel. */
  private namesOf(tongue: Tongue): NameList {
    if (this.chance(0.65)) return this.lists.by[tongue];
    return this.chance(0.5) ? this.lists.abroad : this.lists.by[this.pick(TONGUES)];
  }

  private orElse(tongue: Tongue, what: "states" | "countries"): readonly string[] {
    const own = this.lists.by[tongue][what];
    return own.length > 0 ? own : this.lists.by.en[what];
  }

  private cased(name: string): string {
    return this.chance(0.03) ? name.toUpperCase() : name;
  }

  private capitalised(): string {
    const word = this.pick(this.words);
    return word.charAt(0).toUpperCase() + word.slice(1);
  }

  private last(tongue: Tongue): string {
    const { last } = this.namesOf(tongue);
    const name = this.pick(last);
    if (this.chance(0.03)) return `${this.pick(["O'", "Mc", "Van ", "De ", "van der ", "von ", "de la "])}${name}`;
    return this.chance(0.04) ? `${name}-${this.pick(last)}` : name;
  }

  private fullName(tongue: Tongue): string {
    const first = this.pick(this.namesOf(tongue).first);
    const last = this.last(tongue);
    const roll = this.next();
    if (roll < 0.08) return `${first} ${this.pick(Array.from("ABCDEFGHJKLMNPRSTW"))}. ${last}`;
    if (roll < 0.12) return `${first.charAt(0)}. ${last}`;
    if (roll < 0.18) return `${first} ${this.pick(this.namesOf(tongue).first)} ${last}`;
    if (roll < 0.3 && (tongue === "es" || tongue === "pt")) return `${first} ${last} ${this.last(tongue)}`;
    if (roll < 0.2) return `${first} ${last} ${this.pick(["Jr.", "II", "III"])}`;
    return `${first} ${last}`;
  }

  private street(tongue: Tongue): string {
    const { streets } = this.lists.by[tongue];
    if (streets.length > 0 && this.chance(0.3)) return this.pick(streets);
    return this.pick(STREETS[tongue])
      .replace("NAME", this.chance(0.8) ? this.pick(this.lists.by[tongue].last) : this.pick(GENERAL[tongue].split(" ")))
      .replace("FIRST", this.pick(this.lists.by[tongue].first))
      .replace("CITY", this.pick(this.lists.by[tongue].cities));
  }

  private address(tongue: Tongue): string {
    const letter = (): string => this.pick(Array.from("ABCDEFGHJKLMNPRSTW"));
    return this.pick(ADDRESSES[tongue])
      .replace("ST", this.street(this.chance(0.85) ? tongue : this.pick(TONGUES)))
      .replace("CITY", () => {
        const city = this.pick(this.namesOf(tongue).cities);
        return this.chance(0.08) ? city.toUpperCase() : city;
      })
      .replace("COUNTRY", this.pick(this.lists.by.en.countries))
      .replace("RG", `${letter()}${letter()}`)
      .replace("AB", `${letter()}${letter()}`)
      .replace("CD", `${letter()}${letter()}`)
      .replace("NAME", this.pick(this.lists.by[tongue].last))
      .replaceAll("#", () => String(Math.floor(this.next() * 9) + 1));
  }

  private firm(tongue: Tongue): string {
    const stem = this.chance(0.5) ? this.pick(this.lists.by[tongue].last) : this.pick(GENERAL[tongue].split(" "));
    const roll = this.next();
    if (roll < 0.15) return `${stem} & ${this.pick(this.lists.by[tongue].last)} ${this.pick(FIRMS)}`;
    if (roll < 0.3) return `${stem} ${this.pick(GENERAL.en.split(" "))} ${this.pick(FIRMS)}`;
    return `${stem} ${this.pick(FIRMS)}`;
  }
}
