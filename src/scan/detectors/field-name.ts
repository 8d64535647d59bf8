/** What says by itself that a number is no card's: ids, and what numbers are drawn or counted for. */
const ID =
  "ids?|uid|uuid|guid|refs?|references?|hash|digest|timestamp|ts|nonce|cursor|offset|checksum|barcode|sku|ean|gtin|upc|isbn|imei";
/** Things that have a number, by themselves or before `number`. */
const THINGS =
  "order|invoice|receipt|ticket|trace|span|request|transaction|tracking|session|sequence|seq|serial|version|revision|" +
  "build|run|job|batch|event|message|thread|shipment|parcel|customer|user|merchant|article|product|item|case|claim|" +
  "contract|pedido|factura|commande|facture|ordine|fattura";
const NUMBER = "number|num|no|nr|code|value";
const ID_NAME = new RegExp(
  `(?:^|_)(?:${ID}|(?:${THINGS})s?(?:_(?:${NUMBER})s?)?)$|(?:bestell|rechnungs|auftrags|kunden|sendungs)_?(?:nummer|nr)$`,
);
/** Words of people's cards and of payments: what such a field holds is left to its digits. */
const PAYMENT_NAME =
  /(?:^|_)(?:cards?|pan|cc|ccn|visa|master|mastercard|amex|maestro|credit|debit|pay|payments?|payer|paid|charges?|billing|checkout|kreditkarten?|karten?|tarjeta|carte|carta|cartao)(?:_|$)|card(?:no|num|id)|kartennummer/;

/** The words of a name, in lower case, joined by `_`: `orderID` is `order_id`. */
const wordsOf = (name: string): string =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .replace(/[^A-Za-z\d\u0080-\uffff]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toLowerCase();

/** Longer ones are no names that a program gave. */
const MAX_NAME = 64;

/** Whether a JSON field of this name holds an id or the number of something that is not paid with. */
export function isIdName(name: string): boolean {
  if (name === "" || name.length > MAX_NAME) return false;
  const words = wordsOf(name);
  return ID_NAME.test(words) && !PAYMENT_NAME.test(words);
}
