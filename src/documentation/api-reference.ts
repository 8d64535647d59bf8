/** What the page of the API does in the browser: everything from the document goes in as text, never as HTML. */
export const API_SCRIPT = `
const api = await (await fetch("../openapi.json")).json();
const nav = document.querySelector("#list"), article = document.querySelector("article"), search = document.querySelector(".operations input");
const menu = document.querySelector(".operations details"), wide = matchMedia("(min-width: 56.01rem)");
const present = (parts) => parts.filter((one) => one !== null && one !== undefined);
const el = (name, attributes, ...inside) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) made.setAttribute(key, value);
  made.append(...present(inside));
  return made;
};
const fill = (...parts) => article.replaceChildren(...present(parts));
/* The document's texts are Markdown of one kind only: code between back-ticks. */
const prose = (text) => text.split("\`").map((part, i) => i % 2 ? el("code", null, part) : part);
const METHODS = ["get", "post", "put", "patch", "delete", "options"];
const operations = Object.entries(api.paths).flatMap(([path, item]) => METHODS.filter((method) => item[method])
  .map((method) => ({ path, method, it: item[method], server: item.servers?.[0].url ?? api.servers[0].url })));
const schemas = api.components.schemas;
const json = (value) => JSON.stringify(value, null, 2);
const nameOf = (ref) => ref.slice(ref.lastIndexOf("/") + 1);
const method = (name) => el("span", { class: "method" }, name.toUpperCase());

/* Schemas */
const typeOf = (schema) => {
  if (schema.$ref) return el("a", { href: "#schema/" + nameOf(schema.$ref) }, nameOf(schema.$ref));
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return el("span", null, ...options.flatMap((one, i) => i ? [" or ", typeOf(one)] : [typeOf(one)]));
  if (schema.type === "array") return el("span", null, "list of ", typeOf(schema.items ?? {}));
  if (schema.const !== undefined) return el("code", null, json(schema.const));
  const type = [schema.type ?? "anything"].flat().join(" or ");
  return el("span", null, type + (schema.format ? " (" + schema.format + ")" : ""));
};
const LIMITS = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "default"];
const notes = (schema) => {
  const words = [];
  if (schema.enum) words.push("One of " + schema.enum.map((one) => json(one)).join(", ") + ".");
  for (const limit of LIMITS) if (schema[limit] !== undefined) words.push(limit + " " + json(schema[limit]));
  return words.join(" ");
};
const inner = (schema) => {
  if (schema.properties || schema.patternProperties) return schema;
  if (schema.type === "array" && schema.items && !schema.items.$ref) return inner(schema.items);
  return null;
};
const tree = (schema) => {
  if (schema.allOf) return el("div", null, ...schema.allOf.map(tree));
  if (schema.anyOf && schema.anyOf.some(inner)) return el("div", null, ...schema.anyOf.map((one) => el("div", { class: "tree" }, tree(one))));
  const held = inner(schema);
  if (!held) return el("p", null, typeOf(schema), " ", el("span", { class: "quiet" }, notes(schema)));
  const rows = Object.entries(held.properties ?? {}).map(([name, property]) => {
    const more = inner(property) || property.anyOf?.some(inner);
    return el("tr", null, el("td", null, el("code", null, name), held.required?.includes(name) ? null : el("span", { class: "quiet" }, " ?")),
      el("td", null, typeOf(property), property.description ? el("div", null, ...prose(property.description)) : null,
        notes(property) ? el("div", { class: "quiet" }, notes(property)) : null,
        more ? el("details", null, el("summary", null, "fields"), el("div", { class: "tree" }, tree(property))) : null));
  });
  for (const of of Object.values(held.patternProperties ?? {})) rows.push(el("tr", null, el("td", null, "any name"), el("td", null, typeOf(of))));
  return el("table", null, el("tbody", null, ...rows));
};

/* One operation */
const exampleOf = (media) => media.example ?? Object.values(media.examples ?? {})[0]?.value;
const shownMedia = (content) => Object.entries(content ?? {}).flatMap(([type, media]) => [
  el("p", { class: "quiet" }, type),
  media["schema"] ? tree(media.schema) : null,
  exampleOf(media) === undefined ? null : el("details", { open: "" }, el("summary", null, "Example"),
    el("pre", { tabindex: "0" }, typeof exampleOf(media) === "string" ? exampleOf(media) : json(exampleOf(media)))),
]);
const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
const curlOf = ({ path, method: name, it, server }) => {
  const parts = ["curl" + (name === "get" ? "" : " -X " + name.toUpperCase()) + " " + quoted(server + path)];
  const opens = it.security?.[0] ?? {};
  if (opens.gatewayToken || opens.oauth) parts.push('-H "Authorization: Bearer $GUARDHOUSE_TOKEN"');
  else if (opens.session) parts.push('-H "Authorization: Bearer $GUARDHOUSE_SESSION"');
  const [type, media] = Object.entries(it.requestBody?.content ?? {})[0] ?? [];
  if (type) {
    const body = exampleOf(media);
    parts.push("-H " + quoted("Content-Type: " + type), "--data " + quoted(typeof body === "string" ? body : JSON.stringify(body)));
  }
  return parts.join(" \\\\\\n  ");
};
const whoMay = (it) => {
  if (it["x-open"]) return "Anybody: " + it["x-open"] + ".";
  const ways = it.security.flatMap((one) => Object.keys(one)).filter((name) => name !== "xApiKey" && name !== "apiKey").map((name) => ({
    gatewayToken: "a gateway token", session: "a session key", browser: "a signed-in browser", oauth: "an OAuth access token" })[name] ?? name);
  return "Needs " + ways.join(", or ") + (it["x-roles"] ? ", of the role " + it["x-roles"].join(" or ") : "") + ".";
};
const showOperation = (operation) => {
  const { path, method: name, it } = operation;
  const parameters = it.parameters.map((one) => el("tr", null, el("td", null, el("code", null, one.name), one.required ? null : el("span", { class: "quiet" }, " ?")),
    el("td", null, one.in), el("td", null, typeOf(one.schema), " ", el("span", { class: "quiet" }, notes(one.schema)), one.description ? el("div", null, ...prose(one.description)) : null)));
  const answers = Object.entries(it.responses).map(([status, one]) => [status, one.$ref ? api.components.responses[nameOf(one.$ref)] : one]).map(([status, answer]) =>
    el("details", status < 300 ? { open: "" } : null, el("summary", null, el("strong", null, status), " ", ...prose(answer.description)), ...shownMedia(answer.content)));
  const others = sameAs(operation).filter((one) => one !== operation);
  fill(
    el("h2", null, it.summary), el("p", null, method(name), el("code", null, path)),
    it.deprecated ? el("p", null, el("strong", null, "Removed or about to be.")) : null,
    ...(it.description ?? "").split("\\n\\n").filter(Boolean).map((text) => el("p", null, ...prose(text))),
    el("p", { class: "quiet" }, ...prose(whoMay(it))),
    el("h3", null, "Try it"), el("pre", { tabindex: "0" }, curlOf(operation)),
    ...(parameters.length ? [el("h3", null, "Parameters"), el("table", null, el("tbody", null, ...parameters))] : []),
    ...(it.requestBody ? [el("h3", null, "Body"), ...shownMedia(it.requestBody.content).filter(Boolean)] : []),
    ...(others.length ? [el("h3", null, "Answers the same at"), el("ul", null, ...others.map((one) => el("li", null, el("code", null, one.path))))] : []),
    el("h3", null, "Answers"), ...answers);
};
const showSchema = (name) => fill(el("h2", null, name),
  el("p", null, ...prose(schemas[name].description ?? "")), tree(schemas[name]), el("h3", null, "JSON Schema"), el("pre", { tabindex: "0" }, json(schemas[name])));
const showStart = () => fill(el("h2", null, api.info.title + " " + api.info.version),
  el("p", null, ...prose(api.info.description)), el("p", null, operations.length + " operations at ", el("code", null, api.servers[0].url), ". ",
    el("a", { href: "../openapi.json" }, "openapi.json")),
  el("table", null, el("tbody", null, ...api.tags.map(({ name, description }) => el("tr", null, el("td", null, name), el("td", null, ...prose(description)))))));

/* Navigation */
/* One page that is served at many addresses is one row: the same method, words and heading. */
const sameAs = ({ method: name, it }) => operations.filter((one) =>
  one.method === name && one.it.summary === it.summary && one.it.tags[0] === it.tags[0]);
const shown = () => decodeURIComponent(location.hash.slice(1));
const linkTo = (hash, isShown, ...inside) => el("li", null, el("a", { href: "#" + hash, ...(isShown && { "aria-current": "page" }) }, ...inside));
const rowOf = (operation) => {
  const all = sameAs(operation), isShown = all.some(({ it }) => it.operationId === shown());
  return linkTo(operation.it.operationId, isShown, method(operation.method), operation.it.summary,
    all.length > 1 ? el("span", { class: "quiet" }, " (" + all.length + " addresses)") : null);
};
const list = () => {
  const wanted = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const fits = (...texts) => wanted.every((word) => texts.join(" ").toLowerCase().includes(word));
  const groups = api.tags.map(({ name: tag }) => [tag, operations.filter((one) => one.it.tags.includes(tag) && sameAs(one)[0] === one &&
    sameAs(one).some(({ path, method: name, it }) => fits(tag, path, name, it.summary)))]);
  nav.replaceChildren(...groups.filter(([, some]) => some.length).flatMap(([tag, some]) => [el("h2", null, tag),
    el("ul", null, ...some.map(rowOf))]),
    el("h2", null, "Schemas"), el("ul", null, ...Object.keys(schemas).filter((name) => fits(name)).map((name) => linkTo("schema/" + name, shown() === "schema/" + name, name))));
};
const show = () => {
  const hash = shown();
  const operation = operations.find(({ it }) => it.operationId === hash);
  if (operation) showOperation(operation);
  else if (hash.startsWith("schema/") && schemas[hash.slice(7)]) showSchema(hash.slice(7));
  else showStart();
  list();
  /* On narrow screens the list closes after a choice. */
  menu.open = wide.matches;
  scrollTo(0, 0);
};
search.addEventListener("input", () => {
  menu.open = true;
  list();
});
wide.addEventListener("change", () => { menu.open = wide.matches });
addEventListener("hashchange", show);
show();`;
