/**
 * Harmless English prose for the bench. Every text carries a made-up word that no other text of a run
 * carries, so that no cache anywhere on the way can answer, and a mixed-up answer is noticed.
 */

const CONSONANTS = "bdfgklmnprstvzhj";
const VOWELS = "aeiou";
const SYLLABLES = Array.from(CONSONANTS, (consonant) => Array.from(VOWELS, (vowel) => consonant + vowel)).flat();
const MARKER_SYLLABLES = 5;
const MARKERS = SYLLABLES.length ** MARKER_SYLLABLES;
/** Has no factor in common with the number of markers, so that no marker comes twice; makes neighbours differ. */
const STRIDE = 1_000_003;

/** The made-up word of this number; different for each number below 80^5, about 3 · 10^9. */
export function markerOf(number: number): string {
  let marker = "";
  for (let place = 0, rest = (number * STRIDE) % MARKERS; place < MARKER_SYLLABLES; place += 1) {
    marker += SYLLABLES[rest % SYLLABLES.length];
    rest = Math.floor(rest / SYLLABLES.length);
  }
  return marker;
}

/** A user message of about 400 bytes. */
export function promptOf(marker: string): string {
  const pick = picker(marker);
  return (
    `Please write a short note called ${marker} about ${pick(PLACES)} in ${pick(SEASONS)}. ` +
    `Mention ${pick(THINGS)} and ${pick(THINGS)}, and say how ${pick(PEOPLE)} ${pick(DEEDS)} there. ` +
    `The tone should be ${pick(TONES)} and ${pick(TONES)}; keep the sentences plain, and close with a thought about ` +
    `${pick(PLACES)} and ${pick(THINGS)}. Two short paragraphs are enough, and a reader who has never been to such ` +
    `a place should still be able to picture it.`
  );
}

/** The assistant's answer to it, about 300 bytes; the same marker always gives the same text. */
export function answerOf(marker: string): string {
  const pick = picker(marker);
  return (
    `The note ${marker} begins at ${pick(PLACES)} in ${pick(SEASONS)}. There is ${pick(THINGS)}, and beside it ` +
    `${pick(THINGS)}. Every morning ${pick(PEOPLE)} ${pick(DEEDS)}, which feels ${pick(TONES)} and ${pick(TONES)}. ` +
    `Later the light turns towards ${pick(PLACES)}, and people speak of ${pick(THINGS)} until the evening.`
  );
}

/** The same answer as so many tokens, each with the space before it; joined they begin with `answerOf`. */
export function tokensOf(marker: string, count: number): string[] {
  const words = answerOf(marker).split(" ");
  return Array.from({ length: count }, (_, at) => `${at === 0 ? "" : " "}${words[at % words.length]}`);
}

/** The argument of a tool call, about 100 bytes. */
export function queryOf(marker: string): string {
  const pick = picker(marker);
  return `what the note called ${marker} says about ${pick(THINGS)} and ${pick(THINGS)} at ${pick(PLACES)}`;
}

/** What the tool finds: the same marker always gives the same text, about 1,000 bytes. */
export function findingsOf(marker: string): string {
  return [answerOf(marker), answerOf(`${marker}na`), answerOf(`${marker}lo`)].join(" ");
}

/** One of some things, always the same for the same text. */
export function thingOf(text: string): string {
  return picker(text)(THINGS);
}

/** The marker of a text or of a request body that holds one. */
export function markerIn(text: string): string {
  return /\bnote called ([a-z]+)/.exec(text)?.[1] ?? "";
}

/** Picks from lists as the marker says: the same picks for the same marker. */
function picker(marker: string): (words: readonly string[]) => string {
  let state = 2166136261;
  for (let at = 0; at < marker.length; at += 1) state = Math.imul(state ^ marker.charCodeAt(at), 16777619);
  return (words) => {
    state = Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9;
    return words[(state >>> 8) % words.length] ?? "";
  };
}

const PLACES = [
  "a walled garden",
  "an old mill pond",
  "the market square",
  "a quiet harbour",
  "the upper meadow",
  "a village bakery",
  "the reading room",
  "a mountain hut",
  "the river bend",
  "an apple orchard",
  "the north window",
  "a wooden bridge",
];
const SEASONS = [
  "early spring",
  "late summer",
  "a mild autumn",
  "the first frost",
  "a rainy week",
  "the long evenings",
  "midwinter",
  "harvest time",
  "a windy season",
  "the warm months",
];
const THINGS = [
  "a copper kettle",
  "the tall sunflowers",
  "a stack of firewood",
  "the painted boats",
  "a basket of pears",
  "some rosemary bushes",
  "the church bells",
  "a woollen blanket",
  "the stone steps",
  "a jar of honey",
  "the smell of bread",
  "a row of bicycles",
];
const PEOPLE = [
  "the gardener",
  "a retired teacher",
  "two young cousins",
  "the baker",
  "an old friend",
  "the ferry crew",
  "a travelling choir",
  "the librarian",
  "some neighbours",
  "a clock maker",
];
const DEEDS = [
  "waters the herbs",
  "mends the fence",
  "counts the swallows",
  "bakes plum cake",
  "sweeps the yard",
  "paints the door",
  "sorts the letters",
  "feeds the hens",
  "airs the rooms",
  "tunes the piano",
];
const TONES = ["calm", "cheerful", "gentle", "curious", "warm", "thoughtful", "bright", "patient", "playful", "steady"];
