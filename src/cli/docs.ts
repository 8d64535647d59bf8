import { COMMANDS, commandLine } from "#core/command-line";
import { suggestionFor } from "#core/nearest";
import { CONTENTS, PAGES } from "#documentation/contents";
import { renderedDocumentation } from "./documentation";
import { CliExit, EXIT, usage } from "./exit";
import type { RunVerb } from "./verb";

/** `docs`: the documentation of this version, as Markdown; without a topic the list of pages. */
export const docs: RunVerb = async ({ args, out }) => {
  const topic = args.operand(0);
  if (topic === undefined) {
    const width = Math.max(...PAGES.map(({ name }) => name.length));
    const lines = CONTENTS.flatMap(({ title, pages }) => [
      out.paint.strong(title),
      ...pages.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
      "",
    ]);
    const human = [
      ...lines,
      `\`${commandLine(COMMANDS.docsOfTopic())}\` shows a page. A running hub serves all of them at /docs.`,
    ].join("\n");
    await out.result(
      PAGES.map(({ name, label, about, group }) => ({ topic: name, title: label, about, group })),
      human,
    );
    return EXIT.ok;
  }
  const wanted = topic.toLowerCase();
  const page = PAGES.find(({ name }) => name.toLowerCase() === wanted || name.toLowerCase().endsWith(`/${wanted}`));
  if (!page) {
    const guess = suggestionFor(
      topic,
      PAGES.flatMap(({ name }) => [name, name.slice(name.lastIndexOf("/") + 1)]),
    );
    throw usage(`there is no page ${topic}${guess}`);
  }
  const files = renderedDocumentation();
  const part = (await files.manifest())?.parts[`${page.name}.md`];
  if (!part) throw new CliExit(EXIT.notFound, "This build has no documentation: bun run build");
  const text = new TextDecoder().decode(await files.plain(part));
  // Marks of the parts that are read off the code.
  const markdown = text.replaceAll(/^<!-- .* -->\n\n?/gm, "");
  await out.result({ topic: page.name, title: page.label, markdown }, markdown);
  return EXIT.ok;
};
