/**
 * Letters and marks that pass for ASCII ones, beyond what compatibility decomposition unfolds.
 * Chosen by look from the Cyrillic, Greek, Latin and punctuation blocks; one unit to one unit.
 */
const LOOK_ALIKES: readonly (readonly [from: string, to: string])[] = [
  ["аеорсухіјѕһԁԛԝѡ", "aeopcyxijshdqww"],
  ["АВЕЅІЈКМНОРСТУХҮԌԚԜ", "ABESIJKMHOPCTYXYGQW"],
  ["ѵѴӏӀьгпк", "vVlIbrnk"],
  ["αβγικνορτυχϲϳ", "aByiKvoptuxcj".toLowerCase()],
  ["ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ", "ABEZHIKMNOPTYXCJ"],
  ["ıȷɑɡɩʟɢɪɴʀʏʙʜᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢ", "ijagilginryb" + "hacdejkmoptuvwz"],
  ["łŁøØđĐħĦŧŦƀɓɗɠƙƥƭʋƴɨʉ", "lLoOdDhHtTbbdgkptvyiu"],
  ["‐‑‒–—―−﹘", "--------"],
  ["‘’‚‛′ʼ", "''''''"],
  ["“”„‟″«»", '"""""""'],
  ["∶︓ː", ":::"],
  ["⁄∕", "//"],
  ["․‧·", "..."],
];

export const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.flatMap(([from, to]) => Array.from(from, (char, i) => [char, to.charAt(i)] as const)),
);

/** The same characters, as the inside of a character class. */
export const CONFUSABLE_CLASS = LOOK_ALIKES.map(([from]) => from).join("");
