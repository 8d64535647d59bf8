/** `*` stands for any run of characters, everything else for itself. Linear: no pattern of a person is ever a RegExp here. */
export const matchesGlob = (glob: string, name: string): boolean => {
  const parts = glob.split("*");
  const first = parts[0] ?? "";
  if (parts.length === 1) return glob === name;
  const last = parts[parts.length - 1] ?? "";
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = name.indexOf(part, from);
    if (at < 0 || at + part.length > name.length - last.length) return false;
    from = at + part.length;
  }
  return true;
};
