/**
 * Prints a definition as builder source. References are only printed if the builder would generate exactly the same
 * text, and everything else literally, so the source always gives the same JSON.
 */
import type { WorkflowFile } from "./builder.ts";
import { formatPath, parsePath } from "./reference.ts";

type Json = Readonly<Record<string, unknown>>;

interface Graph {
  readonly nodes: readonly Json[];
  readonly edges: readonly Json[];
}

const WIDTH = 100;
const MODULE = "@millrace/client/workflow";
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const TEMPLATE_PART = /\{\{ (.*?) \}\}/gs;

/** The source of a file that exports the workflow. */
export function printWorkflow({ key, definition }: WorkflowFile): string {
  const { nodes, edges, ...head } = definition as unknown as Json & Graph;
  const names = new Names(["defineWorkflow", ...HELPERS, "w"]);
  const scope: Scope = { names, values: new Map([["trigger", "w.trigger"]]), steps: new Map() };
  const lines = printGraph({ nodes, edges }, "w", scope);
  const about = key === head["name"] ? head : { key, ...head };
  const imports = ["defineWorkflow", ...HELPERS.filter((name) => names.used.has(name))];
  return [
    `import { ${imports.join(", ")} } from ${quote(MODULE)};`,
    "",
    // Expressions in the head cannot reference steps, so it is printed literally.
    `export default defineWorkflow(${printLiteral(about, 0)}, (w) => {`,
    ...lines.map((line) => `  ${line}`),
    "});",
    "",
  ].join("\n");
}

const HELPERS = ["environment", "run", "secret", "template", "workspace"];

/** The names that expressions of a graph can use, with their code. */
interface Scope {
  readonly names: Names;
  readonly values: ReadonlyMap<string, string>;
  readonly steps: Map<string, string>;
}

/** The variables of a source, unique and without reserved names. */
class Names {
  readonly used = new Set<string>();
  readonly #taken: Set<string>;

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...taken, ...JS_WORDS]);
  }

  choose(wanted: string): string {
    const [first = "", ...more] = wanted.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
    const camel =
      first + more.map((word) => (word[0] ?? "").toUpperCase() + word.slice(1)).join("");
    const plain = /^[A-Za-z]/.test(camel) ? camel : `step${camel}`;
    let name = plain;
    for (let n = 2; this.#taken.has(name); n += 1) name = `${plain}${n}`;
    this.#taken.add(name);
    return name;
  }
}

const JS_WORDS =
  "arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof undefined var void while with yield".split(
    " ",
  );

function printGraph({ nodes, edges }: Graph, builder: string, scope: Scope): string[] {
  const named = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const text = JSON.stringify(nodes);
  const steps = nodes.flatMap((node) => {
    const { id } = node;
    const code = printNode(node, builder, scope);
    if (typeof id !== "string" || scope.steps.has(id)) return [`${code};`];
    // Linters would report an unused variable.
    const isRead = named.has(id) || text.includes(formatPath(["steps", id]));
    if (!isRead) return [`${code};`];
    const name = scope.names.choose(id);
    scope.steps.set(id, name);
    return [`const ${name} = ${code};`];
  });
  return [...steps, ...printEdges(edges, builder, scope)].flatMap((line) => line.split("\n"));
}

function printNode(node: Json, builder: string, scope: Scope): string {
  const { id, type, config, forEach, ...options } = node;
  const rest = Object.keys(options).length === 0 ? [] : [printValue(options, scope, 0)];
  const begin = (method: string, ...first: readonly unknown[]): string[] => [
    `${builder}.${method}(${first.map((one) => JSON.stringify(one)).join(", ")}`,
  ];
  if (forEach === undefined && (type === "loop" || type === "repeat") && hasBody(config)) {
    const { body, ...plain } = config;
    const item = typeof plain["as"] === "string" ? plain["as"] : type === "loop" ? "item" : "state";
    const own = scope.names.choose("body");
    const [within, parameters] = enterItems(scope, item);
    const lines = printGraph(body, own, within).map((line) => `  ${line}`);
    const named = readParameters([own, ...parameters], lines.join("\n"));
    const build = [`(${named.join(", ")}) => {`, ...lines, "}"].join("\n");
    return joinCall(begin(type, id), [printValue(plain, scope, 0), build, ...rest]);
  }
  if (isJson(forEach) && "items" in forEach && isJson(config)) {
    const item = typeof forEach["as"] === "string" ? forEach["as"] : "item";
    const [within, parameters] = enterItems(scope, item);
    const code = printValue(config, within, 0);
    const build = `(${readParameters(parameters, code).join(", ")}) => (${code})`;
    const about = printValue({ forEach, ...options }, scope, 0);
    return joinCall(begin("forEach", id, type), [about, build]);
  }
  const whole = forEach === undefined ? rest : [printValue({ ...options, forEach }, scope, 0)];
  if (config === undefined && whole.length === 0) return joinCall(begin("step", id, type), []);
  return joinCall(begin("step", id, type), [printValue(config, scope, 0), ...whole]);
}

/** The scope inside a loop, and the parameters of its builder function. */
function enterItems(scope: Scope, item: string): [Scope, string[]] {
  const names = [scope.names.choose(item), scope.names.choose("index")] as const;
  const values = new Map([...scope.values, ["index", names[1]], [item, names[0]]]);
  // Steps of a loop body are not visible outside.
  return [{ ...scope, values, steps: new Map(scope.steps) }, [...names]];
}

function joinCall([begin = ""]: string[], values: readonly string[]): string {
  const line = `${[begin, ...values].join(", ")})`;
  const [first = ""] = line.split("\n");
  if (first.length < WIDTH) return line;
  const [call = "", ...words] = begin.split("(");
  const members = [words.join("("), ...values].map((one) => `  ${one.replaceAll("\n", "\n  ")},`);
  return [`${call}(`, ...members, ")"].join("\n");
}

