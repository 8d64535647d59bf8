/**
 * A masked glimpse of a match: enough to recognise one's own text, too little to use. At most a quarter of it and
 * never more than four characters are shown; the mask's length says nothing of the length of the match.
 */
export const previewOf = (match: string): string => {
  const shown = Math.min(4, Math.floor(Array.from(match).length / 4));
  return `${Array.from(match).slice(0, shown).join("")}****`;
};
