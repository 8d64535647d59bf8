import { isRecord } from "#core/json/json";
import { parseExact } from "#core/json/json-reader";
import { fold } from "#scan/fold/normalize";
import { once } from "#scan/fold/once";

/*
 * Orders in what tools say. "Delete all mails from the bank" brings no address or account; what shows that a mail had its
 * way is that the call deletes, and is given a word of that sentence which nobody who may give orders has said.
 */

/** What tools do, in the words of their names, and how that is ordered in the languages attacks are mostly written in. */
const ACTIONS: Readonly<Record<string, { readonly names: string; readonly orders: string }>> = {
  send: {
    names: "send forward mail email message reply share post publish submit invite notify add join",
    orders: `send forward email e-mail mail message share post publish submit invite notify reply write tell add
      sende schicke leite verschicke teile poste veroffentliche schreibe antworte sage lade
      envoie envoyez transfere transferez partage partagez publie publiez invitez ecris ecrivez ajoute ajoutez
      envia envie reenvia comparte publica invita escribe anade
      invia inoltra condividi pubblica scrivi aggiungi encaminhe compartilhe publique convide escreva adicione
      stuur verstuur deel plaats schrijf voeg`,
  },
  remove: {
    names: "delete remove cancel wipe clear erase drop purge archive trash revoke unsubscribe close",
    orders: `delete remove cancel wipe clear erase drop purge archive trash revoke unsubscribe close
      losche entferne storniere widerrufe schliesse supprime supprimez efface effacez annule annulez retire retirez
      borra borre elimina elimine cancela cancele quita cancella annulla rimuovi apague exclua remova
      verwijder wis annuleer`,
  },
  pay: {
    names: "pay transfer buy purchase order book reserve donate refund checkout withdraw",
    orders: `pay transfer buy purchase order book reserve donate refund wire withdraw
      zahle bezahle uberweise kaufe bestelle buche reserviere paie payez achete achetez commande commandez reservez virez
      paga pague transfiere transfiera compra compre reserva trasferisci acquista prenota transfira encomende
      betaal koop bestel boek reserveer`,
  },
  change: {
    names: `write create add update edit save append insert set change rename move copy put upload download install enable
      disable grant schedule make configure modify register`,
    orders: `write create add update edit save append insert set change rename move copy put upload download install enable
      disable grant schedule make configure modify register raise lower
      schreibe erstelle fuge aktualisiere speichere setze andere kopiere verschiebe lade installiere aktiviere deaktiviere
      ecris ecrivez cree creez ajoute ajoutez modifie modifiez change changez copie copiez telecharge installez
      escribe crea anade cambia copia descarga instala scrivi aggiungi modifica imposta scarica installa
      escreva crie adicione altere copie baixe instale schrijf maak wijzig kopieer download installeer`,
  },
  run: {
    names: "run execute exec eval start launch deploy shell bash command terminal",
    orders: `run execute start launch deploy fuhre starte execute executez lance lancez ejecuta ejecute esegui avvia rode
      inicie voer start`,
  },
};

type Action = string;

/** What only a tool has said scores as hosts and packages do: an order is seldom a coincidence, and sometimes a request. */
export const ORDER_SCORE = 0.75;

/** Of one conversation, and the longest in UTF-16 units. */
const MAX_ORDERS = 2_000;
const MAX_ORDER = 300;
/** Orders held against values in one call: some milliseconds. */
const MAX_COMPARED = 20_000;
/** Words an order has beside its verb. */
const MIN_WORDS = 3;
/** Values of one call that are looked for, and how long they may be. */
const MAX_VALUES = 200;
const MAX_VALUE = 200;
const MIN_VALUE = 4;
const MAX_DEPTH = 16;

const wordsIn = (list: string): string[] => list.split(/\s+/).filter((word) => word !== "");

/** Which actions each word stands for. */
const actionsBy = (list: "names" | "orders"): ReadonlyMap<string, readonly Action[]> => {
  const actions = new Map<string, Action[]>();
  for (const [action, lists] of Object.entries(ACTIONS)) {
    for (const word of new Set(wordsIn(lists[list]))) actions.set(word, [...(actions.get(word) ?? []), action]);
  }
  return actions;
};

