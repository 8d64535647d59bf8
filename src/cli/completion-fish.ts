import type { Completed, CompletedFlag, Place, Values } from "./completed";

/** A word as fish reads it back. */
const quoted = (word: string): string => `'${word.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;

const offered = (values: Values | null): string => {
  if (values === null) return "";
  if (values.kind === "some") return ` -x -a ${quoted(values.of.join(" "))}`;
  if (values.kind === "any") return " -x";
  return values.kind === "file" ? " -r -F" : " -x -a '(__fish_complete_directories)'";
};

const flagLine = (condition: string, { name, short, about, values }: CompletedFlag): string =>
  `complete -c guardhouse${condition} -l ${name}${short === null ? "" : ` -s ${short}`}${offered(values)} -d ${quoted(about)}`;

const atPlace = ({ words, next, flags, operand }: Place): string[] => {
  const condition = ` -n ${quoted(`__guardhouse_at ${quoted(words)}`)}`;
  return [
    ...next.map(({ word, about }) => `complete -c guardhouse${condition} -a ${word} -d ${quoted(about)}`),
    ...(operand?.kind === "some" ? [`complete -c guardhouse${condition} -a ${quoted(operand.of.join(" "))}`] : []),
    ...(operand?.kind === "file" ? [`complete -c guardhouse${condition} -F`] : []),
    ...flags.map((flag) => flagLine(condition, flag)),
  ];
};

/** To be `guardhouse.fish` in a folder of `fish_complete_path`. */
export const fishScript = (completed: Completed): string => {
  const { places, common } = completed;
  const skipped = common.flatMap(({ name, values }) => (values === null ? [] : [`--${name}`])).join(" ");
  return [
    "# fish completion for guardhouse",
    "function __guardhouse_at",
    "  set -l verb ''",
    "  set -l skip 0",
    "  for word in (commandline -opc)[2..-1]",
    "    if test $skip = 1",
    "      set skip 0",
    "      continue",
    "    end",
    "    switch $word",
    `      case ${skipped}`,
    "        set skip 1",
    "      case '-*'",
    "      case help",
    '        test -n "$verb"; and break',
    "      case '*'",
    '        set -l longer (string trim "$verb $word")',
    `        contains -- $longer ${places.flatMap(({ words }) => (words === "" ? [] : [quoted(words)])).join(" ")}; or break`,
    "        set verb $longer",
    "    end",
    "  end",
    '  test "$verb" = "$argv[1]"',
    "end",
    "complete -c guardhouse -e",
    "complete -c guardhouse -f",
    ...common.map((flag) => flagLine("", flag)),
    ...places.flatMap(atPlace),
    "",
  ].join("\n");
};
