import { VERB_LAST } from "#scan/detectors/injection/grammar/eastern";
import { formsOf, type Tongue } from "#scan/detectors/injection/grammar/tongue";
import { type Honest, LANGUAGES } from "./train-injection-honest";

type Pick = (list: string) => string;

const SPACELESS = new Set(["zh", "ja"]);

/** Sentences from the rules' own words: attacks, and harmless ones with the same verbs. */
export function sentences(count: number, next: () => number): { attacks: string[]; harmless: string[] } {
  const at = (list: readonly string[]): string => list[Math.floor(next() * list.length)] ?? "";
  const pick: Pick = (list) => at(formsOf(list));
  const attacks = new Set<string>();
  const harmless = new Set<string>();
  for (let i = 0; i < count; i++) {
    const { tongue, honest } = LANGUAGES[i % LANGUAGES.length] ?? {};
    if (!tongue || !honest) continue;
    const order = orderIn(tongue, pick, next);
    attacks.add(shaped(next() < 0.3 ? `${order} ${orderIn(tongue, pick, next)}` : order, next));
    harmless.add(shaped(harmlessIn(tongue, honest, pick, order, next), next));
  }
  return { attacks: [...attacks], harmless: [...harmless] };
}

/** Now and then without a full stop or capitals. */
function shaped(text: string, next: () => number): string {
  const first = next() < 0.8 ? `${text.charAt(0).toUpperCase()}${text.slice(1)}` : text;
  return next() < 0.3 ? first.replace(/[.。]$/, "") : first;
}

function joined(it: Tongue, ...parts: readonly string[]): string {
  const spaceless = SPACELESS.has(it.language);
  return `${parts.filter((part) => part !== "").join(spaceless ? "" : " ")}${spaceless ? "。" : "."}`;
}

function orderIn(it: Tongue, pick: Pick, next: () => number): string {
  const last = VERB_LAST.includes(it);
  const order = (verb: string, ...objects: readonly string[]): string =>
    joined(it, ...(last ? [...objects, it.language === "ja" ? "を" : "", verb] : [verb, ...objects]));
  const orders = [pick(it.own), pick(it.orders)];
  const kinds = [
    () => order(pick(it.drop), ...orders),
    () => order(pick(it.drop), ...orders),
    () => order(pick(it.drop), pick(it.own), ...pastOf(it, pick)),
    () => order(pick(it.tell), pick(it.own), pick(it.prompt)),
    () => order(pick(next() < 0.5 ? it.tell : it.ask), pick(it.orders), pick(it.given)),
    () => order(pick(it.obey), pick(it.only), pick(it.mine)),
    () => order(pick(it.enter), pick(it.mode)),
    () => `${order(pick(it.drop), ...orders)} ${order(pick(it.obey), pick(it.only), pick(it.mine))}`,
  ];
  return kinds[Math.floor(next() * kinds.length)]?.() ?? "";
}

/** Romance languages put "previous" behind. */
function pastOf(it: Tongue, pick: Pick): string[] {
  const [orders, past] = [pick(it.orders), pick(it.past)];
  return /^(?:fr|es|pt|it)$/.test(it.language) ? [orders, past] : [past, orders];
}

function harmlessIn(it: Tongue, honest: Honest, pick: Pick, order: string, next: () => number): string {
  const entry = (list: string): string =>
    pick(list.replaceAll(",", "\u0001").replaceAll("|", ",")).replaceAll("\u0001", ",");
  const sentence = (verb: string, object: string): string =>
    joined(it, ...(VERB_LAST.includes(it) ? [object, it.language === "ja" ? "を" : "", verb] : [verb, object]));
  const gap = SPACELESS.has(it.language) ? "" : " ";
  const kinds = [
    () => sentence(pick(it.drop), entry(honest.things)),
    () => sentence(pick(it.drop), entry(honest.things)),
    () => sentence(pick(next() < 0.5 ? it.tell : it.ask), entry(honest.shown)),
    () => sentence(pick(it.enter), entry(honest.modes)),
    () => `${entry(honest.code)}${gap}${entry(honest.about)}${gap}${entry(honest.end)}`.replaceAll(" .", "."),
    () => `${entry(honest.code)}${gap}${entry(honest.about)}${gap}${entry(honest.end)}`.replaceAll(" .", "."),
    () => entry(honest.told).replace("{order}", order.replace(/[.。]$/, "")),
    () => entry(honest.asked),
    () => `${entry(honest.asked)} ${sentence(pick(it.drop), entry(honest.things))}`,
  ];
  return kinds[Math.floor(next() * kinds.length)]?.() ?? "";
}
