import type { Completed, CompletedFlag, Place, Values } from "./completed";

/** A word as bash and zsh read it back. */
export const shellQuoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** The names of flags that take a value, for a pattern of `case`. */
export const takingValues = (flags: readonly CompletedFlag[]): string =>
  flags.flatMap(({ name, values }) => (values === null ? [] : [`--${name}`])).join(" | ");

/** The words that lead to a verb, for a pattern of `case`. */
export const knownWords = ({ places }: Completed): string =>
  places.flatMap(({ words }) => (words === "" ? [] : [shellQuoted(words)])).join(" | ");

const offered = (values: Values): string => {
  if (values.kind === "some") return `COMPREPLY=($(compgen -W ${shellQuoted(values.of.join(" "))} -- "$cur"))`;
  if (values.kind === "any") return ":";
  return `compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -${values.kind === "file" ? "f" : "d"} -- "$cur"))`;
};

/** The lines of a `case` that complete what stands behind a flag. */
const behindFlag = (pattern: string, { values }: CompletedFlag): string[] =>
  values === null ? [] : [`    ${pattern}) ${offered(values)}; return ;;`];

const flagNames = (flags: readonly CompletedFlag[]): string =>
  flags.flatMap(({ name, short }) => [`--${name}`, ...(short === null ? [] : [`-${short}`])]).join(" ");

const atPlace = ({ words, next, flags, operand }: Place): string[] => [
  `    ${shellQuoted(words)})`,
  `      flags=${shellQuoted(flagNames(flags))}`,
  `      next=${shellQuoted(next.map(({ word }) => word).join(" "))}`,
  ...(operand === null ? [] : [`      [[ $cur == -* || $helping ]] || { ${offered(operand)}; }`]),
  "      ;;",
];

/** A function of bash 4 and later. The words `--flag=value` come as three. */
export const bashScript = (completed: Completed): string => {
  const { places, common } = completed;
  return [
    "# bash completion for guardhouse",
    "_guardhouse() {",
    "  local cur prev word verb='' helping='' flags='' next='' i",
    "  COMPREPLY=()",
    `  cur=\${COMP_WORDS[COMP_CWORD]}`,
    `  prev=\${COMP_WORDS[COMP_CWORD-1]}`,
    "  if [[ $cur == '=' ]]; then cur=''",
    `  elif [[ $prev == '=' ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi`,
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    `    word=\${COMP_WORDS[i]}`,
    "    case $word in",
    "      =) ((i++)) ;;",
    `      ${takingValues(common)}) [[ \${COMP_WORDS[i+1]} == '=' ]] || ((i++)) ;;`,
    "      -*) ;;",
    "      help) [[ $verb ]] && break; helping=1 ;;",
    "      *)",
    `        case "\${verb:+$verb }$word" in`,
    `          ${knownWords(completed)}) verb="\${verb:+$verb }$word" ;;`,
    "          *) break ;;",
    "        esac ;;",
    "    esac",
    "  done",
    '  case "$verb $prev" in',
    ...common.flatMap((flag) => behindFlag(`*' --${flag.name}'`, flag)),
    ...places.flatMap(({ words, flags }) =>
      flags.flatMap((flag) => [
        ...behindFlag(shellQuoted(`${words} --${flag.name}`), flag),
        ...(flag.short === null ? [] : behindFlag(shellQuoted(`${words} -${flag.short}`), flag)),
      ]),
    ),
    "  esac",
    '  case "$verb" in',
    ...places.flatMap(atPlace),
    "  esac",
    "  if [[ $cur == -* ]]; then",
    `    COMPREPLY=($(compgen -W "$flags ${flagNames(common)}" -- "$cur"))`,
    "  elif [[ $next ]]; then",
    '    COMPREPLY+=($(compgen -W "$next" -- "$cur"))',
    "  fi",
    "}",
    "complete -F _guardhouse guardhouse",
    "",
  ].join("\n");
};
