/** Colours for a terminal; for everything else the text as it is. */
export type Paint = {
  readonly strong: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly accent: (text: string) => string;
};

const wrap = (code: number, end: number) => (text: string) => `\u001b[${code}m${text}\u001b[${end}m`;
const asIs = (text: string): string => text;

export const paintFor = (colour: boolean): Paint =>
  colour
    ? { strong: wrap(1, 22), dim: wrap(2, 22), good: wrap(32, 39), bad: wrap(31, 39), accent: wrap(36, 39) }
    : { strong: asIs, dim: asIs, good: asIs, bad: asIs, accent: asIs };