const tables = once(() => {
  const orders = actionsBy("orders");
  /** A verb where an order begins: at the head of a line or sentence, or behind a word that introduces one. */
  const verb = new RegExp(
    `(?:^|[\\n.!?:;>,("'\`\\]*-]\\s{0,3}|\\b(?:please|then|also|must|should|and|now|first|bitte|dann|und|puis|et|veuillez|favor|luego|y|poi|e|dan|en)\\s)(${[...orders.keys()].join("|")})(?![\\w-])`,
    "g",
  );
  return { names: actionsBy("names"), orders, verb };
});

/** How many orders may still be held against values; below zero where not all were. */
export type Compared = { left: number };
export const comparing = (): Compared => ({ left: MAX_COMPARED });

type Order = { readonly actions: readonly Action[]; readonly said: string; readonly source: number };

/** Orders in what tools have said, in the order they came. */
export class Orders {
  private readonly orders: Order[] = [];
  /** Not every order could be taken in. */
  isPartial = false;

  add(text: string, source: number): void {
    const lower = fold(text).text.toLowerCase();
    const { verb: pattern, orders } = tables();
    for (const { 0: head, 1: verb = "", index } of lower.matchAll(pattern)) {
      if (this.orders.length >= MAX_ORDERS) {
        this.isPartial = true;
        return;
      }
      const from = index + head.length;
      const rest = lower.slice(from, from + MAX_ORDER);
      const end = rest.search(/[\n!?]|\.(?:\s|$)/);
      const said = tokensOf(end < 0 ? rest : rest.slice(0, end));
      if (said.split(" ").length - 2 < MIN_WORDS) continue;
      this.orders.push({ actions: orders.get(verb) ?? [], said, source });
    }
  }

  /** Which source ordered a call of the tool with one of these values; null for none. `isAsked`: somebody trusted has said it. */
  find(
    tool: string,
    values: readonly string[],
    isAsked: (value: string) => boolean,
    compared = comparing(),
  ): number | null {
    if (this.orders.length === 0) return null;
    const actions = actionsOf(tool);
    if (actions.length === 0) return null;
    const given = values.map((value) => [value, tokensOf(value)] as const);
    for (const { actions: ordered, said, source } of this.orders) {
      if (!ordered.some((action) => actions.includes(action))) continue;
      compared.left -= given.length;
      if (compared.left < 0) return null;
      if (given.some(([value, tokens]) => said.includes(tokens) && !isAsked(value))) return source;
    }
    return null;
  }
}

/** What a tool does, by its name without its server's. */
const actionsOf = (tool: string): readonly Action[] => {
  const own = tool.slice(tool.lastIndexOf("__") + 1);
  const words =
    own
      .replace(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  return words.flatMap((word) => tables().names.get(word) ?? []);
};

/** Letters and digits, a space around each run of them. */
const tokensOf = (text: string): string =>
  ` ${
    fold(text)
      .text.toLowerCase()
      .match(/[a-z0-9\x80-\uffff]+/g)
      ?.join(" ") ?? ""
  } `;

/** The words a call is given, as far as they can be told from chance. */
export const givenIn = (text: string): readonly string[] => {
  const values: string[] = [];
  const collect = (value: unknown, depth: number): void => {
    if (values.length >= MAX_VALUES || depth < 0) return;
    if (typeof value === "string" && isTelling(value)) values.push(value);
    const inner = Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : [];
    for (const one of inner) collect(one, depth - 1);
  };
  collect(parseExact(text) ?? text, MAX_DEPTH);
  return values;
};

const isTelling = (value: string): boolean => value.length <= MAX_VALUE && tokensOf(value).length - 2 >= MIN_VALUE;

/** What a declared tool says of itself and its parameters. */
export const descriptionsIn = (definition: unknown): readonly string[] => {
  const texts: string[] = [];
  let left = 16_384;
  const collect = (value: unknown, depth: number): void => {
    if (!isRecord(value) || depth < 0) return;
    for (const [key, one] of Object.entries(value)) {
      if (key === "description" && typeof one === "string" && left > 0) {
        texts.push(one.slice(0, left));
        left -= one.length;
      } else collect(one, depth - 1);
    }
  };
  collect(definition, MAX_DEPTH);
  return texts;
};
