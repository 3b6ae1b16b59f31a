import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction, type Context } from "node:vm";
import { BUNDLE_FOLDER } from "../work/subprocess-code.ts";

/** The used part of the jsonata package. Its types omit most of the tree. */
export type Jsonata = (text: string) => {
  ast(): unknown;
  assign(name: string, value: unknown): void;
  registerFunction(name: string, run: (value: unknown) => unknown, signature: string): void;
  evaluate(input: unknown, bindings?: Record<string, unknown>): Promise<unknown>;
};

/** Globals that replace the real ones in an instance. */
export interface Substitutes {
  readonly JSON: Pick<JSON, "parse" | "stringify">;
  readonly Date: DateConstructor;
  /** The package looks for base64 functions here first, and otherwise in Node's globals. */
  readonly window: { btoa(text: string): string; atob(text: string): string };
}

/** Runs the package once and returns its exports: an instance that shares no objects with others. */
export type JsonataMaker = (
  module: { exports: unknown },
  exports: unknown,
  ...substitutes: [Substitutes["JSON"], Substitutes["Date"], Substitutes["window"]]
) => void;

/**
 * Compiles the package without running it. A normal import is not possible because some globals must be
 * replaced: the clock, and JSON, to limit copying during parsing.
 */
export function compileJsonata(parsingContext?: Context): JsonataMaker {
  const filename =
    BUNDLE_FOLDER === undefined
      ? createRequire(import.meta.url).resolve("jsonata")
      : join(BUNDLE_FOLDER, "jsonata.js");
  const source = readFileSync(filename, "utf8");
  const made = compileFunction(source, ["module", "exports", "JSON", "Date", "window"], {
    filename,
    ...(parsingContext && { parsingContext }),
  });
  // A function with exactly these parameters was compiled above.
  return made as JsonataMaker;
}

/** Base64 of texts in UTF-8, the common convention. The package supports Latin-1 only. */
export const BASE64: Substitutes["window"] = {
  btoa: (text) => Buffer.from(text).toString("base64"),
  atob: (text) => Buffer.from(text, "base64").toString(),
};
