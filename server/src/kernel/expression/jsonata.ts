import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { compileFunction, type Context } from "node:vm";
import { BUNDLE_FOLDER } from "../work/subprocess-code.ts";

/** The part of the jsonata package that we use; its own types leave out most of the tree. */
export type Jsonata = (text: string) => {
  ast(): unknown;
  assign(name: string, value: unknown): void;
  registerFunction(name: string, run: (value: unknown) => unknown, signature: string): void;
  evaluate(input: unknown, bindings?: Record<string, unknown>): Promise<unknown>;
};

/** Globals that an instance sees in place of the true ones. */
export interface Substitutes {
  readonly JSON: Pick<JSON, "parse" | "stringify">;
  readonly Date: DateConstructor;
  /** Where the package looks for base64; without it, it would look for Node's globals. */
  readonly window: { btoa(text: string): string; atob(text: string): string };
}

/** Runs the package once and returns what it exports: an instance that shares nothing with others. */
export type JsonataMaker = (
  module: { exports: unknown },
  exports: unknown,
  ...substitutes: [Substitutes["JSON"], Substitutes["Date"], Substitutes["window"]]
) => void;

/**
 * The package, compiled but not yet run. It is not imported in the usual way, because we substitute some of
 * its globals: its clock, and the JSON that limits how much it copies while it parses.
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
  // A function of exactly these parameters was just compiled.
  return made as JsonataMaker;
}

/** Base64 of texts in UTF-8, as every other system has it; the package itself knows only Latin-1. */
export const BASE64: Substitutes["window"] = {
  btoa: (text) => Buffer.from(text).toString("base64"),
  atob: (text) => Buffer.from(text, "base64").toString(),
};
