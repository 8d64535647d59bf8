import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { bytesOf } from "#test/support/bytes";

/** A text that must not be found, and every form of it that is as good as itself. */
export type Needle = { readonly name: string; readonly forms: readonly Buffer[] };

/** Plain, in either case, in UTF-16, in hex, percent-encoded and in base64 at each of its three offsets. */
export const needle = (name: string, text: string): Needle => {
  const bytes = Buffer.from(text);
  const percent = [...bytes].map((byte) => `%${byte.toString(16)}`).join("");
  const texts = [text, text.toLowerCase(), text.toUpperCase(), bytes.toString("hex"), percent];
  const base64 = [0, 1, 2].flatMap((shift) => {
    // The characters at the ends also hold bits of the neighbours.
    const whole = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    const inner = whole.slice(Math.ceil((shift * 4) / 3), -1);
    return [inner, inner.replaceAll("+", "-").replaceAll("/", "_")];
  });
  const forms = [...texts, ...base64].map((form) => Buffer.from(form));
  return { name, forms: [...forms, Buffer.from(text, "utf16le")] };
};

/** The names of the needles that occur in the bytes. */
export const found = (needles: readonly Needle[], hay: string | Buffer): string[] => {
  const bytes = typeof hay === "string" ? Buffer.from(hay) : hay;
  return needles.filter(({ forms }) => forms.some((form) => bytes.includes(form))).map(({ name }) => name);
};

/** Which needles occur in which files below a directory. */
export const foundBelow = async (directory: string, needles: readonly Needle[]): Promise<string[]> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hits = await Promise.all(
    files.map(async (file) => {
      return found(needles, await bytesOf(file)).map((name) => `${name} in ${file.slice(directory.length + 1)}`);
    }),
  );
  return hits.flat();
};
