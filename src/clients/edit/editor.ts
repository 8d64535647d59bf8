import type { At } from "#clients/client";

/** A place in a document: names of objects, numbers of list items. */
export type Place = readonly (string | number)[];

/** Changes the text of one format and keeps all else of it byte for byte. */
export type Editor = {
  /** Throws `Unreadable` for what is not of the format. */
  parse(text: string): unknown;
  /** With the value at the place; an item of a list may be the one behind its last. */
  set(text: string, at: Place, value: unknown): string;
  /** Without what is at the place, which is there. */
  remove(text: string, at: Place): string;
};

/** A file that is not what its name says. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
}

/** A file that is read, but holds something at a place of ours in a way that cannot be changed on its own. */
export class Unwritable extends Error {
  override readonly name = "Unwritable";
  constructor(readonly at: At) {
    super(`${at.join(".") || "its outermost value"} is written in a way that cannot be changed without the rest`);
  }
}

/** How lines of a text end. */
export const lineEndOf = (text: string): string => (/\r\n/.test(text) ? "\r\n" : "\n");
