type Form = (name: string, id: string) => string;

const words = (name: string): string => name.replaceAll("_", " ");
const dashed = (name: string): string => name.replaceAll("_", "-");

/** How a field and its number stand in what programs, tools and people say. */
export const ID_FORMS: Readonly<Record<string, Form>> = {
  json: (name, id) => `{"${name}": ${id}, "ok": true}`,
  "json string": (name, id) => `{"${name}":"${id}"}`,
  "json object": (name, id) => `"${name}": {"id": ${id}, "name": "main"}`,
  "json array": (name, id) => `{"${name}s": [${id}, 17, "a"]}`,
  "json lines": (name, id) => `{"level":"info","${name}":${id}}\n{"level":"info","${name}":${id.slice(0, -1)}7}`,
  logfmt: (name, id) => `ts=2026-11-24T10:00:00Z level=info ${name}=${id} msg="done"`,
  assignment: (name, id) => `${name}=${id}`,
  environment: (name, id) => `export ${name.toUpperCase()}="${id}"`,
  yaml: (name, id) => `${name}: ${id}\nstate: done`,
  "yaml list": (name, id) => `items:\n  - ${name}: ${id}\n    state: done`,
  "yaml string": (name, id) => `${name}: '${id}'`,
  toml: (name, id) => `[${name}]\n${name} = ${id}`,
  query: (name, id) => `https://api.acme.test/v2/items?${name}=${id}&page=2`,
  "query, encoded": (name, id) => `GET /v2/items?filter%5B${name}%5D=${id}&sort=-id HTTP/1.1`,
  path: (name, id) => `/${name}/${id}/raw`,
  csv: (name, id) => `name,${name},state\nmain,${id},done`,
  "csv, first column": (name, id) => `${name},name\n${id},main\n${id.slice(0, -1)}7,next`,
  tabs: (name, id) => `name\t${name}\tstate\nmain\t${id}\tdone`,
  markdown: (name, id) => `| ${name} | state |\n| --- | --- |\n| ${id} | done |`,
  prose: (name, id) => `${name} ${id} is done`,
  "prose, CI": (name, id) => `CI ${words(name)} ${id} passed`,
  "prose, is": (name, id) => `The ${words(name)} is ${id}.`,
  "prose, number": (name, id) => `see ${words(name)} number ${id}, please`,
  "upper case": (name, id) => `${name.toUpperCase()} ${id}`,
  "hash sign": (name, id) => `${name} #${id}`,
  brackets: (name, id) => `done (${name} ${id})`,
  behind: (name, id) => `${id} (${name})`,
  joined: (name, id) => `${name}_${id}`,
  xml: (name, id) => `<${name}>${id}</${name}>`,
  attribute: (name, id) => `<item ${name}="${id}" ok="true"/>`,
  sql: (name, id) => `SELECT * FROM t WHERE ${name} = ${id};`,
  flag: (name, id) => `run --${dashed(name)} ${id} --verbose`,
  python: (name, id) => `{'${name}': ${id}, 'ok': True}`,
  header: (name, id) => `x-${dashed(name)}: ${id}\r\naccept: */*`,
};
