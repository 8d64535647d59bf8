/** What is written by hand between column names and the names of the domain. */
import { counted, type Sign, under } from "./sign";

const STORES = /^src\/(?:store\/|features\/[a-z-]+\/(?:[a-z-]+-)?(?:store|tables)\.ts$)/;
/** better-auth names the columns of its own tables, and reads them by these names. */
const AUTH_TABLES = /: browser\.\w+,$/;
/** `created_at: row.createdAt` or `createdAt: user.created_at`. */
const MAPPING = /\b(\w+): (?:\w+\??\.)+(\w+)/g;
/** `createdAt: kit.integer("created_at")`; tables themselves are constants, and spelled as such. */
const COLUMN = /\b(\w+): kit\.(?!table\b)\w+(?:<[^\n]*?>)?\("(\w+)"/g;

const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** One name, written in two ways. */
const isRespelled = ([, one = "", other = ""]: RegExpMatchArray): boolean =>
  one !== other && snake(one) === snake(other);

export const STORE_SIGNS: readonly Sign[] = [
  {
    key: "mapping-lines",
    title: "lines that map columns by hand",
    atMost: 0,
    measure: ({ src }) =>
      counted(
        under(src, STORES).flatMap(({ path, code }) =>
          code
            .split("\n")
            .filter((line) => !AUTH_TABLES.test(line) && [...line.matchAll(MAPPING)].some(isRespelled))
            .map((line) => `${path}: ${line.trim()}`),
        ),
      ),
  },
  {
    key: "column-keys",
    title: "table keys spelled otherwise than their column",
    atMost: 0,
    measure: ({ src }) =>
      counted(
        under(src, STORES).flatMap(({ path, text }) =>
          [...text.matchAll(COLUMN)].filter(isRespelled).map(([column]) => `${path}: ${column}`),
        ),
      ),
  },
];
