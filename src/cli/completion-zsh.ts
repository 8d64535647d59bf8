import type { Completed, CompletedFlag, NextWord, Place, Values } from "./completed";
import { knownWords, shellQuoted, takingValues } from "./completion-bash";

const offered = (values: Values): string => {
  if (values.kind === "some") return `compadd -- ${values.of.map(shellQuoted).join(" ")}`;
  if (values.kind === "any") return ":";
  return values.kind === "file" ? "_files" : "_files -/";
};

const behindFlag = (pattern: string, { values }: CompletedFlag): string[] =>
  values === null ? [] : [`    ${pattern}) ${offered(values)}; return ;;`];

/** As `_describe` takes it: what is typed, a colon, what it is. */
const described = (word: string, about: string): string => shellQuoted(`${word}:${about}`);

const flagList = (flags: readonly CompletedFlag[]): string =>
  flags
    .flatMap(({ name, short, about }) => [
      described(`--${name}`, about),
      ...(short === null ? [] : [described(`-${short}`, about)]),
    ])
    .join(" ");

const wordList = (next: readonly NextWord[]): string => next.map(({ word, about }) => described(word, about)).join(" ");

const atPlace = ({ words, next, flags, operand }: Place): string[] => [
  `    ${shellQuoted(words)})`,
  `      flags+=(${flagList(flags)})`,
  `      next=(${wordList(next)})`,
  ...(operand === null ? [] : [`      [[ $PREFIX == -* || -n $helping ]] || ${offered(operand)}`]),
  "      ;;",
];

/** To be the file `_guardhouse` in a folder of `fpath`, or sourced after `compinit`. */
export const zshScript = (completed: Completed): string => {
  const { places, common } = completed;
  return [
    "#compdef guardhouse",
    "_guardhouse() {",
    "  local word prev verb='' helping='' i",
    "  local -a flags next",
    "  for ((i = 2; i < CURRENT; i++)); do",
    `    word=\${words[i]}`,
    "    case $word in",
    `      ${takingValues(common)}) ((i++)) ;;`,
    "      -*) ;;",
    "      help) [[ -n $verb ]] && break; helping=1 ;;",
    "      *)",
    `        case "\${verb:+$verb }$word" in`,
    `          ${knownWords(completed)}) verb="\${verb:+$verb }$word" ;;`,
    "          *) break ;;",
    "        esac ;;",
    "    esac",
    "  done",
    `  prev=\${words[CURRENT-1]}`,
    `  if [[ $PREFIX == --*=* ]]; then prev=\${PREFIX%%=*}; compset -P '*='; fi`,
    '  case "$verb $prev" in',
    ...common.flatMap((flag) => behindFlag(`*' --${flag.name}'`, flag)),
    ...places.flatMap(({ words, flags }) =>
      flags.flatMap((flag) => [
        ...behindFlag(shellQuoted(`${words} --${flag.name}`), flag),
        ...(flag.short === null ? [] : behindFlag(shellQuoted(`${words} -${flag.short}`), flag)),
      ]),
    ),
    "  esac",
    `  flags=(${flagList(common)})`,
    '  case "$verb" in',
    ...places.flatMap(atPlace),
    "  esac",
    "  if [[ $PREFIX == -* ]]; then _describe -o flag flags",
    "  elif (( $#next )); then _describe verb next; fi",
    "}",
    'if [[ $funcstack[1] == _guardhouse ]]; then _guardhouse "$@"; else compdef _guardhouse guardhouse; fi',
    "",
  ].join("\n");
};