/** The parameters used by the code, and those before them. */
function readParameters(names: readonly string[], code: string): string[] {
  const isRead = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
  return names.slice(0, names.findLastIndex(isRead) + 1);
}

function printEdges(edges: readonly Json[], builder: string, { steps }: Scope): string[] {
  const lines: string[] = [];
  const nameOf = (id: unknown): string => steps.get(id as string) ?? JSON.stringify(id);
  for (let at = 0; at < edges.length;) {
    const { from, to, ...more } = edges[at] ?? {};
    const way = [from, to];
    while (
      isPlainEdge(edges[at]) &&
      isPlainEdge(edges[at + 1]) &&
      edges[at + 1]?.["from"] === way.at(-1)
    ) {
      at += 1;
      way.push(edges[at]?.["to"]);
    }
    at += 1;
    if (way.length > 2) lines.push(`${builder}.chain(${way.map(nameOf).join(", ")});`);
    else {
      const { when, ...others } = more;
      const isPlain = Object.keys(others).length === 0;
      const last = isPlain ? (when === undefined ? [] : [when]) : [more];
      const values = [...way.map(nameOf), ...last.map((one) => printLiteral(one, 0))];
      lines.push(`${builder}.edge(${values.join(", ")});`);
    }
  }
  return lines;
}

function isPlainEdge(edge: Json | undefined): boolean {
  return edge !== undefined && Object.keys(edge).every((name) => name === "from" || name === "to");
}

/** The code of a configuration value, with its references. */
function printValue(value: unknown, scope: Scope, indent: number): string {
  return print(value, indent, (text) => printText(text, scope));
}

function printLiteral(value: unknown, indent: number): string {
  return print(value, indent, quote);
}

function print(value: unknown, indent: number, printString: (text: string) => string): string {
  if (typeof value === "string") return printString(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const isList = Array.isArray(value);
  const members = isList
    ? value.map((member) => print(member, indent + 2, printString))
    : Object.entries(value).map(
        ([name, member]) => `${printName(name)}: ${print(member, indent + 2, printString)}`,
      );
  const [open, close] = isList ? "[]" : "{}";
  if (members.length === 0) return `${open}${close}`;
  const line = members.join(", ");
  if (indent + line.length < WIDTH && !line.includes("\n")) {
    return isList ? `[${line}]` : `{ ${line} }`;
  }
  const space = " ".repeat(indent);
  return [open, ...members.map((member) => `${space}  ${member},`), space + close].join("\n");
}

/** Otherwise a member named `__proto__` would set the prototype. */
function printName(name: string): string {
  if (name === "__proto__") return `["__proto__"]`;
  return IDENTIFIER.test(name) ? name : quote(name);
}

function printText(text: string, scope: Scope): string {
  const parts = [...text.matchAll(TEMPLATE_PART)];
  const codes = parts.map(([, path = ""]) => printPath(path, scope));
  // Marks references as used only if all of them can be printed.
  if (parts.length === 0 || codes.includes(undefined)) return quote(text);
  for (const code of codes) markUsed(code ?? "", scope);
  if (parts.length === 1 && parts[0]?.[0] === text) return codes[0] ?? quote(text);
  scope.names.used.add("template");
  let [code, at] = ["", 0];
  for (const [index, part] of parts.entries()) {
    code += `${escapeTemplate(text.slice(at, part.index))}\${${codes[index]}}`;
    at = part.index + part[0].length;
  }
  return `template\`${code}${escapeTemplate(text.slice(at))}\``;
}

function printPath(text: string, { values, steps }: Scope): string | undefined {
  const path = parsePath(text);
  const [root = "", second = "", third = "", ...rest] = path ?? [];
  if (!path || path.slice(1).some((name) => name.includes("\n"))) return undefined;
  if (root === "steps") {
    const step = steps.get(second);
    const isKnown = third === "output" || third === "error" || third === "page";
    return step !== undefined && isKnown ? `${step}.${third}${printMembers(rest)}` : undefined;
  }
  const value = values.get(root);
  if (value !== undefined) return `${value}${printMembers(path.slice(1))}`;
  if (root === "secrets" && path.length === 2) return `secret(${quote(second)})`;
  const isHelper = root === "run" || root === "workspace" || root === "environment";
  return isHelper ? `${root}${printMembers(path.slice(1))}` : undefined;
}

/** The path member `[0]` is an index. A name with that text would be printed the same, but `parsePath` rejects it. */
function printMembers(names: readonly string[]): string {
  return names
    .map((name) => {
      if (IDENTIFIER.test(name)) return `.${name}`;
      return /^\d+$/.test(name) ? `[${name}]` : `[${quote(name)}]`;
    })
    .join("");
}

function markUsed(code: string, { names }: Scope): void {
  const [root = ""] = /^[A-Za-z]+/.exec(code) ?? [];
  if (HELPERS.includes(root)) names.used.add(root);
}

function escapeTemplate(text: string): string {
  return (
    text
      .replaceAll("\\", "\\\\")
      .replaceAll("`", "\\`")
      .replaceAll("${", "\\${")
      .replaceAll("\r", "\\r")
      // The source is indented line by line.
      .replaceAll("\n", "\\n")
  );
}

function quote(text: string): string {
  return JSON.stringify(text);
}

function hasBody(config: unknown): config is Json & { readonly body: Graph } {
  if (!isJson(config) || !isJson(config["body"])) return false;
  const { nodes, edges, ...others } = config["body"];
  return Array.isArray(nodes) && Array.isArray(edges) && Object.keys(others).length === 0;
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
