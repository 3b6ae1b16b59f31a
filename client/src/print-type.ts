/** Prints types over several lines, in the formatter's style. */
import { quote, type TypeMember, type TypeTree } from "./schema-type.ts";

export const WIDTH_MAX = 100;
const STEP = "  ";

/** The members of an object or interface, one per line, each with its documentation. */
export function printMembers(members: readonly TypeMember[], indent: string): string {
  return members.map((member) => printMember(member, indent)).join("\n");
}

function printMember({ name, isOptional, type, doc }: TypeMember, indent: string): string {
  const key = `${indent}${printName(name)}${isOptional ? "?" : ""}:`;
  const flat = printFlat(type);
  const line = `${key} ${flat};`;
  const text =
    flat !== undefined && line.length <= WIDTH_MAX ? line : `${key}${printBroken(type, indent)};`;
  return `${printDoc(doc, indent)}${text}`;
}

/** A comment above a declaration. Empty without a text. */
function printDoc(doc: string | undefined, indent: string): string {
  const text = (doc ?? "").trim().replaceAll("*/", "*\\/");
  if (text === "") return "";
  const line = `${indent}/** ${text} */`;
  if (!text.includes("\n") && line.length <= WIDTH_MAX) return `${line}\n`;
  const lines = text.split("\n").flatMap((one) => wrap(one, WIDTH_MAX - indent.length - 3));
  return [
    `${indent}/**`,
    ...lines.map((one) => `${indent} * ${one}`.trimEnd()),
    `${indent} */\n`,
  ].join("\n");
}

/** Splits a line at the maximum width. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const part of text.split(" ")) {
    if (line !== "" && line.length + 1 + part.length > width) {
      lines.push(line);
      line = part;
    } else {
      line = line === "" ? part : `${line} ${part}`;
    }
  }
  return [...lines, line];
}

/** A type on one line. Undefined if it has several members or a documented one. */
function printFlat(type: TypeTree): string | undefined {
  switch (type.kind) {
    case "word":
      return type.text;
    case "union":
    case "intersection":
      return join(type.parts.map(printPart), type.kind === "union" ? " | " : " & ");
    case "list": {
      const of = printFlat(type.of);
      return of && `readonly ${type.of.kind === "list" || isJoined(type.of) ? `(${of})` : of}[]`;
    }
    case "map": {
      const of = printFlat(type.of);
      return of && `{ readonly [name: string]: ${of} }`;
    }
    case "object": {
      const [only, ...others] = type.members;
      if (only === undefined || others.length > 0 || only.doc !== undefined) return undefined;
      const of = printFlat(only.type);
      return of && `{ ${printName(only.name)}${only.isOptional ? "?" : ""}: ${of} }`;
    }
  }
}

function join(parts: readonly (string | undefined)[], mark: string): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join(mark);
}

/** A part of a union or intersection. */
function printPart(type: TypeTree): string | undefined {
  const text = printFlat(type);
  return text !== undefined && isJoined(type) ? `(${text})` : text;
}

function isJoined({ kind }: TypeTree): boolean {
  return kind === "union" || kind === "intersection";
}

/** A type after its name and colon, over several lines. */
function printBroken(type: TypeTree, indent: string): string {
  if (type.kind !== "union" || isHugged(type)) return ` ${printBlock(type, indent)}`;
  return `\n${printUnion(type.parts, indent + STEP)}`;
}

/** A type that begins on the line of its name. */
function printBlock(type: TypeTree, indent: string): string {
  switch (type.kind) {
    case "word":
      return type.text;
    case "union":
      return type.parts.map((part) => printBlock(part, indent)).join(" | ");
    case "intersection":
      return type.parts.map((part) => printBlock(part, indent)).join(" & ");
    case "list":
      return printList(type.of, indent);
    case "map": {
      const member = `${indent}${STEP}readonly [name: string]:`;
      const flat = printFlat(type.of);
      const line = `${member} ${flat};`;
      const fits = flat !== undefined && line.length <= WIDTH_MAX;
      return `{\n${fits ? line : `${member}${printBroken(type.of, indent + STEP)};`}\n${indent}}`;
    }
    case "object":
      return `{\n${printMembers(type.members, indent + STEP)}\n${indent}}`;
  }
}

function printList(of: TypeTree, indent: string): string {
  if (of.kind === "list") return `readonly (${printBlock(of, indent)})[]`;
  if (of.kind !== "union") return `readonly ${printBlock(of, indent)}[]`;
  if (isHugged(of)) return `readonly (${printBlock(of, indent)})[]`;
  return `readonly (\n${printUnion(of.parts, indent + STEP)}\n${indent})[]`;
}

function printUnion(parts: readonly TypeTree[], indent: string): string {
  return parts
    .map((part) => {
      const flat = printPart(part);
      const line = `${indent}| ${flat}`;
      const fits = flat !== undefined && line.length < WIDTH_MAX;
      return fits ? line : `${indent}| ${printBlock(part, indent + STEP)}`;
    })
    .join("\n");
}

/** An object or null stays on the line of its brace. */
function isHugged({ parts }: { readonly parts: readonly TypeTree[] }): boolean {
  const others = parts.filter((part) => !(part.kind === "word" && part.text === "null"));
  const [only] = others;
  return (
    others.length === 1 &&
    others.length < parts.length &&
    (only?.kind === "object" || only?.kind === "map")
  );
}

/** A name, quoted if the language requires it. */
export function printName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
}
