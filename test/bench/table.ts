/** A text table: the first column to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    widths
      .map((width, column) => pad(row[column] ?? "", width, column))
      .join("  ")
      .trimEnd();
  return [line(head), widths.map((width) => "-".repeat(width)).join("  "), ...rows.map(line)].join("\n");
}

function pad(text: string, width: number, column: number): string {
  return column === 0 ? text.padEnd(width) : text.padStart(width);
}

/** A figure with so many decimals; a dash for one that could not be measured. */
export function figure(value: number | undefined, decimals = 0): string {
  return value === undefined || Number.isNaN(value) ? "–" : value.toFixed(decimals);
}

export function megabytes(bytes: number | undefined): string {
  return figure(bytes === undefined ? undefined : bytes / 2 ** 20);
}
