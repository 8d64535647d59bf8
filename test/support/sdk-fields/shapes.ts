import { join, resolve } from "node:path";
import {
  API,
  type Checker,
  type Symbol as CheckerSymbol,
  type Project,
  SymbolFlags,
  type Type,
  TypeFlags,
} from "typescript/unstable/async";

const PACKAGES = resolve(import.meta.dir, "../../../node_modules");

/** What a value of a type can be, as JSON. Shapes may contain themselves. */
export type Shape =
  | { readonly kind: "text" | "number" | "boolean" | "null" | "unknown" }
  | { readonly kind: "words"; readonly values: readonly (string | number | boolean)[] }
  | { readonly kind: "list" | "map"; readonly of: Shape }
  | { readonly kind: "object"; readonly name: string; readonly fields: ReadonlyMap<string, ShapeField> }
  | { readonly kind: "either"; readonly of: readonly Shape[] };

export type ShapeField = { readonly shape: Shape; readonly isOptional: boolean };

/** A declared type: the file of a package's types it stands in, and its name there. */
export type Declared = { readonly file: string; readonly name: string };

const UNKNOWN: Shape = { kind: "unknown" };

/** Reads types of installed packages off their declarations. */
export const readShapes = async (wanted: readonly Declared[]): Promise<readonly Shape[]> => {
  if (wanted.length === 0) return [];
  const api = new API({ cwd: PACKAGES });
  try {
    const files = [...new Set(wanted.map(({ file }) => file))];
    const snapshot = await api.updateSnapshot({ openFiles: files.map((file) => join(PACKAGES, file)) });
    const [project] = snapshot.getProjects();
    if (!project) throw new Error("the compiler opened no project");
    const exported = new Map<string, ReadonlyMap<string, CheckerSymbol>>();
    for (const file of files) exported.set(file, await exportsOf(project, file));
    const reader = new ShapeReader(project.checker);
    const shapes: Shape[] = [];
    for (const { file, name } of wanted) {
      const symbol = exported.get(file)?.get(name);
      if (!symbol) throw new Error(`${file} declares no ${name}`);
      shapes.push(await reader.shapeOf(await project.checker.getDeclaredTypeOfSymbol(symbol)));
    }
    return shapes;
  } finally {
    await api.close();
  }
};

const exportsOf = async (project: Project, file: string): Promise<ReadonlyMap<string, CheckerSymbol>> => {
  const source = await project.program.getSourceFile(join(PACKAGES, file));
  const module = source && (await project.checker.getSymbolAtLocation(source));
  if (!module) throw new Error(`${file} is not installed, or declares nothing`);
  return new Map((await project.checker.getExportsOfModule(module)).map((symbol) => [symbol.name, symbol]));
};

class ShapeReader {
  private readonly known = new Map<number, Shape>();

  constructor(private readonly checker: Checker) {}

  async shapeOf(type: Type): Promise<Shape> {
    const known = this.known.get(type.id);
    if (known) return known;
    if (type.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive)) return UNKNOWN;
    if (type.isLiteralType()) return { kind: "words", values: [literal(type.value)] };
    if (type.flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) return { kind: "text" };
    if (type.flags & TypeFlags.Number) return { kind: "number" };
    if (type.flags & TypeFlags.Boolean) return { kind: "boolean" };
    if (type.flags & TypeFlags.Null) return { kind: "null" };
    if (type.isUnionType()) return this.either(type.id, (await type.getTypes()) ?? []);
    if (type.isIntersectionType()) {
      // `string & {}`: any text, beside the ones that are named.
      const parts = (await type.getTypes()) ?? [];
      if (parts.some(({ flags }) => flags & TypeFlags.String)) return { kind: "text" };
    }
    return this.compound(type);
  }

  private async either(id: number, types: readonly Type[]): Promise<Shape> {
    const of: Shape[] = [];
    const shape: Shape = { kind: "either", of };
    this.known.set(id, shape);
    const values: (string | number | boolean)[] = [];
    for (const type of types) {
      if (type.flags & TypeFlags.Undefined) continue;
      const member = await this.shapeOf(type);
      if (member.kind === "words") values.push(...member.values);
      else of.push(member);
    }
    // One shape for all literals: which of them stands there changes nothing about where it stands.
    if (values.length > 0) of.unshift({ kind: "words", values: values.toSorted() });
    const [only, second] = of;
    if (!only || second) return shape;
    this.known.set(id, only);
    return only;
  }

  private async compound(type: Type): Promise<Shape> {
    const { checker } = this;
    if ((await checker.isArrayType(type)) && type.isTypeReference()) {
      const [item] = await checker.getTypeArguments(type);
      return item ? { kind: "list", of: await this.shapeOf(item) } : UNKNOWN;
    }
    const [index] = await checker.getIndexInfosOfType(type);
    const properties = await checker.getPropertiesOfType(type);
    if (index && properties.length === 0) return { kind: "map", of: await this.shapeOf(index.valueType) };
    const fields = new Map<string, ShapeField>();
    const name = (await type.getAliasSymbol())?.name ?? (await type.getSymbol())?.name ?? "";
    const shape: Shape = { kind: "object", name, fields };
    this.known.set(type.id, shape);
    const types = properties.length === 0 ? [] : await checker.getTypeOfSymbol(properties);
    for (const [at, { name: field, flags }] of properties.entries()) {
      const value = types[at];
      const isOptional = (flags & SymbolFlags.Optional) !== 0;
      if (value) fields.set(field, { shape: await this.shapeOf(value), isOptional });
    }
    return shape;
  }
}

const literal = (value: unknown): string | number | boolean => {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  throw new Error(`no literal of JSON: ${String(value)}`);
};
