import type { Ask } from "./provenance-values";

/*
 * What a shell is given: command lines, and the names of packages to install. A page that says "run this" is as good as
 * a hand on the keyboard, so a command that only a result of a tool had is looked for as a whole.
 */

/** Names of fields that hold commands. */
const COMMAND_FIELD = /(?:^|_)(?:cmd|commands?|command_?line|script|shell|bash|exec|terminal|powershell)$/i;
/** Shorter commands are what every project has: `npm test`, `git status`. */
const MIN_COMMAND_UNITS = 10;
/** Lines and parts of them that are looked for; scripts that are longer are read by their beginning. */
const MAX_COMMANDS = 64;
const MAX_COMMAND_UNITS = 1_000;

/** Fetches and runs, sends away, opens the machine, destroys. */
const DANGEROUS =
  /\b(?:curl|wget|invoke-webrequest|iwr|irm|nc|ncat|netcat|scp|rsync|sftp|ssh|telnet|eval|iex|base64 -d|base64 --decode|crontab|sudo|chmod|chown|useradd|authorized_keys|systemctl|launchctl|mkfs|dd if=|rm -\w*[rf]|del \/|git push|git remote|git config|npm publish|twine upload|docker run|kubectl (?:apply|delete|exec))\b|\|\s{0,3}(?:ba|z|da)?sh\b|>\s{0,3}\/dev\/tcp/;

const INSTALL =
  /(?:^|[\s;&|(`])(?:(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|dlx|x|exec|create)|npx|bunx|pip3?\s+install|python3?\s+-m\s+pip\s+install|uv\s+(?:add|pip\s+install|tool\s+(?:install|run))|uvx|pipx\s+(?:install|run)|poetry\s+add|conda\s+install|cargo\s+(?:install|add)|go\s+(?:get|install)|gem\s+install|brew\s+install|apt(?:-get)?\s+install|(?:dnf|yum|zypper)\s+install|apk\s+add|docker\s+(?:run|pull)|helm\s+install|composer\s+require|dotnet\s+add\s+package|code\s+--install-extension)\s+/g;
/** One name, behind flags. */
const PACKAGE = /\s*(?:(?:--?[\w-]{1,30}(?:=[^\s;&|]{1,80})?\s+){0,6})(["']?)([@\w][\w@./:-]{2,120})/y;
const MAX_PACKAGES = 20;

export const isCommandField = (field: string | undefined): boolean =>
  field !== undefined && COMMAND_FIELD.test(field.replace(/([a-z])([A-Z])/g, "$1_$2"));

/** Asks for each command of a text that a shell is given, the whole line first. */
export const askForCommands = (text: string, ask: Ask): void => {
  let left = MAX_COMMANDS;
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    if (left <= 0) return;
    left -= 1;
    if (askCommand(line, index, ask)) continue;
    const parts = [...line.matchAll(/[^;&|]+/g)];
    if (parts.length < 2) continue;
    for (const { 0: part, index: inside } of parts) {
      left -= 1;
      if (left > 0) askCommand(part, index + inside, ask);
    }
  }
};

const askCommand = (text: string, at: number, ask: Ask): boolean => {
  const begin = text.length - text.trimStart().length;
  const command = text.trim().slice(0, MAX_COMMAND_UNITS);
  if (command.replace(/[^a-z0-9]/g, "").length < MIN_COMMAND_UNITS) return false;
  const kind = DANGEROUS.test(command) ? "dangerous_command" : "command";
  return ask(kind, at + begin, at + begin + command.length);
};

/** Asks for the names of what is installed, wherever a command stands. */
export const askForPackages = (text: string, ask: Ask): void => {
  let left = MAX_PACKAGES;
  for (const { 0: head, index } of text.matchAll(INSTALL)) {
    PACKAGE.lastIndex = index + head.length;
    for (let found = PACKAGE.exec(text); found !== null && left > 0; found = PACKAGE.exec(text)) {
      left -= 1;
      const name = found[2] ?? "";
      const end = PACKAGE.lastIndex;
      ask("package", end - name.length, end);
      if (found[1] !== "") PACKAGE.lastIndex = end + 1;
      if (!/\s/.test(text.charAt(PACKAGE.lastIndex))) break;
    }
  }
};
