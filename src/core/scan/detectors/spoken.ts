/**
 * Which letters follow a, b, … z in words: what makes up 95.5 % of the pairs in the words of technical English and of
 * names in code, counted by word. Half of all pairs, so that chance seldom speaks for long.
 */
const FOLLOWERS = [
  "abcdefgiklmnprstuvwxy",
  "abcdefijlorsuy",
  "abcdefhiklmoprstuy",
  "abcdefilnorstu",
  "abcdefghiklmnopqrstuvwxy",
  "abcdefilorstuy",
  "aeghilnorsu",
  "aeiortu",
  "abcdefgklmnoprstvxz",
  "aeos",
  "aeios",
  "adeilopstuy",
  "abdeilmopsu",
  "acdefgiklnopstuvy",
  "abcdfgiklmnoprstuvw",
  "acehiloprstuy",
  "u",
  "abcdefgiklmnoprstuvy",
  "acdefhiklmnoprstuwy",
  "acdefhilmnoprstuy",
  "abcdefgilmnprst",
  "aeio",
  "aehinors",
  "ceipt",
  "aenpst",
  "aei",
];

/** Of so many pairs a word may have one that is unusual. */
const PAIRS_PER_SLIP = 5;

/** Whether letters could be a word. Of four drawn at random one in eight passes, of eight one in a hundred. */
function isSpoken(letters: string): boolean {
  const word = letters.toLowerCase();
  let slips = Math.floor((word.length - 1) / PAIRS_PER_SLIP);
  for (let i = 1; i < word.length; i++) {
    if (FOLLOWERS[word.charCodeAt(i - 1) - 97]?.includes(word.charAt(i)) !== true && --slips < 0) return false;
  }
  return true;
}

/** Runs of letters as they stand in names: of one case but for the first. */
const RUNS = /[A-Z]?[a-z]{2,}|[A-Z]{3,}/g;

/** Whether a value is made of words in the main: more than half of its letters and digits could be spoken. */
export function isWordy(value: string): boolean {
  let spoken = 0;
  for (const run of value.match(RUNS) ?? []) if (run.length > 2 && isSpoken(run)) spoken += run.length;
  return spoken * 2 > value.replace(/[^A-Za-z0-9]/g, "").length;
}

/** Words run together, each perhaps with a number behind it; capitals; a number. */
const PART = /^(?:[a-z]*(?:\d{1,5}[a-z]{0,2})?(?:[A-Z][a-z]+\d{0,5})*|[A-Z]+\d{0,5}|v?\d{1,10}[a-z]?)$/;
/** Shorter runs are often initials. */
const WORD_LEAST = 7;

/** Whether a value is a name of several parts, as `ssh-ed25519`, `pkcs12_key_as_pem`, `projects/123/keys/1` are. */
export function isName(value: string): boolean {
  if (!/^[\w./:,+ -]+$/.test(value)) return false;
  const parts = value.split(/[^A-Za-z0-9]+/).filter((part) => part !== "");
  return parts.length > 1 && parts.every(isPart);
}

const isPart = (part: string): boolean =>
  PART.test(part) && (part.match(RUNS) ?? []).every((run) => run.length < WORD_LEAST || isSpoken(run));
